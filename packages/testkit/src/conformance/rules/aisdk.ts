/** Rules that set cases of the AI SDK aside, and where ours differs from it on purpose: name → reason. */
export const aisdkRules = {
  "guarded names": "the SDK reads no JSON with a member `__proto__` or `constructor`; ours keeps them as data",
  "half an escape":
    "generation 5 fails where a text ends within an escape; ours, as 6 and 7, shows what came before it",
  "half a word": "the SDK takes the beginning of true, false or null for the whole; ours shows it once it is there",
  "no JSON any more":
    "the SDK calls text mended that no continuation makes JSON; ours says so, and shows the same value",
  "a tool's own words": "the tool given to the SDK says its result in words of its own",
  "words beside no parts":
    "AI SDK 4 gives the model nothing where `parts` is empty; ours reads the `content` beside it",
  "steps with a gap":
    "where the steps of its calls leave one out, AI SDK 4 says the last words first; ours says them last",
  "text attachments": "AI SDK 4 says an attached text as words; ours keeps the file",
  "thoughts in one part":
    "AI SDK 4 adds what is thought later in a step to its first thought, and a later signature takes the place of an earlier one; ours keeps each thought where it was, with its own",
  "answered by the client": "the result is not in the stream: the client makes it while reading",
  "left invalid":
    "the generation's own reader leaves a message at the end that its validator refuses; ours is compared before it",
  "unknown schema": "the case's schema is source text that the runner has no validator for",
  "sdk other providers": "a package for a provider whose wire format is none of ours",
  "sdk sends nothing": "the SDK refuses the messages before anything is sent",
  "sdk fails": "the SDK's own reader fails on the answer, so there is nothing to keep; ours reads it",
  "sdk broken lines": "a line of the stream is no JSON: the SDK ends there, ours reads the others",
  "sdk several answers": "a recording of several answers in one stream, which the SDK takes for one",
  "sdk empty values": "empty texts, lists and nulls say nothing",
  "sdk streaming": "whether to stream is said where the request is sent",
  "sdk stored items": "the SDK refers to items that the service stored; ours sends them whole",
  "sdk defaults": "defaults that the SDK spells out, and names that it gives to what has none",
  "sdk made ids": "ids that a package made up, or took from another member",
  "sdk made names": "the SDK makes up a name for a file that has none",
  "sdk item states": "the status of an item is of the answer, not of a request",
  "sdk developer messages":
    "for models that reason the SDK sends system messages as the developer's; the API takes either, and ours keeps the role",
  "sdk JSON text": "JSON within a text: the value is the same",
  "sdk errors in words": "the newest packages wrap what a tool failed with in an object; ours sends it as it is",
  "sdk unread arguments": "the SDK sends `{}` for arguments that are no JSON; ours sends what there is",
  "sdk tool files":
    "the API takes text alone from a tool: the SDK sends files as the JSON of its own parts, ours says so in a loss",
  "sdk downloads":
    "the SDK fetches what a URL names where a package does not say that its host does; ours sends the URL",
  "sdk text files":
    "a package writes the bytes of a text file as words, or its words as bytes; ours sends the file as it is",
  "sdk names of the limit": "ours names the limit of the answer as the API names it now",
  "sdk asked members": "the package asks the service for a member more, which tells the sequence that ended the answer",
  "sdk names of settings": "ours says a setting where the API has it for the model that is asked",
  "sdk marked ends":
    "the package marks an end of the assistant's as one to go on with; ours as the message does, and `check` for a target says where the mark is missing",
  "sdk documents":
    "the package sends base64 as the words of a document; ours sends the words of a text, and says a file without words in a loss",
  "sdk seals said twice":
    "the newest package says a seal under its older name as well, where each generation of it reads",
  "sdk open texts": "a text that the service does not end stays open in the SDK; ours ends it with the answer",
  "sdk package options":
    "options and hosted tools of one package stay with the call: they are no settings of the model",
  "sdk clamps": "a setting beyond what the API takes goes as it was given; `check` for a target says so",
  "sdk budgets": "the limit is of the whole answer, as it was given; the package adds what may be thought",
  "sdk trimmed ends": "the package trims the end of an answer that is to go on; ours sends the text as it is",
  "sdk places":
    "a system message inside of a history keeps its place, and so do words after a call; the package moves them",
  "sdk several references": "of a file that lies with several providers the SDK's part keeps whose file it is",
  "sdk lost turns": "a turn of which nothing goes to the API is left out, for the API refuses empty ones",
  "sdk settings": "ours sends no setting that the host's API does not have; a package sends what it is told to",
  "sdk foreign calls": "a call that a service ran goes back to a service only where it is known to be its own",
  "sdk blank texts": "a text of white space says nothing: the API refuses it, and ours leaves it out with a loss",
  "sdk foreign seals": "what one maker sealed goes to no model of another's; a package sends it to all of its host",
  "sdk names of hidden reasoning": "Converse has hidden reasoning as `redactedContent`; the package names it otherwise",
  "sdk results in pieces": "a call has one result; a package sends each text of it as one",
  "sdk spelled constants": "Gemini's schemas have no `const`: ours says a list of one value",
  "sdk glued texts": "the package strings the texts of a message together, or ours those that stand beside each other",
  "sdk guessed types": "a package guesses the type of a picture; ours reads it from the bytes",
  "sdk stored approvals":
    "an approval goes with its request, which the SDK leaves to what the service stored; where the server's name is not told ours sends neither, and says so",
  "sdk ids as bytes": "a package of generation 7 sends the id of a file as if it were its bytes; ours sends the id",
  "sdk foreign files":
    "the id of a file that OpenAI keeps is sent to no other host, and ours says so in a loss; a package sends it as if it were bytes",
  "sdk custom parts": "what a package made of an item that the SDK has no part for goes back to it alone",
  "sdk seals of two makers": "a part has one seal; what a second provider says of it stays with the SDK's part",
  "sdk glued reasoning": "the SDK strings the entries of a summary together; ours puts a line between them",
  "sdk schema as a tool":
    "for a host without schemas beside tools the SDK makes a tool of the schema; ours sends the schema",
  "sdk schema in words":
    "for a host that follows no schema, or asks for the word JSON, the SDK says it in words of its own; ours sends no words of its own",
  "sdk raw usage": "the service's own count stays with its own format; its numbers are those of the usage",
  "sdk counted nothing": "the SDK says 0 of what the service does not count",
  "sdk reasoning beside": "the host counts reasoning beside its output; ours adds it, so that the parts make the total",
  "sdk cached beside": "the host counts cached tokens where the package does not look; ours tells them apart",
  "sdk raw reasons": "how a service spells a reason that all have stays with its own format",
  "sdk open calls": "a package says stop beside calls that are still to be answered; ours says that they are",
  "sdk service members": "members of one service's envelope stay with its own format, and travel in the carry",
  "sdk dates of chunks":
    "the host dates every chunk; ours takes the last date, as OpenAI's own SDK does, the package the first",
  "sdk block ids": "ids of blocks are of one stream",
  "sdk rotated ids": "the host gives one item several ids; the package keeps the first, ours the last",
  "sdk rotated answers": "the host gives one answer several ids; the package keeps the first, ours the last",
  "sdk failed steps":
    "a step that failed has an error and no end; the package of generation 5 says of it that it is not known",
  "sdk foreign makers":
    "ids of another maker's items, which the package takes for its own provider's; ours keeps them with their maker",
  "sdk raw reasoning": "the package drops reasoning that is no summary; ours has it",
  "sdk more text": "where the end of a text says more than its deltas the package keeps these; ours has all of it",
  "sdk error objects": "an error is its message; the package has an object of its own around it",
  "sdk known tools": "whether a tool is known is said by who knows the tools",
  "sdk names of MCP tools": "a tool has its server's name for it, and the server is told apart",
  "sdk names of hosted tools":
    "a hosted tool has the name that the service gives it; the package says the application's",
  "sdk hosted tools":
    "what a hosted tool takes and gives is told in the package's own objects; ours says the same in the model's",
  "sdk asked models":
    "the package names the model that was asked for, ours the one that answered, where the answer names one",
  "sdk made dates": "an answer without a date has that of the clock",
  "sdk other sums":
    "generation 5 leaves cached tokens out of the sum, and adds those of other models that the service asked; ours says the service's sum",
  "sdk callers":
    "a call says which call's program made it; the version of the tool that ran it stays with its own format",
  "sdk refused arguments": "whether arguments fit a tool is said by who knows the tools",
  "sdk unknown events": "an event that the package does not know is an error there; ours keeps what it holds",
  "sdk flags of results": "that the provider ran a tool is said with its call",
  "sdk interim results": "a later result of the call takes the place of an earlier one",
  "sdk unfinished tools": "a hosted tool that had not ended is told as a failed one, or as one that gave nothing",
  "sdk document types": "the package takes every cited document for plain text; ours does not guess",
  "sdk annotations": "annotations of a text are its citations, or sources beside it",
  "sdk source details": "what a service says more of a source stays with its own format, and travels in the carry",
  "sdk cited sources": "a source that a text cites stands on the text",
  "sdk found sources": "a source that a hosted tool found stands in its result",
} as const satisfies Record<string, string>;

export type AisdkRule = keyof typeof aisdkRules;
