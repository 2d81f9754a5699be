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
  "texts by their type":
    "LangChain's `text` has the blocks of the type `text`: of other providers' texts none, of thoughts all; ours has texts that are said",
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
  "other providers' adapters": "an adapter for a provider whose wire format is none of ours",
  "adapter refuses":
    "LangChain's adapter throws before anything is sent; ours sends the request, and says what it gave up",
  "an answer begun":
    "Mistral refuses a history that ends with the assistant, unless that message is marked as the answer's beginning; ours marks it",
  "spelled-out defaults": "defaults that the adapter spells out",
  "options of the class":
    "options of a model's class that no conversation has (penalties, log probabilities, tiers, stored answers): they are the caller's, in the request's own words",
  "roles by the model's name":
    "the adapter makes a system message a developer's by the model's name; the API takes either, and ours sends what the message is",
  "name of the limit": "`max_tokens` is the older name, which newer models refuse; ours sends `max_completion_tokens`",
  "texts left out": "the adapter leaves out bare strings and text documents; ours sends them as texts",
  "developer's role": "the adapter drops the mark of a developer's message; ours sends it",
  "nothing said": "empty texts, messages and lists say nothing",
  "blocks sent twice": "the adapter sends a file of the older form twice",
  "words of documents": "a text file goes as its words, the adapter's as their bytes and under a name made at random",
  "blocks sent as they are":
    "the adapter sends blocks that the API does not know (other providers', bare strings, bytes as numbers, cache marks, ids and annotations); ours sends what they mean, or says the loss",
  "Chat's tools in Responses": "the adapter sends a custom tool to Responses as Chat has it; ours as Responses does",
  "pictures beside a result": "a picture that a function gave stands within its result, as Google has it",
  "ids in other letters":
    "the class turns ids into nine letters, which older models of Mistral's want; ours sends them as they are",
  "calls of Ollama": "a call without the type that Ollama does not read",
  "texts in one turn":
    "texts of one message, or of one side in a row, are one text, and a system message keeps its place",
  "calls into another index": "the number of a call is its place in the answer, the adapter's that in the stream",
  "roles of the application": "a role that LangChain does not know goes as it is; the class makes it the user's",
  "words for a choice": "Mistral takes either word for a required tool",
  "errors of a tool": "what failed stands under `error`, as Google has it",
  "turns of one side":
    "what one side says in a row is one turn, a call is said once, and a system message inside of a history keeps its place",
  "guessed types": "of a file at an address ours says the type that its address tells, the adapter one for all or none",
  "schemas that are fitted":
    "strict mode takes no members that may be absent, and no defaults: ours sends what it takes, and says every change",
  "schemas as they are":
    "schemas go as JSON Schema, which the API takes; the adapter rewrites them to the older subset",
  "choices taken for names": "the adapter takes the word that a tool is required for the name of one",
  "citations without seals": "the API refuses a citation without what it sealed; the adapter makes that up",
  "texts of a tool": "the adapter sends a tool's texts as the JSON of their list; ours as the list that the API takes",
  "JSON within a text": "JSON within a text is written with other spaces; the value is the same",
  "files from a tool":
    "Chat takes text alone from a tool; the adapter sends a picture all the same, ours says the loss",
  "seals of other makers": "reasoning goes back to its maker alone, and by its item (R14); the adapter sends anybody's",
  "calls that a provider ran":
    "the adapter sends calls that another provider ran as the application's own functions; ours says the loss",
  "adapter throws on the answer": "LangChain's adapter throws on this answer; ours reads what there is",
  "id of the answer":
    "these services' answers have no id of a message; the adapter takes the answer's, ours keeps it as `response_metadata.id`",
  "name of the class":
    "`model_provider` is the class that asked, whoever answered; ours names a provider where the answer does, or its seals",
  "words of the finish":
    "how an answer ended stands in `finish_reason`, in the same words for all; each class has a member and words of its own",
  "usage said again": "counts are in `usage_metadata`; the adapter repeats them as the host wrote them",
  "summed counts":
    "the counts of a stream are sums so far, which the class adds up, or of which it takes the first; ours takes the last",
  "pieces of hosted calls":
    "the class takes the arguments of a call that the service ran for those of a call without a name",
  "hosted tools in other words":
    "what a hosted tool was given and gave is told in the same form for all providers, with the addresses among the sources",
  "citations as they are": "a text that rests on sources has its citations as annotations; the adapter keeps the block",
  "texts around citations": "what stands between the pieces of a stream that have citations is the same text",
  "an answer as one text":
    "a class makes one text of an answer or stream, where no tool was bound or nothing but texts and calls came",
  "ids of calls": "a call without an id has one made of its place; the adapter's is made at random",
  "pieces of calls": "the class takes each piece of a streamed call for a call",
  "Google's calls": "a call stands among the calls, where the class keeps Google's part beside it",
  "signatures of calls":
    "a call that is sealed has its signature once, beside the content by the call's id or with its block in it; one class has another place for it, and ids of calls that had none are made at random",
  "Google's texts": "reasoning and signed texts are told once, in the content",
  "output said again": "the answer's items are the content; the adapter repeats them",
  "envelope's constants":
    "what every answer of a service says, and repeats of its request, is no part of a message; that its date is lost is said",
  "texts that the fold loses": "LangChain's own fold of the stream loses pieces of a text; ours has all of it",
  "ids that rotate": "the host gives one item several ids; the adapter keeps the first, ours the last",
  approvals:
    "in LangChain approvals are interrupts of a graph: a message has no place for the request, ours says the loss and carries it",
  "action of the call": "a call's action is its arguments; the adapter repeats it as the output of one that has none",
  "results of nothing": "a result is there when the wire has one",
  "several answers for one": "a recording of several answers in one stream, which the adapter takes for one",
  "output of code": "the adapter says a return code that the service has not told; ours has the output",
  "kinds of citations": "a citation tells by its members what it is of",
  "pieces of the stream": "the place of a piece in the stream is no part of what was said",
  "members of the service":
    "scores, attributes and containers of a service's item stay with its own format, and travel in the carry",
  "items as they are": "hosted tools are calls and results in ours, where the adapter keeps the item",
  "pictures in results": "a picture that a hosted tool made is its result",
  "glued by merging": "LangChain strings together what its chunks repeat",
  "raw reasoning": "the class drops reasoning that is no summary; ours has it",
  "model of the answer": "the model is in `model_name`; the adapter says it twice",
  "raw calls": "calls are in `tool_calls`; the adapter repeats them as OpenAI has them",
  "blocks beside the content":
    "reasoning, refusals and hosted tools stand in the content, in their order, as LangChain's content of version v1 has them; the adapter's older form has them beside it",
  "reasoning beside": "the host counts reasoning beside its output; ours adds it, so that the parts make the total",
} as const satisfies Record<string, string>;
