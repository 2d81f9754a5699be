/** Rules for cases of Ollama's: where ours differs on purpose from Microsoft's adapter for it (OllamaSharp): name → reason. */
export const ollamaRules = {
  "ollama answer ids": "an answer of Ollama's has no id: the original takes its date for one",
  "ollama call ids":
    "the original sends no ids and no places of calls; ours sends the ids that calls have, which servers pass on and older ones overlook",
  "ollama results":
    "the original wraps a result and the id of its call in JSON; ours sends what the tool said, and names the tool and the call beside it",
  "ollama counts": "the original tells counts and durations of zero where the server tells none",
  "ollama durations": "durations are members of Ollama's own, and travel in the carry",
  "ollama rounded dates": "the original rounds a date to seven digits, as reading one in JSON does not",
  "ollama models": "the original fills in the model that it asked for",
  "ollama roles":
    "an answer is the assistant's, whatever the server or the original calls it, and a line that says nothing is no message",
  "ollama settings": "additional properties of MAF's options stay MAF's own: no reader can know whose words they are",
  "ollama seeds": "the original cuts a seed to 32 bits",
  "ollama nameless calls": "a call without a name is kept whole, for Ollama's own format; the original makes up a name",
  "ollama sides":
    "the API takes calls and thoughts from the assistant, and from a tool its results alone: ours says so in a loss",
  "ollama letter case": "MAF's roles are the same in any letter case; the API knows them in small letters",
  "ollama developers": "the API knows no developer: the original sends the role, which is refused, ours sends system",
  "ollama data uris": "an address with the picture in it that is not base64 stays MAF's; the original sends its bytes",
} as const satisfies Record<string, string>;

export type OllamaRule = keyof typeof ollamaRules;
