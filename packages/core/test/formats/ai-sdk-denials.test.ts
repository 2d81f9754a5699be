import {
  accumulate,
  decode,
  emit,
  encode,
  type FormatRef,
  type Json,
  type JsonObject,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { toModelMessages, toUIMessages } from "translogue/ai-sdk-model";
import { describe, expect, test } from "vitest";

type Version = "v5" | "v6" | "v7";

const tool = (more: JsonObject): Json => ({ type: "tool-f", toolCallId: "c", input: { a: 1 }, ...more });
const inData = (more: JsonObject): Json => ({
  type: "data-approval",
  id: "q",
  data: { id: "q", toolCallId: "c", ...more },
});
const no: JsonObject = { id: "q", approved: false };
const why: JsonObject = { ...no, reason: "no!" };
const hosted = { providerExecuted: true };
const silent = "Tool call execution denied.";

/** Losses that are about bookkeeping, and not about what was said. */
const bookkeeping = /^message\.|^no-finish$|^result-name$|^response-call$/;
const codes = (losses: readonly { readonly code: string }[]): string[] =>
  losses.map(({ code }) => code).filter(code => !bookkeeping.test(code));

const uiOf = (parts: readonly Json[]): Json[] => [
  { id: "m", role: "assistant", parts: [{ type: "step-start" }, ...parts] },
];
const read = (version: Version, parts: readonly Json[]) =>
  decode(uiOf(parts), { from: `ai-sdk-ui:${version}`, shape: "messages" }).conversation.messages;
const written = (version: Version, messages: ReturnType<typeof read>): Json =>
  encode({ messages }, { to: `ai-sdk-ui:${version}`, shape: "messages", recipient: "store", carry: false })
    .value as Json; // what a codec writes

type Case = [what: string, version: Version, parts: Json[], reported?: string[]];

function streamed(format: FormatRef, messages: ReturnType<typeof read>) {
  const encoder = streamEncoder(format, { recipient: "store" });
  const wire = runAll(encoder, emit(messages));
  return { messages: accumulate(runAll(streamDecoder(format), wire)), losses: codes(encoder.losses) };
}

const kept: Case[] = [
  ["denied, with a reason", "v5", [tool({ state: "output-error", errorText: "no!" }), inData({ ...why })]],
  ["denied", "v5", [tool({ state: "output-error", errorText: silent }), inData({ ...no })]],
  ["asked", "v5", [tool({ state: "input-available" }), inData({})]],
  ["denied, with a reason", "v6", [tool({ state: "output-denied", approval: why })], ["silent-approval"]],
  ["denied", "v6", [tool({ state: "output-denied", approval: no })], ["silent-approval"]],
  [
    "denied to the provider",
    "v6",
    [tool({ state: "output-denied", approval: why, ...hosted })],
    ["moved", "silent-approval"],
  ],
  ["asked", "v6", [tool({ state: "approval-requested", approval: { id: "q" } })]],
  [
    "allowed",
    "v6",
    [tool({ state: "output-available", output: "o", approval: { id: "q", approved: true } })],
    ["silent-approval"],
  ],
  ["denied, with a reason", "v7", [tool({ state: "output-denied", approval: why })]],
  ["denied", "v7", [tool({ state: "output-denied", approval: no })]],
  ["denied to the provider", "v7", [tool({ state: "output-denied", approval: why, ...hosted })]],
  ["answered, and nothing more", "v7", [tool({ state: "approval-responded", approval: why })]],
  ["asked", "v7", [tool({ state: "approval-requested", approval: { id: "q" } })]],
  ["allowed", "v7", [tool({ state: "output-available", output: "o", approval: { id: "q", approved: true } })]],
];

describe("the state, reason and id of an approval come back", () => {
  test.each(kept)("from a UI message stream: %s, in %s", (_, version, parts, reported = []) => {
    const { messages, losses } = streamed(`ai-sdk-ui:${version}`, read(version, parts));
    expect(written(version, messages)).toEqual(uiOf(parts));
    expect(losses).toEqual(reported);
  });

  const withApprovals = kept.filter(([, version]) => version !== "v5");

  test.each(withApprovals)("from what `streamText` streams: %s, in %s", (_, version, parts) => {
    const { messages, losses } = streamed(`ai-sdk-model:${version}`, read(version, parts));
    expect(written(version, messages)).toMatchObject([{ parts: [{ type: "step-start" }, ...parts] }]);
    expect(losses).toEqual([]);
  });

  const told = withApprovals.filter(([what]) => !what.includes("provider") && !what.startsWith("answered"));

  test.each(told)("from model messages: %s, in %s", async (_, version, parts) => {
    const model = await toModelMessages(uiOf(parts), { version });
    const back = toUIMessages(model.messages, { version, newId: () => "m" });
    expect(back.messages).toEqual(uiOf(parts));
    expect(codes([...model.losses, ...back.losses])).toEqual([]);
  });
});

describe("where a form has no place for it, it says so", () => {
  test("a stream of generation 6 tells a refusal that nothing followed as a denial", () => {
    const parts = [tool({ state: "approval-responded", approval: why })];
    const { messages, losses } = streamed("ai-sdk-ui:v6", read("v6", parts));
    expect(written("v6", messages)).toEqual(uiOf([tool({ state: "output-denied", approval: why })]));
    expect(losses).toEqual(["silent-approval", "denied-result"]);
  });

  test.each<[what: string, version: Version, parts: Json[], losses: string[]]>([
    [
      "generation 5 knows no approvals",
      "v5",
      kept[0]?.[2] ?? [],
      ["approval-request", "approval-response", "denied-outcome"],
    ],
    ["of a provider's own tool it is told no denial", "v6", kept[5]?.[2] ?? [], ["denied-result"]],
    ["a refusal becomes a denial", "v7", [tool({ state: "approval-responded", approval: why })], ["refusal-result"]],
  ])("to a model: %s (%s)", async (_, version, parts, losses) => {
    expect(codes((await toModelMessages(uiOf(parts), { version })).losses)).toEqual(losses);
  });

  test("`streamText` of generation 5 tells a denial as an error", () => {
    const messages = read("v5", kept[0]?.[2] ?? []);
    const wire = runAll(streamEncoder("ai-sdk-model:v5", { recipient: "store" }), emit(messages));
    expect(wire).toContainEqual(expect.objectContaining({ type: "tool-error", error: "no!" }));
  });
});
