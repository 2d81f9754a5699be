import { sdkResponse } from "@translogue/testkit/responses-oracle";
import {
  accumulate,
  check,
  type Event,
  emit,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
} from "translogue";
import { type Codec, encode, streamDecoder, streamEncoder, transcode } from "translogue/convert";
import { langchain } from "translogue/langchain";
import { langchainEvents } from "translogue/langchain-events";
import { openaiChat } from "translogue/openai-chat";
import { openaiResponses } from "translogue/openai-responses";
import { describe, expect, test } from "vitest";
import { body, codes, heard, message, readAnswer, said, seal, text } from "./openai-responses-values.ts";

const at = (index: number, item: string) => ({ output_index: index, item_id: item });
const created = (more: JsonObject = {}): Json => ({
  type: "response.created",
  response: body([], { status: "in_progress", ...more }),
});
const completed = (output: readonly Json[], more: JsonObject = {}): Json => ({
  type: "response.completed",
  response: body(output, more),
});
const added = (index: number, item: JsonObject): Json => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
const done = (index: number, item: JsonObject): Json => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
const delta = (words: string, index = 0, item = "msg_1"): JsonObject => ({
  type: "response.output_text.delta",
  ...at(index, item),
  content_index: 0,
  delta: words,
  logprobs: [],
});
const begun = message("", { status: "in_progress", content: [] });
const part = { type: "output_text", text: "", annotations: [] };
const partAdded: JsonObject = { type: "response.content_part.added", ...at(0, "msg_1"), content_index: 0, part };
const args = (words: string, index: number): Json => ({
  type: "response.function_call_arguments.delta",
  ...at(index, `fc_${index}`),
  delta: words,
});
const call = (index: number, input: string, status = "completed"): JsonObject => ({
  id: `fc_${index}`,
  type: "function_call",
  status,
  call_id: `c${index}`,
  name: "f",
  arguments: input,
});

describe("a stream is the answer that it holds, however it comes", () => {
  const whole = [message("Hello.")];
  test.each<[name: string, events: readonly Json[]]>([
    [
      "with all events",
      [created(), added(0, begun), partAdded, delta("Hel"), delta("lo."), done(0, message("Hello.")), completed(whole)],
    ],
    ["without deltas", [created(), added(0, begun), done(0, message("Hello.")), completed(whole)]],
    [
      "with the text at its end only",
      [
        created(),
        added(0, begun),
        { type: "response.output_text.done", ...at(0, "msg_1"), content_index: 0, text: "Hello." },
        completed(whole),
      ],
    ],
    ["without announcements", [created(), delta("Hello."), completed(whole)]],
    [
      "without indexes",
      [
        created(),
        { type: "response.output_item.added", item: begun },
        { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello." },
        completed(whole),
      ],
    ],
    ["with indexes that have gaps", [created(), added(4, begun), delta("Hello.", 4), completed(whole)]],
    [
      "whose content is counted on from item to item",
      [
        created(),
        added(0, begun),
        { ...partAdded, content_index: 3 },
        { ...delta("Hello."), content_index: 3 },
        done(0, message("Hello.")),
        completed(whole),
      ],
    ],
    ["with another text at the end", [created(), added(0, begun), partAdded, delta("Hullo."), completed(whole)]],
    [
      "with ids that change",
      [created(), added(0, { ...begun, id: "a" }), delta("Hello.", 0, "b"), completed(whole, { id: "resp_9" })],
    ],
    [
      "of an answer that repeats nothing",
      [created(), added(0, begun), delta("Hello."), done(0, message("Hello.")), completed([])],
    ],
    ["whose items are not told at all", [created(), completed(whole)]],
  ])("%s", (_, events) => {
    const last = events.at(-1) as { readonly response: JsonObject }; // the completion
    expect(heard(events)).toEqual(readAnswer({ ...last.response, output: whole }));
  });

  test("content that is counted on from item to item is said once", () => {
    const events = [created(), added(0, begun), { ...delta("Hello."), content_index: 3 }, completed(whole)];
    const kinds = runAll(streamDecoder(openaiResponses), events).map(({ type }) => type);
    expect(kinds.filter(type => type === "message-start" || type === "part")).toEqual(["message-start"]);
  });

  test("texts, reasoning and arguments in any interleaving; what is known late is set late (E3)", () => {
    const reasoning = { id: "rs_0", type: "reasoning", summary: [{ type: "summary_text", text: "ab" }] };
    const output = [{ ...reasoning, encrypted_content: "E" }, call(1, '{"a":1}'), call(2, "{}")];
    const summary = (words: string): Json => ({
      type: "response.reasoning_summary_text.delta",
      ...at(0, "rs_0"),
      summary_index: 0,
      delta: words,
    });
    const events = [
      created(),
      added(0, { ...reasoning, summary: [] }),
      summary("a"),
      added(1, call(1, "", "in_progress")),
      args('{"a":', 1),
      added(2, call(2, "", "in_progress")),
      summary("b"),
      args("{}", 2),
      args("1}", 1),
      done(2, call(2, "{}")),
      done(1, call(1, '{"a":1}')),
      done(0, reasoning),
      completed(output),
    ];
    expect(heard(events)).toEqual(readAnswer(body(output)));
    const deltas = runAll(streamDecoder(openaiResponses), events).filter(({ type }) => type === "part-delta");
    expect(deltas.map(event => event.type === "part-delta" && event.text)).toEqual(["a", '{"a":', "b", "{}", "1}"]);
  });

  test("code arrives as the text of its call's input, even where a character is cut in two", () => {
    const item = {
      id: "ci_0",
      type: "code_interpreter_call",
      status: "completed",
      code: 'say("😀")\n',
      container_id: "k",
      outputs: [],
    };
    const code = (words: string): Json => ({
      type: "response.code_interpreter_call_code.delta",
      ...at(0, "ci_0"),
      delta: words,
    });
    const events = [
      created(),
      added(0, { ...item, code: "", status: "in_progress" }),
      code('say("\ud83d'),
      code('\ude00")\n'),
      completed([item]),
    ];
    expect(heard(events)).toEqual(readAnswer(body([item])));
  });

  test("each annotation is a citation as it comes", () => {
    const annotation = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 };
    const item = message("a", { content: [{ type: "output_text", text: "a", annotations: [annotation] }] });
    const events = [
      created(),
      added(0, begun),
      partAdded,
      delta("a"),
      {
        type: "response.output_text.annotation.added",
        ...at(0, "msg_1"),
        content_index: 0,
        annotation_index: 0,
        annotation,
      },
    ];
    const read = runAll(streamDecoder(openaiResponses), events);
    expect(read.at(-1)).toMatchObject({ type: "citation", citation: { url: "u" } });
    expect(heard([...events, completed([item])])).toEqual(readAnswer(body([item])));
  });

  test("several answers in one stream are several messages", () => {
    const second = { id: "resp_2" };
    const events = [
      created(),
      delta("a"),
      completed([message("a")]),
      created(second),
      delta("b"),
      completed([message("b")], second),
    ];
    expect(heard(events).map(({ responseId }) => responseId)).toEqual(["resp_1", "resp_2"]);
  });
});

describe("an end that is not a success", () => {
  const open = [created(), added(0, begun), partAdded, delta("Hel")];

  test("a stream that is cut leaves an unfinished message with an open part (R25)", () => {
    const [first] = heard(open);
    expect(first).toMatchObject({ finish: { reason: "incomplete" }, parts: [{ text: "Hel", partial: true }] });
  });

  const sse = (events: readonly Json[]): Uint8Array =>
    new TextEncoder().encode(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const passed = (bytes: Uint8Array, to: Codec) => {
    const machine = transcode({ from: openaiResponses, to });
    const text = [...machine.push(bytes), ...machine.end()].map(each => new TextDecoder().decode(each)).join("");
    return { text, issues: machine.issues.map(({ code }) => code), losses: codes(machine.losses) };
  };

  test("bytes that break off are followed by an error, and whole ones by nothing (R25)", () => {
    const cut = sse([created(), delta("Hel")]);
    const broken = passed(cut, openaiResponses);
    expect(broken.text.startsWith(new TextDecoder().decode(cut))).toBe(true);
    expect(broken.text).toMatch(/event: response\.failed\ndata: .*"stream\/cut"/);
    expect(broken.issues).toEqual(["stream/cut"]);
    const inFrame = passed(cut.subarray(0, -20), openaiResponses);
    expect(inFrame.text).toMatch(/\n\nevent: response\.failed\n/);
    const whole = sse([created(), delta("Hel"), completed([message("Hel")])]);
    expect(passed(whole, openaiResponses)).toEqual({ text: new TextDecoder().decode(whole), issues: [], losses: [] });
  });

  test.each([langchain, langchainEvents])("readers of $id see that it broke off", to => {
    const { text, issues, losses } = passed(sse([created(), delta("Hel")]), to);
    expect(text).toMatch(/"finish_reason":"error"|"event":"error"/);
    expect(issues).toEqual(["stream/cut"]);
    expect(losses).not.toContain("no-block");
  });

  test("an incomplete answer says why, and its last part is open", () => {
    const item = message("Hel", { status: "incomplete" });
    const response = body([item], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(heard([...open, done(0, item), { type: "response.incomplete", response }])).toEqual(readAnswer(response));
  });

  test.each<[name: string, output: readonly Json[]]>([
    ["lists nothing", []],
    ["lists it", [call(0, '{"x":1}')]],
  ])("a call of whose end nobody tells is whole once its answer is completed: the end %s", (_, output) => {
    const said = { type: "response.function_call_arguments.done", ...at(0, "fc_0"), arguments: '{"x":1}' };
    const events = [created(), added(0, call(0, "", "in_progress")), said, completed(output)];
    expect(heard(events)).toEqual(readAnswer(body([call(0, '{"x":1}')])));
  });

  test("a failed answer is what it holds, and its error is told once", () => {
    const response = body([], { status: "failed", error: { code: "e", message: "m" } });
    const error = { type: "error", error: { code: "e", message: "m", type: "t", param: null } };
    const events = runAll(streamDecoder(openaiResponses), [created(), error, { type: "response.failed", response }]);
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(accumulate(events)).toEqual(readAnswer(response));
  });

  test.each<[name: string, error: JsonObject]>([
    ["flat, as it is declared", { type: "error", code: "e", message: "m", param: null, sequence_number: 1 }],
    ["in a member, as it is sent", { type: "error", error: { code: "e", message: "m" } }],
  ])("an error that ends the stream, %s", (_, error) => {
    const [first] = heard([...open, error]);
    expect(first?.finish).toEqual({ reason: "error" });
    expect(said(first ? [first] : []).at(-1)).toEqual({ type: "error", message: "m", code: "e" });
  });

  test("every prefix gives valid messages", () => {
    const events = [...open, delta("lo."), done(0, message("Hello.")), completed([message("Hello.")])];
    for (let length = 0; length <= events.length; length++) {
      expect(check({ messages: heard(events.slice(0, length)) })).toEqual([]);
    }
  });

  test("an event that nobody knows is reported and passed over", () => {
    const decoder = streamDecoder(openaiResponses);
    const read = accumulate(runAll(decoder, [created(), { type: "response.moon.rises" }, completed([message("a")])]));
    expect(read).toEqual(readAnswer(body([message("a")])));
    expect(decoder.issues.map(({ code }) => code)).toEqual(["unknown-event"]);
  });
});

describe("a stream that is written", () => {
  const head = {
    role: "assistant",
    responseId: "resp_1",
    model: "gpt-5.4",
    createdAt: "2026-09-21T14:13:20Z",
  } as const;
  const searched: readonly Part[] = [
    {
      type: "tool-call",
      callId: "ws_1",
      name: "web_search",
      kind: "web-search",
      executedBy: "provider",
      input: { type: "search", query: "q" },
    },
    { type: "tool-result", callId: "ws_1", output: [{ type: "source", url: "https://a" }] },
  ];
  const cases: readonly [name: string, message: Message][] = [
    ["text", { ...head, finish: { reason: "stop" }, parts: [text("a")] }],
    [
      "texts of two phases",
      {
        ...head,
        finish: { reason: "stop" },
        parts: [{ ...text("a"), phase: "commentary" } as Part, { ...text("b"), phase: "final" } as Part],
      },
    ],
    [
      "a citation",
      {
        ...head,
        finish: { reason: "stop" },
        parts: [{ type: "text", text: "ab", citations: [{ url: "u", title: "t", start: 0, end: 1 }] }],
      },
    ],
    [
      "reasoning and calls",
      {
        ...head,
        finish: { reason: "tool-calls" },
        usage: { input: 1, cacheRead: 0, output: 2, reasoning: 1 },
        parts: [
          { type: "reasoning", text: "s", summary: true, seal: seal({ id: "rs_1" }) },
          { type: "reasoning", text: "c", seal: seal({ id: "rs_1", encrypted_content: "E" }) },
          { type: "reasoning", seal: seal({ id: "rs_2", encrypted_content: "E" }) },
          { type: "tool-call", callId: "c", name: "f", input: { a: 1 }, seal: seal({ id: "fc_1" }) },
          { type: "tool-call", callId: "d", name: "g", kind: "custom", input: "free" },
        ],
      },
    ],
    ["a provider's tool", { ...head, finish: { reason: "stop" }, parts: [...searched, text("a")] }],
    ["a refusal", { ...head, finish: { reason: "refusal" }, parts: [{ type: "refusal", text: "no" }] }],
    [
      "an answer cut by its length",
      { ...head, finish: { reason: "length" }, parts: [{ ...text("a"), partial: true } as Part] },
    ],
    ["nothing", { ...head, finish: { reason: "stop" }, parts: [] }],
  ];

  /** Without what the SDK adds to what its types declare of the wire. */
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, member) =>
      ["output_text", "parsed", "parsed_arguments"].includes(key) || member === null ? undefined : (member as Json),
    ); // JSON

  test.each(cases)(
    "of %s is, for the official SDK, the answer written whole, and reads as it was",
    async (_, answer) => {
      const events = emit([answer]);
      const wire = runAll(streamEncoder(openaiResponses), events);
      const { value } = encode(openaiResponses, { messages: [answer] }, { shape: "answer" });
      expect(plain(await sdkResponse(wire))).toEqual(plain(value));
      expect(heard(wire)).toEqual([answer]);
    },
  );

  test("numbers its events, names them, and gives each text as it comes", () => {
    const encoder = streamEncoder(openaiResponses);
    const wire = runAll(
      encoder,
      emit([{ ...head, finish: { reason: "stop" }, parts: [text("a")] }]),
    ) as readonly JsonObject[];
    expect(wire.map(event => event["sequence_number"])).toEqual(wire.map((_, index) => index));
    expect(wire.map(event => event["type"])).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(openaiResponses.stream?.eventName?.(wire[0] ?? null)).toBe("response.created");
  });

  test("a stream that was cut is not ended", () => {
    const events: readonly Event[] = emit([{ ...head, parts: [text("a")] }]).slice(0, -2);
    const wire = runAll(streamEncoder(openaiResponses), events) as readonly JsonObject[];
    expect(wire.at(-1)).toMatchObject({ type: "response.output_text.delta" });
    expect(heard(wire)).toMatchObject([{ finish: { reason: "incomplete" }, parts: [{ partial: true }] }]);
  });

  test("an error after the beginning is a failed answer, one before it an error", () => {
    const error: Event = { type: "error", error: { message: "m", code: "e" } };
    const begun = emit([{ ...head, parts: [text("a")] }]).slice(0, -1);
    expect(runAll(streamEncoder(openaiResponses), [...begun, error]).at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "e", message: "m" } },
    });
    expect(runAll(streamEncoder(openaiResponses), [error])).toEqual([
      { type: "error", code: "e", message: "m", param: null, sequence_number: 0 },
    ]);
  });

  test("a message that starts over leaves what is out, and says so (E9)", () => {
    const encoder = streamEncoder(openaiResponses);
    const once = emit([{ ...head, finish: { reason: "stop" }, parts: [text("a")] }]);
    runAll(encoder, [...once.slice(0, -2), ...once]);
    expect(codes(encoder.losses)).toContain("already-sent");
  });
});

test("a Chat stream becomes one that the official SDK reads as the same answer", async () => {
  const chunk = (choice: JsonObject): Json => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1790000000,
    model: "gpt-5.4",
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  });
  const tool = { index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a":' } };
  const chunks = [
    chunk({ delta: { role: "assistant", content: "Let me" } }),
    chunk({ delta: { content: " see." } }),
    chunk({ delta: { tool_calls: [tool] } }),
    chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: "1}" } }] } }),
    chunk({ finish_reason: "tool_calls" }),
  ];
  const bytes = new TextEncoder().encode(
    [...chunks.map(each => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"].join(""),
  );
  const written = runAll(transcode({ from: openaiChat, to: openaiResponses }), [bytes]);
  const lines = new TextDecoder()
    .decode(Buffer.concat(written))
    .split("\n")
    .filter(line => line.startsWith("data: "));
  const response = await sdkResponse(lines.map(line => JSON.parse(line.slice(6)) as Json)); // JSON.parse gives JSON
  expect(response).toMatchObject({
    id: "chatcmpl-1",
    status: "completed",
    output: [
      { type: "message", content: [{ text: "Let me see." }] },
      { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' },
    ],
  });
});
