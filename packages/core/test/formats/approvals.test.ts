import { decode, encode, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

type Shaped = "ai-sdk-ui:v5" | "ai-sdk-ui:v6" | "ai-sdk-ui:v7" | "ai-sdk-model:v6" | "ai-sdk-model:v7" | "maf";

/** From one format to another with nothing carried along. */
const to = (format: Shaped, value: Json, from: Shaped): Json =>
  encode(decode(value, { from, shape: "messages" }).conversation, {
    to: format,
    shape: "messages",
    recipient: "store",
    carry: false,
  }).value as Json; // what a codec writes

const uiOf = (part: JsonObject): Json => [
  { id: "m", role: "assistant", parts: [{ type: "tool-w", toolCallId: "c", input: {}, ...part }] },
];
const call = { $type: "functionCall", name: "w", arguments: {}, informationalOnly: false, callId: "c" };
const request = { $type: "toolApprovalRequest", toolCall: call, requiresConfirmation: true, requestId: "q" };
const toldAgain = { role: "assistant", contents: [call] };

/** What MAF stores of a question, its answer and what became of it. */
const history = (approved: boolean, result: string, retold: readonly Json[] = [toldAgain]): Json => [
  { role: "assistant", contents: [request] },
  { role: "user", contents: [{ $type: "toolApprovalResponse", approved, toolCall: call, requestId: "q" }] },
  ...retold,
  { role: "tool", contents: [{ $type: "functionResult", callId: "c", result }] },
];

/** Objects of a type, wherever they stand. */
function found(value: Json | undefined, is: (object: JsonObject) => boolean): JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(each => found(each as Json, is)); // values of JSON
  return !Array.isArray(value) && is(value as JsonObject) ? [value as JsonObject, ...inner] : inner; // no list
}
const toolParts = (value: Json): JsonObject[] => found(value, ({ toolCallId, state }) => !!toolCallId && !!state);
const toolCalls = (value: Json): JsonObject[] => found(value, ({ type }) => type === "tool-call");
const contents = (value: Json): unknown[] => (value as JsonObject[]).map(({ contents: list }) => list); // messages

describe("a refusal stays a refusal", () => {
  const denied = { state: "output-denied", approval: { id: "q", approved: false, reason: "no" } };

  test.each<[Shaped, JsonObject]>([
    ["ai-sdk-ui:v5", { state: "output-error", errorText: "no" }],
    ["ai-sdk-ui:v6", denied],
    ["ai-sdk-ui:v7", denied],
  ])("from a UI by way of MAF to %s", (target, part) => {
    const maf = to("maf", uiOf(denied), "ai-sdk-ui:v6");
    expect(toolParts(to(target, maf, "maf"))).toEqual([expect.objectContaining(part)]);
    expect(contents(to("maf", to("ai-sdk-ui:v6", maf, "maf"), "ai-sdk-ui:v6"))).toEqual(contents(maf));
  });

  test.each(["ai-sdk-ui:v6", "ai-sdk-ui:v7"] as const)("against a result that does not say it, in %s", target => {
    const messages = [
      { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "w", input: {} }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "done" }] }] },
    ] as const;
    const [first, last] = messages;
    const asked = { type: "approval-request", requestId: "q", callId: "c" } as const;
    const answer = { type: "approval-response", requestId: "q", callId: "c", approved: false } as const;
    const conversation = {
      messages: [
        { ...first, parts: [...first.parts, asked] },
        { ...last, parts: [answer, ...last.parts] },
      ],
    };
    const { value, losses } = encode(conversation, { to: target, shape: "messages", recipient: "store", carry: false });
    expect(toolParts(value as Json)).toEqual([
      expect.objectContaining({ state: "output-denied", approval: { id: "q", approved: false } }),
    ]);
    expect(losses).toContainEqual(
      expect.objectContaining({ code: "refused-result", path: ["messages", 1, "parts", 1, "outcome"] }),
    );
  });
});

describe("a call that a question holds is one call", () => {
  const ok = { state: "output-available", output: "ok", approval: { id: "q", approved: true } };

  test.each<[string, Shaped, Json, JsonObject]>([
    ["granted", "ai-sdk-ui:v6", history(true, "ok"), ok],
    ["granted", "ai-sdk-ui:v7", history(true, "ok"), ok],
    ["granted, and not told again", "ai-sdk-ui:v6", history(true, "ok", []), ok],
    ["granted", "ai-sdk-ui:v5", history(true, "ok"), { state: "output-available", output: "ok" }],
    [
      "refused",
      "ai-sdk-ui:v6",
      history(false, "no"),
      { state: "output-denied", approval: { id: "q", approved: false } },
    ],
    ["refused", "ai-sdk-ui:v5", history(false, "no"), { state: "output-error", errorText: "no" }],
  ])("in a UI: %s, in %s", (_, target, maf, part) => {
    expect(toolParts(to(target, maf, "maf"))).toEqual([expect.objectContaining({ type: "tool-w", ...part })]);
  });

  test.each<[string, Json]>([
    ["beside its question", [{ role: "assistant", contents: [call, request] }]],
    ["told again for its result", history(true, "ok")],
    ["in its question alone", history(true, "ok", [])],
  ])("to a model: %s", (_, maf) => {
    for (const target of ["ai-sdk-model:v6", "ai-sdk-model:v7"] as const) {
      const value = to(target, maf, "maf");
      expect(toolCalls(value)).toEqual([expect.objectContaining({ toolCallId: "c", toolName: "w" })]);
      expect(found(value, ({ toolName }) => toolName === "unknown")).toEqual([]);
    }
  });

  test("MAF's own history comes back as it was", () => {
    for (const maf of [history(true, "ok"), history(false, "no"), history(false, "no", [])]) {
      expect(to("maf", maf, "maf")).toEqual(maf);
    }
  });
});

describe("MAF is told a call that waits for its approval only inside the question (R22)", () => {
  test.each<[string, JsonObject, number]>([
    ["asked", { state: "approval-requested", approval: { id: "q" } }, 0],
    ["granted", { state: "approval-responded", approval: { id: "q", approved: true } }, 0],
    ["granted and run", { state: "output-available", output: "o", approval: { id: "q", approved: true } }, 1],
  ])("%s", (_, part, calls) => {
    const maf = to("maf", uiOf(part), "ai-sdk-ui:v6");
    expect(contents(maf)[0]).toEqual([...Array.from({ length: calls }, () => call), request]);
    expect(to("maf", to("ai-sdk-ui:v6", maf, "maf"), "ai-sdk-ui:v6")).toEqual(maf);
  });
});
