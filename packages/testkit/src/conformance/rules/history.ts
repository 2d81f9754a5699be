/** Where our history tools differ on purpose from those of LangChain, MAF and the AI SDK: name → reason. */
export const historyRules = {
  "history pairs":
    "LangChain cuts calls from their results; ours leaves out the whole of what does not fit (providers refuse halves)",
  "history systems": "LangChain keeps one of several system messages that stand first; ours keeps all",
  "history no room":
    "LangChain gives a list with nothing in it where not even the system message fits; ours an empty list",
  "history wrong end":
    "of a message that does not fit LangChain keeps the first blocks where the newest messages stay; ours its last ones",
  "history measured backwards":
    "LangChain counts the pieces of a text in reverse, where words of two of them are one, and keeps more than may stay; ours keeps what fits",
  "history throws": "LangChain throws here; ours does what the options say",
  "history empty texts": "LangChain puts a line break beside an empty text; ours says nothing where nothing is said",
  "history blocks apart":
    "LangChain leaves a text and a list of blocks apart by how they are spelled; ours joins texts that meet",
  "history other sides":
    "LangChain takes messages of other roles, functions and tools for one speaker by their class; ours merges only what one side said",
  "history calls merged":
    "LangChain glues calls of one id together and drops calls that cannot be read; ours keeps each",
  "history hidden calls":
    "LangChain leaves out refusals, calls that cannot be read or stand in the content alone, and OpenAI's own spelling of calls; ours tells what there is",
  "history extras": "LangChain tells what a call has for its provider alone; ours leaves it out",
  "history other blocks":
    "LangChain names in brackets the type of a block that is no text; ours says what it is to a reader (a file, a call) or, for reasoning, nothing",
  "history removals left": "LangChain leaves removals in the list; ours has none in its result",
  "history made ids":
    "LangChain makes ids at random and takes numbers and empty texts for ids; ours leaves a message without an id as it is",
  "history coercion": "what is like a message is read by the format first, which refuses what LangChain refuses",
  "history class functions": "functions of LangChain's own classes: chunks of a message, marks in their members",
  "history chunks of calls": "chunks of calls are added up by the format, in its own cases",
  "history counts": "LangChain counts a quarter of the characters of its own JSON; ours is fitted to a tokeniser",
  "history no summary":
    "where the model answers nothing MAF throws the history away for an empty summary; ours keeps it",
  "history reducers' summaries":
    "what stands for other messages is a summary, whichever function made it; MAF takes a reducer's for an answer",
  "history reasons":
    "generation 5 of the AI SDK leaves reasoning whose call is gone; ours drops it with what it was for, as later ones do",
  "history approvals":
    "generation 5 of the AI SDK knows no approvals and leaves them without their calls; ours keeps or drops both, as later ones do",
  "history held together":
    "MAF tells groups of calls by what stands directly behind them; ours hold approvals and late results with their calls too",
  "history later systems":
    "MAF's summarising reducer keeps one message of the system even where it has nothing to do; ours then leaves the list as it is",
  "history index objects":
    "MAF keeps an index object over runs and sessions, with faults where lists change; ours makes groups of any list anew",
  "history raw bytes": "MAF counts the bytes of raw JSON text; ours counts tokens of values",
  "history developers":
    "a developer's message says what the model is to be, and is kept like the system's; MAF takes it for an answer",
  "history callers": "calls stay with their results whoever made them; MAF looks at the assistant's alone",
  "history words of .NET": "MAF writes True and False, and the escapes of .NET's JSON, into its texts; ours plain JSON",
} as const satisfies Record<string, string>;

export type HistoryRule = keyof typeof historyRules;
