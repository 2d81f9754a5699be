import {
  assistant,
  type Conversation,
  convert as convertById,
  decode as decodeById,
  detect,
  encode as encodeById,
  type Message,
  parseJson,
  reasoning,
  runAll,
  text,
  toolCall,
  toolResult,
  transcode,
  user,
} from "translogue";
import { type Codec, defineCodec, type Holds, type PartHolds, unsupported } from "translogue/codec";
import { convert, decode, encode } from "translogue/convert";
import { describe, expect, test } from "vitest";

const no = unsupported("no place");
const parts: PartHolds = {
  text: ["text", "seal"],
  reasoning: ["text", "seal"],
  refusal: no,
  file: no,
  "tool-call": no,
  "tool-result": ["callId", "output", "structured"],
  "approval-request": no,
  "approval-response": no,
  "input-request": no,
  "input-response": no,
  source: no,
  data: no,
  error: no,
  change: no,
  compaction: no,
  opaque: ["family", "value"],
};
const holds: Holds = {
  conversation: ["title"],
  message: ["id"],
  parts,
  citation: [],
  tool: [],
  settings: [],
  usage: [],
  families: ["own"],
};

/** Writes the conversation itself, and complains about every text. */
const plain = defineCodec<Conversation>({
  id: "plain",
  title: "Plain",
  spec: "https://example.com",
  shapes: ["messages", "request"],
  dialects: ["plain", "other"],
  losses: { text: { kind: "approximated", note: "texts are noted" } },
  holds: () => holds,
  isHome: seal => seal.maker === "own",
  sniff: () => [{ shape: "messages", confidence: 0.5, keys: [] }],
  decode: value => value as Conversation, // it was written by this codec
  encode(conversation, context) {
    conversation.messages.forEach((message, index) => {
      message.parts.forEach((part, place) => {
        if (part.type === "text") context.lose("text", ["messages", index, "parts", place]);
      });
    });
    return conversation;
  },
});

const paths = (losses: readonly { readonly code: string; readonly path: readonly (string | number)[] }[]): string[] =>
  losses.map(({ code, path }) => `${code} ${path.join(".")}`);

describe("what a format does not hold", () => {
  test("is taken out before the encoder sees it, and each piece is a loss with its path", () => {
    const conversation: Conversation = {
      title: "t",
      model: "m",
      messages: [{ ...assistant([text("a", { phase: "final" }), toolCall({ callId: "1", name: "f" })]), model: "x" }],
    };
    const { value, losses } = encode(plain, conversation);
    expect(value).toEqual({ title: "t", messages: [{ role: "assistant", parts: [{ type: "text", text: "a" }] }] });
    expect(paths(losses)).toEqual([
      "conversation.model model",
      "message.model messages.0.model",
      "text.phase messages.0.parts.0.phase",
      "tool-call messages.0.parts.1",
      "text messages.0.parts.0",
    ]);
  });

  test("leaves what needs nothing as the very same object", () => {
    const conversation = { messages: [assistant("a"), user("b")] };
    expect(encode(plain, conversation).value).toBe(conversation);
  });

  test("is named by its place in the conversation given, even after parts before it were taken out", () => {
    const call = toolCall({ callId: "1", name: "f" });
    const { losses } = encode(plain, { messages: [assistant([call, call, text("x"), call, text("y")])] });
    expect(paths(losses).filter(path => path.startsWith("text "))).toEqual([
      "text messages.0.parts.2",
      "text messages.0.parts.4",
    ]);
  });

  test("is a loss inside a tool's output too", () => {
    const result = toolResult("1", [text("a"), { type: "data", data: 1 }]);
    expect(paths(encode(plain, { messages: [{ role: "tool", parts: [result] }] }).losses)).toEqual([
      "data messages.0.parts.0.output.1",
    ]);
  });

  test("of another family is dropped, each member with a loss of its own, unless it says nothing", () => {
    const other = { y: 1, z: 2, $$members: { $z: 3 } };
    const said = text("a", { native: { own: { x: 1 }, other, third: { $hint: 1, nothing: null } } });
    const { value, losses } = encode(plain, { messages: [user(said)] });
    expect(value.messages[0]?.parts[0]?.native).toEqual({ own: { x: 1 } });
    expect(paths(losses).slice(0, -1)).toEqual([
      "text.native messages.0.parts.0.native.other.y",
      "text.native messages.0.parts.0.native.other.z",
      "text.native messages.0.parts.0.native.other.$$members.$z",
    ]);
  });

  test("an opaque piece goes to its own family only", () => {
    const opaque = (family: string): Conversation => ({ messages: [assistant({ type: "opaque", family, value: 1 })] });
    expect(encode(plain, opaque("own")).losses).toEqual([]);
    expect(paths(encode(plain, opaque("other")).losses)).toEqual(["opaque messages.0.parts.0"]);
  });
});

describe("a provider", () => {
  const sealed = (maker: string): Conversation => ({
    messages: [
      assistant([
        reasoning(undefined, { seal: { maker, values: { data: "x" } } }),
        text("a", { seal: { maker, values: { id: "y" } } }),
      ]),
    ],
  });

  test("gets the seals whose home it is, and nobody else's; a part that was only a seal goes with it", () => {
    expect(encode(plain, sealed("own"), { recipient: "provider" }).value).toEqual(sealed("own"));
    const { value, losses } = encode(plain, sealed("other"), { recipient: "provider" });
    expect(value.messages[0]?.parts).toEqual([text("a")]);
    expect(paths(losses).slice(0, 2)).toEqual([
      "foreign-seal messages.0.parts.0.seal",
      "foreign-seal messages.0.parts.1.seal",
    ]);
    expect(paths(losses)).toContain("text messages.0.parts.1");
  });

  test.each(["client", "store"] as const)("is not a %s, which gets all of them", recipient => {
    expect(encode(plain, sealed("other"), { recipient }).value).toEqual(sealed("other"));
  });

  test("gets no face of a result that is for programs or people", () => {
    const result = toolResult("1", "for the model", { structured: { secret: 1 }, display: [text("picture")] });
    const { value, losses } = encode(
      plain,
      { messages: [{ role: "tool", parts: [result] }] },
      { recipient: "provider" },
    );
    expect(JSON.stringify(value)).not.toMatch(/secret|picture/);
    expect(paths(losses)).toEqual([
      "tool-result.structured messages.0.parts.0.structured",
      "tool-result.display messages.0.parts.0.display",
    ]);
  });

  test("reads the context: other branches stay behind, each with a loss, and later paths still lead into the whole", () => {
    const tree: Conversation = {
      head: "c",
      messages: [
        { ...user("hi"), id: "a", parent: null },
        { ...assistant("other"), id: "b", parent: "a" },
        { ...assistant("this"), id: "c", parent: "a" },
      ],
    };
    const { value, losses } = encode(plain, tree, { recipient: "provider" });
    expect(value.messages.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(paths(losses)).toEqual(expect.arrayContaining(["out-of-context messages.1", "text messages.2.parts.0"]));
  });

  test("leads into the whole where something stays behind and a seal stays home too", () => {
    const signed: Message = {
      role: "assistant",
      parts: [{ type: "text", text: "a", seal: { maker: "x", values: {} } }],
    };
    const messages = [{ ...user("not for a model"), audience: "user" } as const, signed];
    const { losses } = encode(plain, { messages }, { recipient: "provider" });
    expect(paths(losses)).toContain("text messages.1.parts.0");
  });
});

describe("shapes, recipients and dialects", () => {
  test.each([
    ["request", "provider"],
    ["messages", "client"],
  ] as const)("a %s is written for a %s by default", (shape, recipient) => {
    let seen: unknown;
    const spy: Codec<Conversation> = {
      ...plain,
      encode(conversation, context) {
        seen = context.recipient;
        return conversation;
      },
    };
    encode(spy, { messages: [] }, { shape });
    expect(seen).toBe(recipient);
  });

  test("a shape that a format lacks becomes the nearest that it has, or a clear error", () => {
    expect(encode(plain, { messages: [] }, { shape: "answer" }).value).toEqual({ messages: [] });
    expect(() => encode(plain, { messages: [] }, { shape: "stream" })).toThrow(
      /has no shape `stream`.*it has `messages`, `request`/,
    );
  });

  test("an undeclared loss is a fault of the codec, and is not passed over", () => {
    const faulty: Codec<Conversation> = { ...plain, losses: {} };
    expect(() => encode(faulty, { messages: [user("x")] })).toThrow(/lacks/);
  });

  test("a conversion between two codecs reports the losses of both ways and the issues of reading", () => {
    const grumbling: Codec = {
      ...plain,
      decode(value, context) {
        context.issue("odd", ["messages"], "odd");
        context.lose("text", ["title"]);
        return value as Conversation; // it was written by the other codec
      },
    };
    const { losses, issues } = convert({ messages: [user("x")] }, { from: grumbling, to: plain });
    expect(paths(losses)).toEqual(["text title", "text messages.0.parts.0"]);
    expect(issues.map(({ code }) => code)).toEqual(["odd"]);
  });

  test.each([
    ['{"messages":[],"seed":12345678901234567890}', ["seed"]],
    ['{"messages":[],"list":[0.1000000000000000000001]}', ["list.0"]],
    ['{"messages":[],"seed":1.0,"other":1e2}', []],
  ])("a number that JavaScript cannot hold is an issue where nothing keeps its spelling: %s", (text, places) => {
    const { value, exact } = parseJson(text);
    const { messages } = value as unknown as Conversation; // as written above
    const reading: Codec = { ...plain, decode: () => ({ messages }) };
    const { issues } = decode(reading, value, { exact });
    expect(issues.map(({ code, wirePath }) => [code, wirePath?.join(".")])).toEqual(
      places.map(place => ["rounded-number", place]),
    );
  });

  test("a value nested beyond any stack is an error that says so", () => {
    const deep: Codec = {
      ...plain,
      decode() {
        const recurse = (): Conversation => recurse();
        return recurse();
      },
    };
    expect(() => decode(deep, {})).toThrow(/nested deeper/);
  });
});

describe("a stream that is transcoded", () => {
  const bytes = (...events: object[]): Uint8Array =>
    new TextEncoder().encode(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const transcoded = (from: "openai-chat" | "ai-sdk-ui:v7", to: "openai-chat" | "ai-sdk-ui:v7", input: Uint8Array) => {
    const machine = transcode(from, to);
    const text = new TextDecoder().decode(Buffer.concat(runAll(machine, [input])));
    return { text, issues: machine.issues.map(({ code }) => code) };
  };

  test.each<[name: string, from: "openai-chat" | "ai-sdk-ui:v7", input: Uint8Array, code: string]>([
    ["was cut", "openai-chat", bytes(chunk({ role: "assistant", content: "I was" })), "stream/cut"],
    [
      "was cut in the SDK's form",
      "ai-sdk-ui:v7",
      bytes({ type: "start" }, { type: "text-start", id: "0" }),
      "stream/cut",
    ],
    ["is no stream", "openai-chat", new TextEncoder().encode("<html>"), "stream/cut"],
    ["is empty", "ai-sdk-ui:v7", new Uint8Array(), "stream/nothing"],
  ])("and %s ends in an error for whoever reads on, and in an issue", (_, from, input, code) => {
    const { text, issues } = transcoded(from, from === "openai-chat" ? "ai-sdk-ui:v7" : "openai-chat", input);
    expect(text).toMatch(/"error"|"errorText"/);
    expect(issues).toContain(code);
  });

  test("and was whole has neither", () => {
    const { text, issues } = transcoded(
      "openai-chat",
      "ai-sdk-ui:v7",
      bytes(chunk({ content: "Hi" }), chunk({}, "stop")),
    );
    expect(text).not.toContain("error");
    expect(issues).toEqual([]);
  });

  test("leaves in one piece where it came in one", () => {
    const machine = transcode("openai-chat", "ai-sdk-ui:v7");
    const pieces = machine.push(bytes(chunk({ content: "a" }), chunk({ content: "b" }), chunk({ content: "c" })));
    expect(pieces.map(piece => new TextDecoder().decode(piece).match(/"delta":"."/g))).toEqual([
      ['"delta":"a"', '"delta":"b"', '"delta":"c"'],
    ]);
  });

  test("into its own format passes through byte for byte", () => {
    const chunk =
      '{"id":"a", "object":"chat.completion.chunk","created" : 1.0,"model":"m","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}';
    const input = new TextEncoder().encode(`: a comment\r\ndata:  ${chunk}\r\n\r\ndata: [DONE]\r\n\r\n`);
    const machine = transcode("openai-chat", "openai-chat");
    expect(Buffer.concat(runAll(machine, [input]))).toEqual(Buffer.from(input));
  });

  test("into its own format passes through up to where it breaks off, and there an error follows", () => {
    const input = new TextEncoder().encode(': a comment\r\ndata:  {"x" : 1.0}\r\n\r\n');
    const machine = transcode("openai-chat", "openai-chat");
    const output = Buffer.concat(runAll(machine, [input]));
    expect(output.subarray(0, input.length)).toEqual(Buffer.from(input));
    expect(output.subarray(input.length).toString()).toContain('"error"');
    expect(machine.issues.map(({ code }) => code)).toContain("stream/cut");
  });
});

describe("what a carry may not do", () => {
  const lossy: Conversation = { messages: [{ ...user("hi"), id: "a", author: { name: "Ann" } }] };

  test("is reach a decoder that does not believe it", () => {
    const { value } = encodeById(lossy, { to: "openai-chat", carry: true });
    expect(decodeById(value, "openai-chat").conversation).toEqual(lossy);
    const strange = decodeById(value, { from: "openai-chat", carry: false }).conversation;
    expect(strange.messages[0]?.id).toBeUndefined();
  });

  test("is change an object of the caller's", () => {
    const value = [{ id: "x", role: "user", content: "hi" }];
    const before = structuredClone(value);
    convertById(value, { from: "ai-sdk-ui:v7", shape: "messages", to: "huajuan", carry: true });
    expect(value).toEqual(before);
  });

  test("is stand where nothing was lost", () => {
    const answer = {
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    expect(convertById(answer, { from: "openai-chat", to: "openai-chat", carry: true }).value).toEqual(answer);
  });

  test("is take time that grows faster than the history", () => {
    const run = (pairs: number): Conversation => ({
      messages: Array.from({ length: pairs }, (_, index) => [
        { ...assistant(toolCall({ callId: `c${index}`, name: "f", input: {} })), run: "r", model: "m" },
        { role: "tool", run: "r", parts: [toolResult(`c${index}`, "ok", { name: "f" })] },
      ]).flat(),
    });
    const { value } = encodeById(run(3000), { to: "ai-sdk-ui:v7", carry: true, recipient: "store" });
    expect(decodeById(value, "ai-sdk-ui:v7").conversation).toEqual(run(3000));
  });
});

test.each(["ai-sdk-ui", "huajuan", "lighter", "openai-chat"] as const)(
  "an empty history of %s is an empty history",
  format => {
    expect(decodeById([], format).conversation).toEqual({ messages: [] });
  },
);

test("a recipient that there is not is refused, and not taken for one that gets everything", () => {
  const wrong = "Provider" as "provider"; // what JavaScript lets through
  expect(() => encodeById({ messages: [] }, { to: "openai-chat", recipient: wrong })).toThrow(
    /no recipient `Provider`/,
  );
});

test("a value of no format is detected as none", () => {
  expect(
    detect({
      anthropic_version: "x",
      max_tokens: 1,
      messages: [{ role: "user", content: [{ type: "text", text: "x" }] }],
    }).every(({ confidence }) => confidence > 0),
  ).toBe(true);
  expect(detect({ hello: 1 })).toEqual([]);
});

test.each([
  ["openai-chta", /no format `openai-chta`; did you mean `openai-chat`\? There are ai-sdk-model, /],
  ["xml", /no format `xml`\. There are /],
  ["ai-sdk-ui:v9", /no dialect `v9`; it has v5, v6, v7, v4/],
])("a format that there is not is named, with those there are: %s", (ref, message) => {
  expect(() => decodeById([], ref as "lighter")).toThrow(message); // what JavaScript lets through
});
