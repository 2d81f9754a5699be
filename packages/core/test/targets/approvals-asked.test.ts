import type { Conversation, Message, Part } from "translogue";
import { encode } from "translogue/convert";
import { openaiResponses } from "translogue/openai-responses";
import { checkTarget, prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";

const said = (role: string, ...parts: readonly Part[]): Message => ({ role, parts });
const go = said("user", { type: "text", text: "go" });
const answers = (more: object = {}): Message =>
  said("tool", { type: "approval-response", requestId: "mcpr_1", approved: true, ...more } as Part); // members of one
const hosted = { type: "tool-call", callId: "mcpr_1", name: "f", kind: "mcp", executedBy: "provider" } as const;
const asks = (call: object = hosted): Message =>
  said("assistant", { type: "approval-request", requestId: "mcpr_1", callId: "mcpr_1", call } as Part); // members of one
const own = { type: "tool-call", callId: "c", name: "f", input: {} };
const named = said("assistant", {
  type: "opaque",
  family: "openai-responses",
  value: { type: "item_reference", id: "mcpr_1" },
});
const continued = { native: { "openai-responses": { previous_response_id: "resp_1" } } };

const rows: readonly [what: string, conversation: Conversation, isWritten: boolean, isFault: boolean][] = [
  ["behind its request", { messages: [go, asks(), answers()] }, true, false],
  ["before its request", { messages: [go, answers(), asks()] }, true, true],
  ["before its request, which names another call", { messages: [go, answers({ call: own }), asks()] }, true, true],
  ["before a request of a function's call", { messages: [go, answers(), asks(own)] }, false, false],
  ["without a request", { messages: [go, answers()] }, true, true],
  ["without a request, of a call of the provider's", { messages: [go, answers({ call: hosted })] }, true, true],
  ["to a function's call that it names", { messages: [go, answers({ callId: "c" })] }, false, false],
  ["to a function's call that it holds", { messages: [go, answers({ call: own })] }, false, false],
  ["to a request of a function's call", { messages: [go, asks(own), answers()] }, false, false],
  ["to a request that is named by its id", { messages: [go, named, answers()] }, true, false],
  ["to a request that the provider has stored", { ...continued, messages: [answers()] }, true, false],
];

describe.each(rows)("an answer %s", (_, conversation, isWritten, isFault) => {
  const isThere = (value: unknown): boolean => JSON.stringify(value).includes("mcp_approval_response");

  test("is written where it may be one of the provider's requests, and lost with a word where not", () => {
    const { value, losses } = encode(openaiResponses, conversation, { shape: "request" });
    expect(isThere(value)).toBe(isWritten);
    const lost = losses.filter(({ path }) => path[1] === conversation.messages.length - 1 && path.length === 4);
    expect(lost.map(({ kind }) => kind)).toEqual(isWritten || isFault ? [] : ["dropped"]);
  });

  test.each(["openai-responses", "azure-openai-responses"])(
    "is found by %s where the request is not sent before it",
    target => {
      expect(checkTarget(conversation, target).map(({ code }) => code)).toEqual(isFault ? ["approvals-asked"] : []);
    },
  );

  test("goes out with its request alone", () => {
    const { value, changes, issues } = prepare(conversation, "openai-responses");
    expect(issues).toEqual([]);
    expect(isThere(value)).toBe(isWritten && !isFault);
    expect(changes.map(({ repair }) => repair)).toEqual(isFault ? ["pair-results"] : []);
  });
});
