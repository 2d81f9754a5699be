import {
  accumulate,
  type Conversation,
  decode,
  emit,
  encode,
  type FormatId,
  findFormat,
  formats,
  isJsonObject,
  type Json,
  type Message,
  type Part,
  pairResults,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

/** Calls that were read without ids, and results that an agent made for them: they pair again wherever they are written (R8, R9). */

type Call = Part & { readonly type: "tool-call" };

const ids = formats.map(({ id }) => id as FormatId); // all of the registry
const asked: Conversation = {
  messages: [
    { role: "user", parts: [{ type: "text", text: "q" }] },
    {
      role: "assistant",
      parts: [
        { type: "tool-call", callId: "c_1", name: "f", input: { a: 1 } },
        { type: "tool-call", callId: "c_2", name: "g", input: { a: 2 } },
      ],
    },
  ],
};

/** The wire with `spelling` for the ids of the calls; undefined takes their members out. */
function withoutIds(wire: Json, spelling: Json | undefined): Json {
  if (Array.isArray(wire)) return wire.map((item: Json) => withoutIds(item, spelling));
  if (!isJsonObject(wire)) return wire;
  const members = Object.entries(wire).map(([key, value]): readonly [string, Json | undefined] =>
    value === "c_1" || value === "c_2" ? [key, spelling] : [key, withoutIds(value, spelling)],
  );
  return Object.fromEntries(members.filter((member): member is [string, Json] => member[1] !== undefined));
}

/** The calls as a format reads them, where it makes ids for those that have none. */
function callsOf(from: FormatId, spelling: Json | undefined): readonly Call[] {
  try {
    const wire = encode(asked, { to: from, shape: "messages" }).value as Json; // whole values are JSON
    const { messages } = decode(withoutIds(wire, spelling), { from, shape: "messages" }).conversation;
    const calls = messages.flatMap(({ parts }) => parts.filter((part): part is Call => part.type === "tool-call"));
    return calls.every(({ callId }) => callId.startsWith("~")) ? calls : [];
  } catch {
    return []; // a format that has no list of messages, or refuses such a call
  }
}

const resultOf = ({ callId, name }: Call, text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name, output: [{ type: "text", text }] }],
});

const answered = (calls: readonly Call[]): Message[] => [
  { role: "assistant", parts: [{ type: "text", text: "hm" }] },
  { role: "user", parts: [{ type: "text", text: "go on" }] },
  { role: "assistant", parts: calls },
  ...calls.map(call => resultOf(call, `of ${call.name}`)).reverse(),
  { role: "assistant", parts: [{ type: "text", text: "done" }] },
];

/** The tool of the call that each result answers, and what the result says. */
const pairsOf = (messages: readonly Message[]): string[] =>
  [...pairResults(messages)]
    .map(([{ output }, { name }]) => `${name}: ${/of ./.exec(JSON.stringify(output))?.[0]}`)
    .sort();

const cases = ids.flatMap(from =>
  ([undefined, null, ""] as const).flatMap(spelling => {
    const calls = callsOf(from, spelling);
    return calls.length === 2 ? [[`${from}, id ${JSON.stringify(spelling) ?? "left out"}`, calls] as const] : [];
  }),
);

describe("calls that were read without ids and results that somebody made for them", () => {
  test.each(cases)("pair again in every format: %s", (_, calls) => {
    const messages = answered(calls);
    const read = ids.map(to => {
      const wire = JSON.parse(
        JSON.stringify(encode({ messages }, { to, shape: to === "huajuan" ? "log" : "messages" }).value),
      ); // as stored
      return [to, pairsOf(decode(wire, { from: to }).conversation.messages)];
    });
    expect(read).toEqual(ids.map(to => [to, pairsOf(messages)]));
  });

  // A call of LangChain's streams is out before it is known who answers it, and has the null that its model's own class gives it.
  const streamed = ids.filter(id => !id.startsWith("langchain") && findFormat(id).codec.stream);
  test.each(cases)("pair again in every stream that tells of results: %s", (_, calls) => {
    const messages = answered(calls).filter(({ role }) => role !== "user");
    const told = streamed.flatMap(to => {
      const read = accumulate(runAll(streamDecoder(to), runAll(streamEncoder(to), emit(messages))));
      const hasResults = read.some(({ parts }) => parts.some(({ type }) => type === "tool-result"));
      return hasResults ? [[to, pairsOf(read)] as const] : [];
    });
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual(told.map(([to]) => [to, pairsOf(messages)]));
  });
});
