/** Where our sessions, providers and tokens differ from the Microsoft Agent Framework's on purpose: name → reason. */
export const mafSessionRules = {
  "maf lost exchanges":
    "what was said in a run that failed or was stopped is kept and marked, and the next model call reads it; the original forgets it",
  "maf served history":
    "a conversation that a service keeps is in the session too, so that another model can go on with it",
  "maf moved results": "the result of a call stands right behind it, also where somebody spoke before it was answered",
  "maf rebuilt history":
    "a call that waited is once in the history, where the model made it; the original adds it again",
  "maf one request at a time":
    "all calls that wait are shown at once; the original shows one and keeps the others back",
  "maf additional properties":
    "additional properties are for tools and providers; what a model is to read is a setting",
  "maf tolerant history":
    "contents of an unknown kind and members of another type are kept and sent on as they are, and a message that is null is none",
  "maf per-call history":
    "a request is in the history like everything else that was said; the original's history that is kept call by call has the bare call",
  "maf per-call providers":
    "providers are asked once a run and told of all of it; the original can do so at every model call",
  "maf repeated tools":
    "an approved call runs once, whatever becomes of the model's answer; after a failure the original runs it again",
  "maf gone tools":
    "a call that was let through, of a tool that is gone, is told so; the original says that it was refused",
  "maf asked about unknown tools": "nobody is asked about a call of a tool that does not exist",
  "maf left requests":
    "a reader that leaves stops the run: nobody is asked about calls that it has not seen the end of",
  "maf dropped answers":
    "an answer to a service's own request stays in the history; the original sends it once, and then the request alone",
  "maf iteration caps": "the limit of model calls is that of the loop; there is no other",
  "maf unbound requests":
    "a history that a session is made of may have open requests; the original can never go on with one",
  "maf early telling": "providers are told of a run when it is over; the original tells them of every poll",
  "maf told again":
    "a run that is over is over: its token gives what came of it; the original asks again, and stores it twice",
  "maf piled answers": "a partial answer is replaced by the whole one; the original stores both",
  "maf last answers":
    "the response has all that the run said; the original's has what was said after the last approval",
  "maf repeated context": "what the conversation has already, by its id, is not said again",
  "maf continued histories":
    "the tools of an answer that was made in the background are answered with the whole conversation; the original sends the calls alone",
  "maf lost background":
    "what the agent allows holds for all its runs; the original forgets it once a run has options of its own",
  "maf context in tokens": "what providers added to a run is part of it, also where its token has it inside",
  "maf typed state": "values of the state bag are JSON: they have no class to be read as",
  "maf state keys": "the history of a session is its own member, no key of its state bag that anybody may set",
  "maf history conflicts":
    "a history of the session's own and a conversation that the service keeps stand side by side",
  "maf left conversations of sessions":
    "where the service names no conversation any more, the next run sends the whole history; the original throws",
  "maf null input": "no input at all goes on with what there is; the original has an overload for it, and refuses null",
  "maf shadowing tools": "a tool of the run stands for the agent's of the same name; the original refuses the two",
  "maf switched off parts": "parts of .NET's pipeline that can be switched off are rules of the loop here",
  "maf told providers":
    "providers are told of every run, of a failed one with what there is of its answer, and all of them, whoever fails",
} as const satisfies Record<string, string>;

export type MafSessionRule = keyof typeof mafSessionRules;
