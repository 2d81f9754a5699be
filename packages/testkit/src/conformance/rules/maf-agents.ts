/** Where our agents differ from those of the Microsoft Agent Framework around the loop on purpose: name → reason. */
export const mafAgentRules = {
  "maf earlier texts":
    "a result is read from the last answer; what was said on the way spoils it in the original, which reads all texts as one",
  "maf bare values":
    "a value that came without the object it was asked for in is read; the original's chat client refuses what its agent reads",
  "maf text around values":
    "words around a value are ignored, wrapped or not; the original refuses them before a value, and behind a wrapped one",
  "maf spelled integers":
    "an integer that is spelled with a point or an exponent is one, as everywhere in JavaScript; the original refuses it",
  "maf schema in words":
    "a schema is the request's format; for models that take none, the target's repairs say it in words, not the caller",
  "maf moved references": "references to the root of a schema follow it into the member that holds it",
  "maf classes of options":
    "options are plain members here; the original's callbacks refuse classes of them that they do not know",
  "maf empty groups": "no provider at all is no mistake: there is nothing to ask",
  "maf function order":
    "of several callbacks around a tool the first is the outermost, as of all others; in the original the last",
  "maf services": "what an agent is made of are its members; nothing is looked up by its class",
  "maf automatic approvals":
    "a call that a rule lets through runs in the same run; the original asks, answers itself and runs again, and stores all of it",
  "maf tool names":
    "a name that providers refuse is refused where the tool is made; an agent without a name is called `agent`",
  "maf hidden approvals":
    "what an agent inside of a tool asks is asked in the outer session; the original answers with an empty text instead",
  "maf empty answers of agents":
    "an agent that gave no text says so to the outer model; the original gives it an empty one",
  "maf live arguments":
    "a call in the history is the one that the model made; what a callback gives the tool instead changes the original's history too",
  "maf reserved ids": "no id of a conversation is reserved",
  "maf callbacks without an answer": "a callback that goes on with nothing answers nothing; the original refuses it",
} as const satisfies Record<string, string>;

export type MafAgentRule = keyof typeof mafAgentRules;
