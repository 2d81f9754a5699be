import { type Conversation, decode, type JsonObject, type Message, type Part, type Path, type Tool } from "translogue";
import type { RuleName } from "translogue/targets";

/** What a target takes, what it refuses, and where the fault is. */
export interface Sample {
  readonly valid: Conversation;
  readonly broken: Conversation;
  /** In `broken`. */
  readonly path: Path;
}

const tools: readonly Tool[] = [{ name: "weather", input: { type: "object" } }];
const of = (...messages: Message[]): Conversation => ({ messages, tools });

export const text = (words: string): Part => ({ type: "text", text: words });
export const user = (...parts: (string | Part)[]): Message => said("user", parts);
export const assistant = (...parts: (string | Part)[]): Message => said("assistant", parts);
const said = (role: string, parts: readonly (string | Part)[]): Message => ({
  role,
  parts: parts.map(part => (typeof part === "string" ? text(part) : part)),
});
export const call = (callId: string, more: object = {}): Part => ({
  type: "tool-call",
  callId,
  name: "weather",
  input: { city: "Paris" },
  ...more,
});
export const results = (...ids: string[]): Message => ({ role: "tool", parts: ids.map(id => result(id)) });
export const result = (callId: string, more: object = {}): Part => ({
  type: "tool-result",
  callId,
  name: "weather",
  output: [text("21 °C")],
  ...more,
});
const image: Part = { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };
const pdf: Part = { type: "file", mediaType: "application/pdf", name: "notes", source: { data: "JVBERi0=" } };
const video = (source: { url: string } | { data: string }): Part => ({ type: "file", mediaType: "video/mp4", source });
const sealed = (maker: string, values: { [name: string]: string } = { signature: "c2VhbGVk" }) => ({
  seal: { maker, values },
});
const thinking = (maker = "anthropic"): Part => ({ type: "reasoning", text: "Ask the tool.", ...sealed(maker) });

/** Ids that every target takes. */
export const [one, two] = ["callAAAA1", "callBBBB2"];
const ask = user("How is the weather in Paris?");
/** A whole tool turn, and its parts. */
const loop = [ask, assistant(call(one)), results(one)];
const done = of(...loop, assistant("21 °C."), user("Thanks."));

const sample = (broken: Conversation, path: Path, valid: Conversation = done): Sample => ({ valid, broken, path });
const ids = (id: string): Sample =>
  sample(of(ask, assistant(call(id)), results(id)), ["messages", 1, "parts", 0, "callId"], of(...loop));
const names = (name: string): Sample =>
  sample(of(ask, assistant(call(one, { name })), results(one)), ["messages", 1, "parts", 0, "name"], of(...loop));
const inResult = (part: Part, valid: Conversation = of(...loop)): Sample =>
  sample(
    of(ask, assistant(call(one)), { role: "tool", parts: [result(one, { output: [part] })] }),
    ["messages", 2, "parts", 0, "output", 0],
    valid,
  );
const fromUser = (part: Part, valid: Part = image): Sample =>
  sample(of(user("Look:", part)), ["messages", 0, "parts", 1], of(user("Look:", valid)));

function fromUserData(part: Part): Sample {
  const { broken, valid } = fromUser(part);
  return { broken, valid, path: ["messages", 0, "parts", 1, "source", "data"] };
}

const audio: Part = { type: "file", mediaType: "audio/mpeg", source: { data: "SUQz" } };
const signed = sealed("google", { thoughtSignature: "c2VhbGVk" });
const reasoningItem: Part = {
  type: "reasoning",
  text: "Think.",
  ...sealed("openai", { id: "rs_1", encrypted_content: "e" }),
};

const kept = (family: string, members: JsonObject, path: Path): Sample =>
  sample(of({ ...user(), native: { [family]: members } }, ask), ["messages", 0, "native", family, ...path]);
const keptType = sample(
  of(ask, assistant({ ...text("Fine."), native: { "openai-responses": { $type: "input_text" } } }), ask),
  ["messages", 1, "parts", 0, "native", "openai-responses", "$type"],
);
const keptArguments = sample(
  of(
    ask,
    assistant({ type: "tool-call", callId: one, name: "weather", native: { gemini: { functionCall: { args: [1] } } } }),
    results(one),
  ),
  ["messages", 1, "parts", 0, "native", "gemini", "functionCall", "args"],
);

/** So many texts up to each of which is to be cached. */
const marked = (count: number): Message =>
  user(...Array.from({ length: count }, (): Part => ({ ...text("Long."), cache: {} }) as Part)); // a text

const search = call("srvtoolu_1", { executedBy: "provider", kind: "web-search" });

/** A text by its bytes, where texts go as text. */
const markdown = sample(
  of(user("Look:", { type: "file", mediaType: "text/markdown", source: { data: "IyBB" } })),
  ["messages", 0, "parts", 1, "source"],
  of(user("Look:", { type: "file", mediaType: "text/markdown", source: { text: "# A" } })),
);

const noSystem = sample(of({ role: "system", parts: [text("Be brief.")] }, ask), ["messages", 0, "role"], of(ask));

/** By rule; where targets differ, by target, or by target and model. */
export const samples: { readonly [Name in RuleName]?: Sample | { readonly [target: string]: Sample } } = {
  "calls-answered": sample(of(ask, assistant(call(one), call(two)), results(one), user("And?")), [
    "messages",
    1,
    "parts",
    1,
    "callId",
  ]),
  "results-called": sample(of(...loop, assistant("21 °C."), results(two)), ["messages", 4, "parts", 0, "callId"]),
  "provider-calls-answered": sample(
    of(ask, assistant(search, "Fine."), ask),
    ["messages", 1, "parts", 0, "callId"],
    of(ask, assistant(search, result("srvtoolu_1"), "Fine."), ask),
  ),
  "results-final": sample(
    of(ask, assistant(call(one)), said("tool", [result(one, { preliminary: true }), result(one)])),
    ["messages", 2, "parts", 0],
  ),
  "results-once": sample(of(ask, assistant(call(one)), results(one, one)), ["messages", 2, "parts", 1, "callId"]),
  "approvals-asked": sample(
    of(ask, said("tool", [{ type: "approval-response", requestId: "mcpr_1", approved: true }]), user("Go on.")),
    ["messages", 1, "parts", 0, "requestId"],
    of(
      ask,
      assistant({
        type: "approval-request",
        requestId: "mcpr_1",
        callId: "mcpr_1",
        call: { type: "tool-call", callId: "mcpr_1", name: "f", kind: "mcp", executedBy: "provider", server: "s" },
      }),
      said("tool", [{ type: "approval-response", requestId: "mcpr_1", approved: true }]),
    ),
  ),
  "results-first": sample(of(ask, assistant(call(one)), user("Here:"), results(one)), ["messages", 3, "parts", 0]),
  "results-of-kind": sample(
    of(
      ask,
      assistant(call(one, { kind: "custom", input: "x" })),
      said("tool", [result(one, { native: { "openai-responses": { $type: "function_call_output" } } })]),
    ),
    ["messages", 2, "parts", 0],
    of(ask, assistant(call(one, { kind: "custom", input: "x" })), results(one)),
  ),
  "calls-joined": sample(of(ask, assistant("I look."), assistant(call(one)), results(one)), ["messages", 2]),
  "tool-choice": sample({ messages: [ask], settings: { toolChoice: "required" } }, ["settings", "toolChoice"]),
  "thinking-settings": sample({ messages: [ask], settings: { reasoning: { budget: 1000 } } }, [
    "settings",
    "reasoning",
    "budget",
  ]),
  "setting-ranges": {
    "openai-chat": sample({ messages: [ask], settings: { stopSequences: ["a", "b", "c", "d", "e"] } }, [
      "settings",
      "stopSequences",
    ]),
    default: sample({ messages: [ask], settings: { temperature: -1 } }, ["settings", "temperature"]),
  },
  "cache-marks": sample(
    { messages: [marked(1), marked(3)], tools: tools.map(tool => ({ ...tool, cache: {} })) },
    ["tools", 0, "cache"],
    { messages: [marked(1), marked(3)], tools },
  ),
  "media-types": sample(
    of(ask, { role: "user", parts: [{ ...image, mediaType: "image/jpg", source: { data: "iVBORw0KGgo=" } } as Part] }), // a file
    ["messages", 1, "parts", 0, "mediaType"],
    of(ask, { role: "user", parts: [{ ...image, mediaType: "image/png", source: { data: "iVBORw0KGgo=" } } as Part] }),
  ),
  "media-data": fromUserData({ ...image, source: { data: "data:image/png;base64,iVBORw0KGgo=" } } as Part), // a file
  "results-together": sample(
    of(ask, assistant(call(one), call(two)), results(one), results(two)),
    ["messages", 3],
    of(ask, assistant(call(one), call(two)), results(one, two)),
  ),
  "calls-together": sample(
    of(ask, assistant(call(one), "And:", call(two)), results(one, two)),
    ["messages", 1, "parts", 2],
    of(ask, assistant("I look.", call(one), call(two)), results(one, two)),
  ),
  "first-turn": sample(
    of(assistant("Hello."), ask),
    ["messages", 0, "role"],
    of({ role: "system", parts: [text("Be brief.")] }, ask),
  ),
  "last-turn": {
    "anthropic-messages": sample(thinks(of(ask, assistant("It is"))), ["messages", 1, "role"]),
    "bedrock-converse/anthropic.claude-sonnet-4-5": sample(thinks(of(ask, assistant("It is"))), [
      "messages",
      1,
      "role",
    ]),
    default: sample(of(ask, assistant("It is")), ["messages", 1, "role"]),
  },
  "turns-alternate": sample(of(ask, user("Well?")), ["messages", 1]),
  "answer-after-results": sample(of(...loop, user("Well?")), ["messages", 3, "role"]),
  "system-place": {
    "openai-chat/o1-mini": noSystem,
    "azure-openai-chat/o1-mini": noSystem,
    "anthropic-messages/claude-opus-4-8": sample(
      of(ask, assistant("Fine."), { role: "system", parts: [text("Be brief.")] }, ask),
      ["messages", 2, "role"],
      of(ask, { role: "system", parts: [text("Be brief.")] }, assistant("Fine."), ask),
    ),
    default: sample(
      of(ask, { role: "system", parts: [text("Be brief.")] }),
      ["messages", 1, "role"],
      of({ role: "system", parts: [text("Be brief.")] }, ask),
    ),
  },
  roles: sample(of({ role: "narrator", parts: [text("Once.")] }, ask), ["messages", 0, "role"]),
  "message-name": sample(of({ ...ask, author: { name: "Ada L" } }), ["messages", 0, "author", "name"]),
  "legacy-functions": {
    valid: done,
    broken: decode(
      {
        messages: [
          { role: "user", content: "How is the weather?" },
          { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
          { role: "function", name: "weather", content: "21 °C" },
        ],
      },
      { from: "openai-chat", shape: "request" },
    ).conversation,
    path: ["messages", 1, "parts", 0],
  },
  "history-not-empty": sample({ messages: [], tools }, ["messages"]),
  "known-members": {
    "anthropic-messages": kept("anthropic-messages", { $role: "tool" }, ["$role"]),
    "bedrock-converse": kept("bedrock-converse", { $place: "messages" }, ["$place"]),
    "openai-responses": keptType,
    "azure-openai-responses": keptType,
    mistral: kept("mistral", { reasoning_content: "Hm." }, ["reasoning_content"]),
    gemini: keptArguments,
    vertex: keptArguments,
    default: kept("openai-chat", { content: null }, ["content"]),
  },
  "text-not-empty": {
    gemini: sample(of(user("Look:", "")), ["messages", 0, "parts", 1, "text"]),
    vertex: sample(of(user("Look:", "")), ["messages", 0, "parts", 1, "text"]),
    "anthropic-messages": sample(of(user("Look:", "\n")), ["messages", 0, "parts", 1, "text"]),
    default: sample(of(user("\n")), ["messages", 0, "parts", 0, "text"], of(user("Look:", "\n"))),
  },
  "message-not-empty": sample(of(ask, assistant(), user("Well?")), ["messages", 1, "parts"]),
  "prefill-trimmed": sample(of(ask, assistant("It is ")), ["messages", 1, "parts", 0, "text"]),
  "well-formed-text": sample(
    of(ask, assistant(call(one)), { role: "tool", parts: [result(one, { output: [text("bad \ud83d end")] })] }),
    ["messages", 2, "parts", 0, "output", 0, "text"],
    of(user("😀")),
  ),
  "call-ids": {
    mistral: ids("call_1"),
    "openai-chat": ids("c".repeat(41)),
    "azure-openai-chat": ids("c".repeat(41)),
    "bedrock-converse/anthropic.claude-sonnet-4-5": ids("functions.weather:0"),
    "bedrock-converse/anthropic.claude-opus-4-6-v1": ids("functions.weather:0"),
    "anthropic-messages": ids("functions.weather:0"),
    gemini: ids(""),
    vertex: ids(""),
    default: ids("c".repeat(65)),
  },
  "ids-unpacked": ids("call_1__thought__AAA"),
  "call-ids-unique": sample(
    of(ask, assistant(call(one), call(one)), results(one, one)),
    ["messages", 1, "parts", 1, "callId"],
    of(...loop),
  ),
  "tool-names": { gemini: names("2weather"), vertex: names("2weather"), default: names("weather.of") },
  arguments: sample(
    of(ask, assistant(call(one, { input: "Paris" })), results(one)),
    ["messages", 1, "parts", 0, "input"],
    of(ask, assistant({ type: "tool-call", callId: one, name: "weather", inputText: "" }), results(one)),
  ),
  media: {
    "openai-chat/gpt-5-mini": fromUser(audio),
    "azure-openai-chat/gpt-5-mini": fromUser(audio),
    "openai-responses": fromUser({ type: "file", source: { url: "https://example.org/a.mp3?x=1" } }, pdf),
    "azure-openai-responses": fromUser({ type: "file", source: { url: "https://example.org/a.mp3?x=1" } }, pdf),
    "anthropic-messages": fromUser(audio, pdf),
    "bedrock-converse/anthropic.claude-sonnet-4-5": fromUser(video({ data: "AAAA" }), pdf),
    "bedrock-converse/anthropic.claude-opus-4-6-v1": fromUser(video({ data: "AAAA" }), pdf),
    mistral: fromUser(video({ data: "AAAA" })),
    ollama: fromUser(pdf),
    cohere: fromUser(audio),
    "deepseek-responses": sample(of(ask, assistant("Look:", image), ask), ["messages", 1, "parts", 1]),
    responses: sample(of(ask, assistant("Look:", image), ask), ["messages", 1, "parts", 1]),
    openrouter: sample(of(ask, assistant(pdf), ask), ["messages", 1, "parts", 0]),
    "bedrock-converse": sample(of(ask, assistant("Look:", image), ask), ["messages", 1, "parts", 1]),
    default: inResult(image),
  },
  "documents-named": sample(
    of(user("Read:", { type: "file", mediaType: "application/pdf", source: { data: "JVBERi0=" } })),
    ["messages", 0, "parts", 1],
    of(user("Read:", pdf)),
  ),
  "documents-introduced": sample(of(user(pdf)), ["messages", 0, "parts", 0], of(user("Read:", pdf))),
  "media-source": {
    "openai-chat": markdown,
    "azure-openai-chat": markdown,
    ollama: sample(
      of(user({ type: "file", mediaType: "image/png", source: { url: "https://example.org/a.png" } })),
      ["messages", 0, "parts", 0, "source"],
      of(user(image)),
    ),
    default: sample(
      of(
        user("Look:", {
          type: "file",
          mediaType: "application/pdf",
          name: "notes",
          source: { url: "s3://bucket/notes.pdf" },
        }),
      ),
      ["messages", 0, "parts", 1, "source"],
      of(user("Look:", pdf)),
    ),
  },
  "result-media-source": {
    ollama: inResultSource({ type: "file", mediaType: "image/png", source: { url: "https://example.org/a.png" } }),
    default: inResultSource(video({ url: "s3://bucket/a.mp4" })),
  },
  "assistant-media-source": sample(
    of(ask, assistant(audio), ask),
    ["messages", 1, "parts", 0, "source"],
    of(ask, assistant({ type: "file", mediaType: "audio/wav", source: { id: "audio_1" } }), ask),
  ),
  "tools-declared": { valid: done, broken: { messages: done.messages }, path: ["tools"] },
  "seals-at-home": sample(of(ask, assistant({ ...text("Fine."), ...sealed("nobody") }), user("Thanks.")), [
    "messages",
    1,
    "parts",
    0,
    "seal",
  ]),
  "calls-sealed": sample(
    of(...loop),
    ["messages", 1, "parts", 0],
    of(...loop, assistant("21 °C."), ask, assistant(call(one, signed), call(two)), results(one, two)),
  ),
  "reasoning-first": {
    valid: thinks(of(ask, assistant(thinking(), call(one)), results(one))),
    broken: thinks(of(...loop)),
    path: ["messages", 1, "parts", 0],
  },
  "reasoning-not-last": sample(
    of(ask, assistant("Fine.", thinking()), ask),
    ["messages", 1, "parts", 1],
    of(ask, assistant(thinking(), "Fine."), ask),
  ),
  "reasoning-followed": sample(
    of(ask, assistant(reasoningItem)),
    ["messages", 1, "parts", 0],
    of(ask, assistant(reasoningItem, "Fine."), ask),
  ),
  "reasoning-kept": sample(
    of(...loop),
    ["messages", 1, "parts"],
    of(ask, assistant({ type: "reasoning", text: "Ask the tool." }, call(one)), results(one)),
  ),
  "reasoning-once": sample(
    of(ask, assistant(thinking()), assistant(thinking(), call(one)), results(one)),
    ["messages", 1, "parts", 0],
    of(ask, assistant(thinking(), call(one)), results(one), assistant(thinking(), "Fine.")),
  ),
  "stored-items": sample(
    unstored(of(ask, assistant({ ...text("Fine."), ...sealed("openai", { id: "msg_1" }) }), ask)),
    ["messages", 1, "parts", 0, "seal", "values", "id"],
    unstored(of(ask, assistant("Fine."), ask)),
  ),
  "reasoning-sealed": sample(
    of(ask, assistant({ type: "reasoning", text: "Hm." }, "Fine."), ask),
    ["messages", 1, "parts", 0],
    of(ask, assistant(thinking(), "Fine."), ask),
  ),
  "item-ids": sample(
    of(ask, assistant(call(one, sealed("openai", { id: "call_1" }))), results(one)),
    ["messages", 1, "parts", 0, "seal", "values", "id"],
    of(ask, assistant(reasoningItem, call(one, sealed("openai", { id: "fc_1" }))), results(one)),
  ),
  "results-told": sample(
    of(ask, assistant(call(one)), { role: "tool", parts: [result(one, { outcome: "error", output: [] })] }),
    ["messages", 2, "parts", 0],
    of(ask, assistant(call(one)), {
      role: "tool",
      parts: [result(one, { outcome: "error", output: [text("no disk")] })],
    }),
  ),
  "failed-results": sample(
    of(ask, assistant(call(one)), {
      role: "tool",
      parts: [result(one, { outcome: "error", output: [text("failed"), image] })],
    }),
    ["messages", 2, "parts", 0, "output", 1],
  ),
  sizes: {
    "anthropic-messages": sample(of(...Array.from({ length: 100_001 }, () => ask)), ["messages"]),
    "bedrock-converse": sample(of(user("Look:", ...Array.from({ length: 21 }, () => image))), [
      "messages",
      0,
      "parts",
      21,
    ]),
    default: sample({ messages: [ask], tools: Array.from({ length: 129 }, (_, at) => ({ name: `t${at}` })) }, [
      "tools",
    ]),
  },
};

function inResultSource(part: Part): Sample {
  const { broken, valid } = inResult(part, of(...loop));
  return { broken, valid, path: ["messages", 2, "parts", 0, "output", 0, "source"] };
}

function unstored(conversation: Conversation): Conversation {
  return { ...conversation, native: { "openai-responses": { store: false } } };
}

function thinks(conversation: Conversation): Conversation {
  return { ...conversation, settings: { reasoning: { budget: 2048 } } };
}
