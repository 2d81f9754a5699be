import {
  accumulate,
  assistant,
  decode,
  emit,
  encode,
  type FormatRef,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
  system,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const plain = { shape: "stream", recipient: "store", carry: false } as const;
const write = (messages: readonly Message[], to: FormatRef) => {
  const { value, losses } = encode({ messages }, { to, ...plain });
  return { records: value as readonly JsonObject[], losses }; // a list of records
};
const read = (records: readonly Json[]): readonly Message[] =>
  decode(records, { from: "langchain-events", shape: "stream" }).conversation.messages;
const said = (messages: readonly Message[]) =>
  messages.map(({ role, parts }) => [role, parts.map(({ native: _, ...part }) => part)]);

const message = (name: string, kwargs: JsonObject): JsonObject => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", name],
  kwargs: { additional_kwargs: {}, response_metadata: {}, ...kwargs },
});
const run = (event: string, run_id: string, data: JsonObject): JsonObject => ({
  event,
  data,
  name: "M",
  tags: [],
  run_id,
  metadata: {},
});
const brief = message("SystemMessage", { content: "Be brief." });
const asked = message("HumanMessage", { content: "Weather?", id: "h1" });
const call = { name: "w", args: {}, id: "c", type: "tool_call" };
const called = (name: string): JsonObject => message(name, { content: "", tool_calls: [call], id: "run-1" });
const result = message("ToolMessage", { content: "sunny", tool_call_id: "c" });

/** A graph's model is given the whole history each time. */
const log = [
  run("on_chain_start", "r0", { input: { messages: [asked] } }),
  run("on_chat_model_start", "r1", { input: { messages: [[brief, asked]] } }),
  run("on_chat_model_end", "r1", { output: called("AIMessageChunk"), input: { messages: [[brief, asked]] } }),
  run("on_tool_end", "r2", { output: result, input: "{}" }),
  run("on_chat_model_start", "r3", { input: { messages: [[brief, asked, called("AIMessage"), result]] } }),
  run("on_chat_model_end", "r3", { output: message("AIMessageChunk", { content: "Sunny.", id: "run-3" }) }),
];

describe("what was put into the runs of a log", () => {
  const messages = read(log);
  const roles = (list: readonly Message[]): readonly string[] => list.map(({ role }) => role);

  test("stands once before what came of it", () => {
    expect(roles(messages)).toEqual(["control", "system", "user", "assistant", "tool", "assistant"]);
    expect(messages[2]).toMatchObject({ id: "h1", parts: [{ text: "Weather?" }] });
  });

  test("stays in its records, where they still read as it", () => {
    expect(write(messages, "langchain-events:v2-js")).toEqual({ records: log, losses: [] });
  });

  test.each<[what: string, edited: readonly Message[], input: readonly JsonObject[]]>([
    ["edited", messages.map(each => (each.role === "user" ? { ...each, ...user("Rain?") } : each)), [brief]],
    ["left out", messages.filter(({ role }) => role !== "system"), []],
  ])("is told anew where it is %s", (_, edited, before) => {
    const { records, losses } = write(edited, "langchain-events:v2-js");
    expect(losses).toEqual([]);
    const [start] = records.filter(({ run_id, event }) => run_id === "r1" && event === "on_chat_model_start");
    const { messages: [input] = [] } = (start as { data: { input: { messages: Json[][] } } }).data.input; // of our writing
    expect(input).toMatchObject([...before, { kwargs: { id: "h1" } }]);
    expect(said(read(records))).toEqual(said(edited));
  });

  test("is read of a model that was called by itself, and of an end without a start", () => {
    const alone = [
      run("on_chat_model_start", "r1", { input: [brief, asked] }),
      run("on_chat_model_end", "r1", { output: called("AIMessageChunk") }),
    ];
    expect(roles(read(alone))).toEqual(["system", "user", "assistant"]);
    expect(roles(read(log.slice(2, 3)))).toEqual(["system", "user", "assistant"]);
  });

  test("is there though nothing came of it", () => {
    const cut = read(log.slice(1, 2));
    expect(roles(cut)).toEqual(["system", "user", "assistant"]);
    expect(cut.at(-1)).toMatchObject({ parts: [], finish: { reason: "incomplete" } });
  });
});

describe.each<FormatRef>(["langchain-events:v2-js", "langchain-events:v2-python"])("a conversation in %s", to => {
  const conversation = [
    system("Be brief."),
    user("Weather?"),
    assistant([toolCall({ callId: "c", name: "w", input: {} })]),
    toolMessage(toolResult("c", "sunny", { name: "w" })),
    assistant("Sunny."),
    user("Thanks."),
    assistant("Welcome."),
  ];

  test("has each message once, and comes back", () => {
    const { records, losses } = write(conversation, to);
    expect(losses).toEqual([]);
    expect(said(read(records))).toEqual(said(conversation));
    expect(JSON.stringify(records).split("Weather?").length).toBe(2);
  });

  test("tells that nobody was there to read the last message", () => {
    const { losses } = write(conversation.slice(0, -1), to);
    expect(losses.map(({ code, path }) => [code, path])).toEqual([["input", ["messages", 5]]]);
  });

  test("streams, and its answers keep what was put in", () => {
    const stream = (messages: readonly Message[]) => runAll(streamEncoder(to, { recipient: "store" }), emit(messages));
    const records = stream(conversation);
    const answers = accumulate(runAll(streamDecoder(to), records));
    expect(answers.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "assistant"]);
    expect(stream(answers)).toEqual(records);
    const sent = streamEncoder(to, { recipient: "provider" });
    runAll(sent, emit(answers));
    expect(sent.losses.map(({ code }) => code)).toEqual(["input", "input"]);
  });
});

test.each(["v2-js", "v2-python"] as const)(
  "a text that is put in unfinished is told as whole, and said so: %s",
  dialect => {
    const open: Message = { role: "user", parts: [{ type: "text", text: "", partial: true }] };
    const { losses } = write([open, { role: "assistant", parts: [] }], `langchain-events:${dialect}`);
    expect(losses).toMatchObject([{ code: "open", path: ["messages", 0, "parts", 0, "partial"] }]);
  },
);
