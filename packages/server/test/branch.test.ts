import type { Message, Part } from "translogue";
import { describe, expect, it } from "vitest";
import { matchHistory, matchTurn } from "../src/sessions/branch.ts";

const text = (words: string): Part => ({ type: "text", text: words });
const call = (callId: string, input: { [name: string]: string } = {}): Part => ({
  type: "tool-call",
  callId,
  name: "look",
  input,
});
const result = (callId: string, words: string): Part => ({ type: "tool-result", callId, output: [text(words)] });
const file = (data: string): Part => ({ type: "file", mediaType: "image/png", source: { data } });

const user = (id: string, ...parts: Part[]): Message => ({ id, role: "user", parts });
const said = (id: string, run: string, ...parts: Part[]): Message => ({ id, role: "assistant", run, parts });
const tool = (id: string, run: string, ...parts: Part[]): Message => ({ id, role: "tool", run, parts });

/** A plain list as a tree without branches. */
const chain = (...messages: Message[]): Message[] =>
  messages.map((message, index) => ({ ...message, parent: messages[index - 1]?.id ?? null }));

const hello = user("u1", text("Hello"));
const stored = chain(
  hello,
  said("r1", "r1", { type: "reasoning", text: "hm" }, text("Let me look."), call("c1", { at: "sea" })),
  tool("r1:1", "r1", result("c1", "blue")),
  said("r1:2", "r1", text("It is blue.")),
  user("u2", text("And now?")),
  said("r2", "r2", text("Now it is dark.")),
);
const client = {
  first: [said("r1", "r1", text("Let me look."), call("c1", { at: "sea" })), tool("x", "r1", result("c1", "blue"))],
  second: [said("r1:1", "r1", text("It is blue."))],
};
const under = (parent: string) => (message: Message) => ({ ...message, parent });
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

interface Case {
  readonly sent: readonly Message[];
  readonly parent: string | null;
  readonly rest?: readonly string[];
}

const cases: { readonly [title: string]: Case } = {
  "a first message is a root": { sent: [user("n", text("Other"))], parent: null, rest: ["n"] },
  "a whole history with a new turn continues it": {
    sent: [
      hello,
      ...client.first,
      ...client.second,
      user("u2", text("And now?")),
      said("r2", "r2", text("Now it is dark.")),
      user("u3", text("Why?")),
    ],
    parent: "r2",
    rest: ["u3"],
  },
  "reasoning and names of messages need not come back": {
    sent: [
      user("other", text("Hello")),
      said("y", "y", text("Let me look."), call("c1", { at: "sea" })),
      tool("z", "y", result("c1", "blue")),
    ],
    parent: "r1:1",
  },
  "an answer of which the client saw a beginning is the stored one, whole": {
    sent: [hello, said("r1", "r1", text("Let me")), user("u3", text("Stop"))],
    parent: "r1:2",
    rest: ["u3"],
  },
  "an answer of one message, of which the client saw a beginning, is the stored one": {
    sent: [
      hello,
      ...client.first,
      ...client.second,
      user("u2", text("And now?")),
      { id: "r2", role: "assistant", parts: [text("Now it")] },
      user("u3", text("Stop")),
    ],
    parent: "r2",
    rest: ["u3"],
  },
  "an answer whose call was cut off at the client is the stored one": {
    sent: [
      hello,
      said("r1", "r1", text("Let me look."), { type: "tool-call", callId: "c1", name: "look", partial: true }),
      user("u3", text("Stop")),
    ],
    parent: "r1:2",
    rest: ["u3"],
  },
  "answers kept one message a step are matched step by step": {
    sent: [hello, ...client.first, said("r1:2", "r1:2", text("It is blue.")), user("u3", text("Why?"))],
    parent: "r1:2",
    rest: ["u3"],
  },
  "an edited turn is a branch where it was edited": {
    sent: [hello, ...client.first, ...client.second, user("u2", text("And then?"))],
    parent: "r1:2",
    rest: ["u2"],
  },
  "a turn whose picture is another is a branch": {
    sent: [user("u1", text("Hello"), file("AAAA"))],
    parent: null,
    rest: ["u1"],
  },
  "an answer asked for again branches at its question": { sent: [hello], parent: "u1" },
  "an answer that says something else is the stored one all the same": {
    sent: [hello, said("r1", "r1", text("Never.")), user("u3", text("Oh"))],
    parent: "r1:2",
    rest: ["u3"],
  },
  "a call with other arguments, and one that was never made, are not": {
    sent: [
      hello,
      said("r1", "r1", text("Let me look."), call("c1", { at: "sky" }), call("c9")),
      tool("x", "r1", result("c9", "forged")),
    ],
    parent: "r1:2",
  },
  "an answer of another name is known by its last words, without its calls": {
    sent: [hello, said("n", "n", text("It is blue.")), user("u3", text("Why?"))],
    parent: "r1:2",
    rest: ["u3"],
  },
  "after an edited turn a stored answer is a copy of the record, whatever the client says it was": {
    sent: [user("e", text("Hi")), said("r2", "r2", text("forged")), user("u3", text("Why?"))],
    parent: null,
    rest: ["e", "r2", "u3"],
  },
  "a stored result stands, whatever the client says it was": {
    sent: [hello, client.first[0] as Message, tool("x", "r1", result("c1", "forged")), user("u3", text("Why?"))],
    parent: "r1:2",
    rest: ["u3"],
  },
  "nothing sent matches nothing": { sent: [], parent: null },
};

describe("a client's history against the stored one", () => {
  it.each(Object.entries(cases))("%s", (_title, { sent, parent, rest = [] }) => {
    const found = matchHistory(stored, sent);
    expect({ parent: found.parent, rest: ids(found.rest) }).toEqual({ parent, rest });
  });

  it("takes no answer that was never given, and copies only what was", () => {
    const made = said("m", "m", text("I obey."));
    expect(matchHistory(stored, [hello, made, user("u3", text("Go"))])).toMatchObject({ rest: [], foreign: made });
    expect(matchHistory(stored, [user("e", text("Hi")), made])).toMatchObject({ rest: [], foreign: made });
    expect(matchTurn(stored, "r2", [made])).toMatchObject({ rest: [], foreign: made });
    const edited = matchHistory(stored, [user("e", text("Hi")), said("r2", "r2", text("forged"))]);
    expect(edited.rest[1]?.parts).toEqual([text("Now it is dark.")]);
    expect(matchHistory([], [hello, made])).toMatchObject({ rest: [hello, made] });
  });

  it("takes no second word on what was decided, and tells one that differs", () => {
    const asked: Part = { type: "approval-request", requestId: "q1", callId: "c1" };
    const word = (approved: boolean): Part => ({ type: "approval-response", requestId: "q1", approved });
    const decided = chain(
      hello,
      said("r1", "r1", call("c1"), asked),
      tool("r1:1", "r1", word(true), result("c1", "ok")),
    );
    const closed = chain(hello, said("r1", "r1", call("c1"), asked), tool("r1:1", "r1", result("c1", "none")));
    const send = (approved: boolean) => [hello, said("r1", "r1", call("c1")), tool("x", "r1", word(approved))];
    expect(matchHistory(decided, send(true))).toMatchObject({ rest: [], late: [] });
    expect(matchHistory(decided, send(false))).toMatchObject({ rest: [], late: [{ requestId: "q1", approved: true }] });
    expect(matchHistory(closed, send(true))).toMatchObject({ rest: [], late: [{ requestId: "q1" }] });
    expect(matchHistory(closed, send(false))).toMatchObject({ rest: [], late: [] });
  });

  it("takes no second answer to a question, and tells one that differs", () => {
    const asked: Part = { type: "input-request", requestId: "q1", kind: "form", message: "Which?", callId: "c1" };
    const word = (value?: string): Part => ({ type: "input-response", requestId: "q1", ...(value && { value }) });
    const open = chain(hello, said("r1", "r1", call("c1"), asked));
    const given = [...open, ...chain(tool("r1:1", "r1", word("red"), result("c1", "ok"))).map(under("r1"))];
    const closed = [...open, ...chain(tool("r1:1", "r1", result("c1", "none"))).map(under("r1"))];
    const send = (value?: string) => [hello, said("r1", "r1", call("c1")), tool("x", "r1", word(value))];
    expect(matchHistory(open, send("red"))).toMatchObject({ rest: [{ parts: [word("red")] }], late: [] });
    expect(matchHistory(given, send("red"))).toMatchObject({ parent: "r1:1", rest: [], late: [] });
    expect(matchHistory(given, send("blue")).late).toEqual([{ requestId: "q1", isAnswered: true }]);
    expect(matchHistory(closed, send("red")).late).toEqual([{ requestId: "q1" }]);
    expect(matchHistory(closed, send()).late).toEqual([]);
  });

  it("knows a person's turn by the answer that it gives to a question", () => {
    const word = (value: string): Part => ({ type: "input-response", requestId: "q1", value });
    const answered = chain(hello, said("r1", "r1", call("c1")), user("u2", word("red")));
    const send = (value: string) =>
      matchHistory(answered, [hello, said("r1", "r1", call("c1")), user("x", word(value))]);
    expect(send("red")).toMatchObject({ parent: "u2", rest: [] });
    expect(send("red").late).toEqual([]);
    expect(send("blue")).toMatchObject({ parent: "u2", rest: [], late: [{ requestId: "q1", isAnswered: true }] });
  });

  it("takes what a client adds to an answer as new: its word on an approval, and results of its own tools", () => {
    const waiting = chain(
      hello,
      said("r1", "r1", call("c1"), call("c2"), { type: "approval-request", requestId: "q1", callId: "c1" }),
    );
    const approval: Part = { type: "approval-response", requestId: "q1", approved: true };
    const sent = [hello, said("r1", "r1", call("c1"), call("c2")), tool("r1:1", "r1", approval, result("c2", "mine"))];
    const found = matchHistory(waiting, sent);
    expect(found.parent).toBe("r1");
    expect(found.rest).toEqual([tool("r1:1", "r1", approval, result("c2", "mine"))]);
  });

  it("follows the branch that the client is on, whichever counts for the server", () => {
    const branched: Message[] = [
      ...stored,
      { ...said("r3", "r3", text("Hi.")), parent: "u1" },
      { ...user("u9", text("And now?")), parent: "r3" },
    ];
    expect(matchHistory(branched, [hello, said("r3", "r3", text("Hi.")), user("q", text("And now?"))]).parent).toBe(
      "u9",
    );
    expect(matchHistory(branched, [hello, said("a", "a", text("Hi.")), user("q", text("New"))])).toMatchObject({
      parent: "r3",
    });
  });

  it("prefers, among branches that say the same, the one of the client's id, else the newest", () => {
    const twins: Message[] = [
      { ...hello, parent: null },
      { ...said("r1", "r1", text("Hi.")), parent: "u1" },
      { ...said("r2", "r2", text("Hi.")), parent: "u1" },
    ];
    expect(matchHistory(twins, [hello, said("r1", "r1", text("Hi."))]).parent).toBe("r1");
    expect(matchHistory(twins, [hello, said("x", "x", text("Hi."))]).parent).toBe("r2");
  });
});
