/** Rules that set cases of LangChain aside, and where ours differs from it on purpose: name → reason. */
export const langchainRules = {
  "no message": "LangChain's own constructor throws: there is no message to read",
  "blocks that are not read":
    "`content_blocks` in snake case is written by LangChain and read by nothing of it; ours reads the blocks as content",
  "live instance": "an instance of a class is read with the module that made it, not as JSON",
  "hostile objects":
    "of serialised objects nothing but messages is built, and no secret is looked up, even where LangChain's loader does",
  "of the other language": "one language refuses what the other writes; ours reads both",
  "reads more":
    "LangChain refuses a stored message without a member that its class needs, or of the other language; ours reads it",
  "prototype names": "JavaScript's loader drops members named `__proto__`; ours keeps them as members",
  "blocks beside content": "JavaScript's loader overwrites `content_blocks` by a view of `content`; ours keeps both",
  "bare strings":
    "JavaScript's `text` leaves out strings that stand among the blocks, Python's does not; ours has them",
  "blocks of the other language":
    "JavaScript's loader leaves Python's content blocks as they are, which it does not understand; ours writes them as its own",
  "fragments of calls":
    "the lists of calls that JavaScript derives of fragments are not written where the text had none",
  "names of members": "JavaScript's loader writes names of unknown members in snake case; ours keeps them",
  "bytes in content": "blocks that hold bytes are no JSON: LangChain's own forms of them do not have the bytes either",
  "view that is text": "JavaScript's view of a marked chunk is its text itself; ours is always a list of blocks",
  "view that throws": "LangChain's view throws here; ours gives the blocks that there are",
  "states of a graph": "what a graph's state is after a step is no stream of messages",
  "spoilt by the bridge":
    "LangChain's bridge makes one block of two that have the same index, and writes `undefined` where a piece has no text; ours takes the pieces",
  "arguments that were cut":
    "LangChain takes a beginning of JSON for the arguments of a finished call; ours keeps the text, in a call that does not parse",
  "no chunks": "the case holds no chunks: the answer came whole, or the stream is too long to be printed",
} as const satisfies Record<string, string>;
