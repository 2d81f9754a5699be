/** Where ours differs from the SDK's `convertToModelMessages` and loop on purpose: name → reason. */
export const aisdkModelRules = {
  "misplaced parts":
    "the SDK drops calls, reasoning and sources of user and system messages without a word; ours keeps them in a message of the role that has a place for them, and says so",
  "later parts":
    "an older generation drops what a newer one added; ours writes it in the nearest form that the generation has, and says so",
  "malformed parts":
    "the SDK passes on a part without its text, media type or id, which its next stage refuses; ours leaves it out and says so",
  "data URLs":
    "the SDK hands a data URL on and its next stage takes the bytes and the exact type out; ours writes these",
  "raw arguments":
    "generation 5 leaves out the arguments of a dynamic tool's call that could not be read; ours has their text",
  "denied calls":
    "the SDK tells a denied call as a failed one, or in generation 5 leaves it without a result; ours says that it was denied",
  "metadata of results":
    "the SDK gives a result the metadata of its call, or a failed call that of its result; ours gives each its own",
  "system metadata": "of two texts that speak to one provider the SDK keeps the last word; ours keeps both",
  "provider references": "generations 5 and 6 send an empty file for one that a provider keeps; ours sends its id",
  "hosted dynamic tools":
    "generation 5 forgets that the provider ran a dynamic tool; ours leaves its result beside the call",
  "file metadata": "generation 5 drops what a file of the assistant's says to providers; ours keeps it",
  "empty messages":
    "generation 5 leaves messages of the assistant and its tools in which nothing is said; ours does not",
  "nothing said": "a UI message of a user must say something, and one of the assistant has no empty messages inside",
  "spelling of files": "a file that came as a bare text comes back as the tagged object that its generation writes",
  "lists of one text": "a UI message has a tool's list of one text as the text that it is",
  "passed questions":
    "what was said to a run while it went on comes back as a user's message, and a question before it is then passed over",
  "text in data URLs":
    "the SDK takes what follows the comma of a data URL for base64 even where it is text; ours makes base64 of it",
  "no arguments":
    "the SDK writes `undefined` for arguments that are not there, which JSON does not have; ours writes none at all as `{}`",
  "answered by the loop": "the SDK's loop answers approvals itself before it calls the model",
  "errors in words": "the SDK tells the model of a tool's error in words of its own; its stream has the error itself",
  "unread arguments": "the SDK tells the model `{}` for arguments that are no JSON; ours keeps the text",
  "unfinished calls":
    "a call that had begun when its model's stream ended is in the stream, and no part of the response",
  "cut steps": "a step that was stopped is in the stream, and before generation 7 no part of the response",
  retried: "what a failed attempt had streamed stays in the stream, and is no part of the response",
  "joined tool messages": "the SDK joins neighbouring tool messages for the model; ours keeps their borders (R15)",
  "looked into bytes": "the SDK looks into the bytes of a picture for its type; ours says what the message says",
} as const satisfies Record<string, string>;
