import { decode, encode, type Json } from "translogue";
import { expect, test } from "vitest";

const metadata = { openai: { itemId: "rs_1", reasoningEncryptedContent: "E" } };
const item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "a" }], encrypted_content: "E" };

test.each<[from: "ai-sdk-model:v7" | "ai-sdk-ui:v7", wire: Json]>([
  ["ai-sdk-model:v7", [{ role: "assistant", content: [{ type: "reasoning", text: "a", providerOptions: metadata }] }]],
  [
    "ai-sdk-ui:v7",
    [{ id: "m", role: "assistant", parts: [{ type: "reasoning", text: "a", providerMetadata: metadata }] }],
  ],
])("OpenAI's reasoning in %s goes back as the summary that it is", (from, wire) => {
  const { conversation } = decode(wire, { from, shape: "messages" });
  const { value } = encode(conversation, { to: "openai-responses", shape: "request" });
  expect(value).toMatchObject({ input: [item] });
  expect(JSON.stringify(value)).not.toContain("reasoning_text");
  expect(encode(conversation, { to: from, shape: "messages" }).value).toEqual(wire);
});

test("a summary of Responses goes through the AI SDK without a loss", () => {
  const { conversation } = decode({ model: "m", input: [item] }, { from: "openai-responses", shape: "request" });
  const { value, losses } = encode(conversation, { to: "ai-sdk-model:v7", shape: "messages", carry: false });
  expect(losses.filter(({ path }) => path.includes("summary"))).toEqual([]);
  const back = decode(value as unknown as Json, { from: "ai-sdk-model:v7", shape: "messages" }).conversation; // JSON
  expect(back.messages[0]?.parts).toEqual(conversation.messages[0]?.parts);
});
