import * as fc from "fast-check";
import type { Conversation, Message, Part, PartOf, Seal, Settings, Tool } from "translogue";

type Values = Seal["values"];

/** What nobody but its maker is to be sent: base64, as theirs are. */
export const sealWords = {
  anthropic: "YW50aHJvcGlj",
  openai: "b3BlbmFpc2VhbA==",
  google: "Z29vZ2xlc2VhbA==",
  amazon: "YW1hem9uc2VhbA==",
} as const;

/** What each maker seals, by what it seals it of: as its own answers have it. */
const makers: readonly {
  readonly maker: string;
  readonly routes: readonly (string | undefined)[];
  readonly thought: readonly Values[];
  readonly said: Values | undefined;
  readonly called: Values | undefined;
  readonly compacted: Values | undefined;
}[] = [
  {
    maker: "anthropic",
    routes: [undefined, "bedrock"],
    thought: [{ signature: sealWords.anthropic }, { data: sealWords.anthropic }],
    said: undefined,
    called: undefined,
    compacted: { encrypted_content: sealWords.anthropic },
  },
  {
    maker: "openai",
    routes: [undefined, "azure"],
    thought: [{ id: "rs_", encrypted_content: sealWords.openai }, { id: "rs_" }],
    said: { id: "msg_" },
    called: { id: "fc_" },
    compacted: { id: "cmp_", encrypted_content: sealWords.openai },
  },
  {
    maker: "google",
    routes: ["ai-studio", "vertex", undefined],
    thought: [{ thoughtSignature: sealWords.google }],
    said: { thoughtSignature: sealWords.google },
    called: { thoughtSignature: sealWords.google },
    compacted: undefined,
  },
  {
    maker: "amazon",
    routes: ["bedrock"],
    thought: [{ redactedContent: sealWords.amazon }],
    said: undefined,
    called: undefined,
    compacted: undefined,
  },
];

const media: readonly Part[] = [
  { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } },
  { type: "file", mediaType: "image/bmp", source: { data: "Qk0=" } },
  { type: "file", mediaType: "image/png", source: { url: "https://example.org/a.png" } },
  { type: "file", mediaType: "image/png", source: { data: "data:image/png;base64,AAAA" } },
  { type: "file", mediaType: "application/pdf", name: "a b.pdf", source: { data: "JVBERi0=" } },
  { type: "file", mediaType: "application/pdf", source: { data: "JVBERi0=" } },
  { type: "file", mediaType: "application/pdf", source: { url: "https://example.org/a.pdf" } },
  { type: "file", mediaType: "audio/wav", source: { data: "UklG" }, text: "hello" },
  { type: "file", source: { text: " " } },
  { type: "file", mediaType: "video/mp4", source: { url: "gs://bucket/a.mp4" } },
  { type: "file", source: { id: "file_1", provider: "openai" } },
  {
    type: "file",
    source: {
      parts: [
        { type: "text", text: "" },
        { type: "text", text: "page" },
      ],
    },
  },
  { type: "data", data: { a: 1 } },
  { type: "error", message: "no" },
];

const names = ["search", "búsqueda", "a.b", "1st", "x".repeat(130), "", "web search"];
const ids = ["", "call|fc_1", "é", "y".repeat(65), "functions.f:0", "toolu_1__thought__AAAA", "~made", "Abcdefgh1"];

/** What one step of an agent may be, number by number. */
const step = fc.record({
  maker: fc.nat(4),
  thought: fc.nat(5),
  said: fc.nat(5),
  calls: fc.array(fc.record({ name: fc.nat(8), input: fc.nat(6), id: fc.nat(14), kind: fc.nat(7) }), { maxLength: 3 }),
  results: fc.nat(8),
  shown: fc.nat(20),
  end: fc.nat(6),
  between: fc.nat(9),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Call = Step["calls"][number];

function sealOf(values: Values | undefined, { maker: number }: Step, place: number): Pick<Part, "seal"> {
  const made = makers[number];
  if (!made || !values) return {};
  const route = made.routes[place % made.routes.length];
  const own = Object.entries(values).map(([name, value]) => [name, name === "id" ? `${value}${place}` : value]);
  return { seal: { maker: made.maker, ...(route !== undefined && { route }), values: Object.fromEntries(own) } };
}

function thoughtsOf(step: Step, place: number): readonly Part[] {
  const kinds = makers[step.maker]?.thought ?? [];
  const values = kinds[step.thought % Math.max(1, kinds.length)];
  const sealed = sealOf(values, step, place * 10);
  if (step.thought === 0) return [];
  if (step.thought === 1) return [{ type: "reasoning", ...sealed }];
  if (step.thought === 2) return [{ type: "reasoning", text: "cut o", partial: true }];
  const more: readonly Part[] =
    step.thought === 3 ? [{ type: "reasoning", text: "more", ...sealOf(values, step, place * 10 + 1) }] : [];
  return [{ type: "reasoning", text: "hm", ...sealed }, ...more];
}

function saidOf(step: Step, place: number): readonly Part[] {
  const sealed = sealOf(makers[step.maker]?.said, step, place);
  const quoted = { quote: "q", ...sealOf({ encrypted_index: "ZW5j" }, step, place) };
  const kinds: readonly Part[] = [
    { type: "text", text: "so", ...sealed },
    { type: "text", text: "", ...sealed },
    { type: "text", text: "as it says", citations: [quoted], ...sealed },
    { type: "refusal", text: "no" },
    { type: "text", text: "cut of\ud83d ", partial: true },
  ];
  const said = kinds[step.said];
  return said ? [said] : [];
}

const inputs: readonly Pick<PartOf<"tool-call">, "input" | "inputText" | "partial">[] = [
  { input: { q: 1 } },
  { input: 5 },
  { input: [1, "a"] },
  { input: null },
  { inputText: '{"q": ', partial: true },
  { input: "text" },
  {},
];

function callOf(call: Call, step: Step, callId: string): Part {
  const name = names[call.name] ?? "search";
  const sealed = sealOf(makers[step.maker]?.called, step, call.id);
  const input = inputs[call.input] ?? {};
  if (call.kind === 1) return { type: "tool-call", callId, name, kind: "custom", input: "SELECT 1", ...sealed };
  if (call.kind === 2)
    return { type: "tool-call", callId, name: "web_search", kind: "web-search", executedBy: "provider", input: {} };
  if (call.kind === 3)
    return { type: "tool-call", callId, name: "run", kind: "code-interpreter", executedBy: "provider", input: {} };
  return { type: "tool-call", callId, name, ...input, ...sealed };
}

const outcomes = ["error", "denied", "interrupted"] as const;

function resultOf(call: Call, { shown, results }: Step, callId: string): PartOf<"tool-result"> {
  const outcome = outcomes[results - 5];
  const file = media[shown];
  return {
    type: "tool-result",
    callId,
    ...(call.id % 2 === 0 && { name: names[call.name] ?? "search" }),
    ...(call.kind === 1 && call.id % 3 > 0 && { kind: "custom" }),
    ...(shown !== 19 && { output: [{ type: "text", text: shown === 18 ? "" : "found" }, ...(file ? [file] : [])] }),
    ...(outcome && { outcome }),
  };
}

function stepOf(step: Step, place: number): readonly Message[] {
  const called = step.calls.map((call, index) => ({ call, id: ids[call.id] ?? `call_${place}_${index}` }));
  const hosted = called.filter(({ call }) => call.kind === 2 || call.kind === 3);
  const own = called.filter(each => !hosted.includes(each));
  const answer: readonly Part[] = [
    ...thoughtsOf(step, place),
    ...saidOf(step, place),
    ...called.flatMap(({ call, id }): readonly Part[] => [
      callOf(call, step, id),
      ...(hosted.some(each => each.id === id) && call.input > 1
        ? [{ type: "tool-result", callId: id, kind: "web-search", output: [{ type: "text", text: "hit" }] } as const]
        : []),
    ]),
    ...compactionOf(step, place),
  ];
  const results = own.map(({ call, id }): Part => resultOf(call, step, id));
  const reasons = ["stop", "tool-calls", "pause", "aborted", "compaction"] as const;
  const reason = reasons[step.end];
  const answered: Message = { role: "assistant", parts: answer, ...(reason && { finish: { reason } }) };
  return [...betweenOf(step), ...resultsAround(answered, results, step)];
}

const asParts = (part: Part): Message => ({ role: "tool", parts: [part] });

/** Results where they belong, each by itself, none, twice, before their calls, in an answer, with words, and some a person refused. */
function resultsAround(answer: Message, results: readonly Part[], { results: how }: Step): readonly Message[] {
  const all: Message = { role: "tool", parts: results };
  const words: Part = { type: "text", text: "and" };
  switch (how) {
    case 0:
      return [answer, ...results.map(asParts)];
    case 1:
      return [answer];
    case 2:
      return [answer, all, all];
    case 3:
      return [all, answer];
    case 4:
      return [answer, { role: "user", parts: [words, ...results] }];
    default:
      return [answer, all];
  }
}

function compactionOf(step: Step, place: number): readonly Part[] {
  if (step.end !== 4) return [];
  const sealed = sealOf(makers[step.maker]?.compacted, step, place);
  const image = media[step.shown] ?? media[0];
  const texts: readonly Part[] = [{ type: "text", text: step.said > 2 ? "summary " : "" }];
  if (step.results === 0) return [{ type: "compaction", ...sealed }];
  return [{ type: "compaction", summary: step.results === 1 && image ? [image] : texts, ...sealed }];
}

/** What stands before an answer: mostly what a person says. */
function betweenOf({ between, shown, calls }: Step): readonly Message[] {
  const file = media[shown];
  const asks: Message = { role: "user", parts: [{ type: "text", text: "ask" }, ...(file ? [file] : [])] };
  const denied = calls.map(
    (_, index): Part => ({
      type: "approval-response",
      requestId: `r${index}`,
      callId: `call_0_${index}`,
      approved: false,
    }),
  );
  const kinds: readonly (readonly Message[])[] = [
    [],
    [],
    [{ role: "system", parts: [{ type: "text", text: "rule" }] }],
    [{ role: "developer", parts: [{ type: "text", text: " " }] }, asks],
    [{ role: "user", author: { name: "Ada L" }, parts: file ? [file] : [] }],
    [asks, { role: "user", parts: [...denied, ...denied.slice(1).map(part => ({ ...part, approved: true }) as Part)] }], // answers
    [{ role: "user", parts: [{ type: "change", toolsAdded: ["search"] }] }],
    [
      {
        role: "user",
        parts: [{ type: "change", toolsAdded: [{ name: "a.b", description: "d" }, "a.b"], toolsRemoved: ["search"] }],
      },
    ],
    [{ role: "tool", parts: [{ type: "approval-response", requestId: "mcpr_1", approved: shown > 9 }] }],
  ];
  return kinds[between] ?? [asks];
}

const tools: readonly Tool[] = [
  { name: "search", cache: {} },
  { name: "search" },
  { name: "a.b", description: "d" },
  { name: "web", kind: "web-search" },
];
const settings: readonly Settings[] = [
  { temperature: 1.8, topP: 1, reasoning: { budget: 500 }, maxOutputTokens: 100 },
  { topK: 900, stopSequences: ["a", "b", "c", "d", "e", "f"], frequencyPenalty: -3 },
  { toolChoice: { name: "gone" } },
  { toolChoice: { allowed: ["search", "gone"] }, parallelToolCalls: false },
  { reasoning: { budget: 2048 }, temperature: 0.2, toolChoice: "required" },
];

const ttls: readonly Part["cache"][] = [{}, { ttl: "1h" }, { ttl: "5m" }, { ttl: "2h" }];

const cached = (messages: readonly Message[]): readonly Message[] =>
  messages.map(message => ({
    ...message,
    parts: message.parts.map((part, place) => ({ ...part, cache: ttls[place % ttls.length] ?? {} })),
  }));

/** What agents of several makers leave behind, with all that may be wrong around it. */
export const stepsOfMakers: fc.Arbitrary<Conversation> = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    offered: fc.nat(6),
    set: fc.nat(9),
    isCached: fc.nat(6),
  })
  .map(({ steps, offered, set, isCached }) => {
    const messages = steps.flatMap(stepOf);
    const asked = settings[set];
    return {
      messages: isCached === 0 ? cached(messages) : messages,
      ...(offered < 5 && { tools: tools.slice(0, offered) }),
      ...(asked && { settings: asked }),
    };
  });
