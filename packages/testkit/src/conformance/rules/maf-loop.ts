/** Where our agent's loop differs from the Microsoft Agent Framework's on purpose: name → reason. */
export const mafLoopRules = {
  "maf delegates": "a .NET delegate binds the arguments and makes the result: its types are .NET's own",
  "maf live context":
    "the original's tools change the live messages, options and arguments of the loop; ours are data that a tool only reads",
  "maf parked calls":
    "a call that needs no approval beside one that does is held without a request, as MAF's own agent does around its loop",
  "maf early requests":
    "streaming, the original asks about a call before it sees that the service has run it; ours asks when the answer is there",
  "maf old approvals":
    "approvals of the agent's own calls are between it and people; the original sends those that are over to the model",
  "maf unknown tools": "a model that calls a tool that does not exist is told those that do",
  "maf result forms": "one text as the content of a result is the result's text, and other contents are a list",
  "maf open calls":
    "every call has a result, so that the history can go on; the original leaves calls open at the limit, after a tool that ended the run, and in a history that has them so",
  "maf bound calls":
    "an approval is bound to the call that was asked about; the original runs whatever call stands in the answer",
  "maf forged approvals":
    "an answer to a request that was never asked, or is closed, runs nothing; the original runs the call",
  "maf forgotten approvals":
    "with a new message an unanswered request is closed as refused, and without one it stays open; the original throws, in every later run too",
  "maf repeated answers": "a second answer to a request is refused; the original runs the call again",
  "maf repeated requests": "a call that was asked about twice runs once; the original throws",
  "maf results of others": "the result of a call that the agent runs comes from nobody else",
  "maf rebuilt calls":
    "a call that waited stays where the model made it, so the run that has its result does not tell it again",
  "maf melted messages": "what the model says after a tool is a message of its own, with or without ids",
  "maf borders":
    "results and calls of one round are one message where the original makes several, and a message that would be empty is none",
  "maf order of results": "results stand in the order of their calls, where the original puts the refused ones first",
  "maf left conversations":
    "where the service keeps the conversation no more, the response names none; combined updates of the original still do",
  "maf blank conversations": "a blank id of a conversation is none, in the loop too",
  "maf cancelled calls": "once the caller has cancelled, no model is asked and no tool begins",
  "maf shadowed tools": "a tool of the run stands for one of the same name behind it, with its own rule of approval",
  "maf finish":
    "how a run ended is what it did: it waits, a limit or a tool ended it; the original repeats the model's last word, calls or none",
  "maf empty answers": "an answer with nothing in it that says that it calls a tool is a failure of the model",
  "maf reused ids":
    "a call is one by its request, not by its id alone: the original takes a later call of the same id for answered",
  "maf summed totals":
    "a total is compared with the parts of its own answer, where the original adds it to those of all",
  "maf orphan results": "a result is sent with its call, also where that stood only inside a request",
} as const satisfies Record<string, string>;

export type MafLoopRule = keyof typeof mafLoopRules;
