/** Rules that set cases of the Microsoft Agent Framework aside, and where ours differs from it on purpose: name → reason. */
export const mafRules = {
  "maf unwritable objects": ".NET's own objects could not be written as JSON, so there is no text to read",
  "maf own types": "a .NET class of the case's own: no table here can know it",
  "maf registered kinds":
    "a kind of content that an application registered: ours keeps it as it is, and refuses it only where strict",
  "maf live values":
    "the text was written of .NET objects in a slot without a type; read back they are JSON, and have neither nulls nor numbers for enums",
  "maf null role": "a role that is null, which .NET itself cannot read: ours reads the user's, the default",
  "maf tolerant reading":
    "ours takes what .NET refuses (`$type` in any place, older names, unknown kinds kept, members of another type kept as they are) and reports it as issues; strict reading refuses it",
  "maf raw representation":
    "the original looks past the edits of an update or response at the raw object that it was made of; JSON has none, and ours takes the edits",
  "maf typed answers": "`AgentResponse<T>` is a class of .NET's; as text it drops the agent's id, where ours keeps it",
  "maf other providers": "an adapter for a provider whose wire format is none of ours",
  "maf adapter throws": "the original throws here, so there is nothing to keep",
  "maf message ids":
    "these services' answers have no id of a message: the original takes that of the answer or of an item; ours keeps the one as the response's id, the other as the item's seal",
  "maf conversation ids":
    "the service's id of an answer, repeated as the id of the conversation; ours keeps it once, as the id of the answer",
  "maf service state":
    "conversations that the service keeps, background and continuation tokens are the caller's, no part of the messages",
  "maf service members": "members of one service's envelope stay those of its own format, and travel in the carry",
  "maf made dates": "the year 1 stands for a date that nobody told",
  "maf dates of chunks":
    "the host dates every chunk; ours takes the last date, as OpenAI's own SDK does, the original the first",
  "maf made finish": "the original says stop where nothing is told, beside calls, and for a refusal; ours says what is",
  "maf made role": "an answer without a role is read as a system message by the original, as the assistant's by ours",
  "maf empty values": "empty texts, lists and counts of zero say nothing",
  "maf audio counts": "audio counts stand in the members that MAF has for them, not among the additional ones",
  "maf summed usage": "the host repeats usage that grows; the original adds it up, ours takes the last",
  "maf reasoning beside": "the host counts reasoning beside its output; ours adds it, so that the parts make the total",
  "maf guessed types":
    "a media type that is not told is guessed by the original from the request or an extension; of what a search found ours says that it is a page",
  "maf finish words":
    "MAF's finish reasons are open: ours says refusal, context and pause, which come back as what they were; .NET's client says the nearest, or the service's word",
  "maf service counts": "counts of searches and pages are no tokens: they stay with the service's usage, in the carry",
  "maf error codes": "a code is spelled as the service spells it, and stands as the message where there is none",
  "maf editor tools":
    "of an edit of a file the original says the command without its arguments, and that it was done in words of its own; ours says both as JSON",
  "maf web fetches":
    "a page that is fetched is no search: ours tells the call with its address as a function's that is done",
  "maf results without calls":
    "a result without its call does not say of which tool it is: ours tells it as a function's",
  "maf announced inputs": "a stream announced other arguments than then came, which are no JSON",
  "maf container files": "a file for a container goes back as one, where the original makes it a document",
  "maf invisible texts": "where nothing is said the original sends an invisible character",
  "maf developers": "the original sends what a developer says as the user's, ours as the system's",
  "maf live exceptions": "a function's exception is an object of .NET's, which JSON does not have",
  "maf efforts":
    "ours asks for the effort, and for thinking where a budget is told; the original makes up a budget, and a limit from it",
  "maf empty results": "a result is there when the wire has one",
  "maf empty ranges": "a range without length is none",
  "maf tool errors": "an error is kept by its message, the original keeps its JSON text",
  "maf error details": "an error of a stream is its message and its code; the parameter that it names is an issue",
  "maf more text":
    "the original keeps some of the pieces of a text, ours what the end of the text says it is, and every refusal",
  "maf glued choices": "the original makes one text of several choices; ours keeps them apart",
  "maf sides": "results and approvals stand in a message of the tool's side (R20, R23)",
  "maf foreign seals":
    "reasoning goes back to its maker alone, and by its item (R14); the original sends anybody's to everybody",
  "maf rotated ids": "the host gives one item several ids; the original keeps the first, ours the last",
  "maf unknown pieces": "a piece that ours does not know is kept whole, for its own format",
  "maf several answers": "a recording of several answers in one stream, which the original takes for one",
  "maf empty ids": "a call without an id gets one, so that the result finds it",
  "maf assistant files": "the API takes no files from the assistant; ours says so in a loss",
  "maf tool files":
    "the API takes text alone from a tool: the original sends files as JSON text, ours says so in a loss",
  "maf data uris": "a data URI that is not base64 stays as it was",
  "maf foreign calls": "a call that a service ran goes back to a service only where it is known to be its own",
  "maf compaction": "what a compaction stands for is not sent again (R26)",
  "maf refusals": "the API takes no refusals from the user: ours sends the words",
  "maf schema names": "a name for a schema that has none",
  "maf status": "the status of an item is of the answer, not of a request",
  "maf raw reasoning": "the original takes raw reasoning for a summary",
  "maf streaming": "whether to stream is said where the request is sent",
  "maf json text": "JSON within a text: the original indents it and escapes emoji, the value is the same",
  "maf no arguments": "a call without arguments has an empty object, which APIs take; the original sends null",
  "maf names": "the original strips letters from names; ours sends them, and `check` for a target says what it takes",
  "maf addresses": "an address as it was given; the original escapes it",
  "maf instructions": "instructions are the first message, where the original has a member for them",
  "maf citations of no text": "citations stand on a text; without one they stay with their own format",
  "maf floats": "the original rounds settings to 32 bits",
  "maf schemas that are fitted":
    "strict mode takes a part of JSON Schema: ours sends what it takes, or the schema without it, and says every change",
  "maf schemas": "the original rewrites schemas to what strict mode takes; ours sends them as they are",
  "maf defaults": "defaults that the original spells out",
  "maf hosted tools": "MAF's JSON holds no tools; hosted ones are the caller's",
} as const satisfies Record<string, string>;

export type MafRule = keyof typeof mafRules;
