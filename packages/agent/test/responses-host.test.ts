import { sseReply } from "@translogue/testkit/fake-host";
import type { Json, JsonObject } from "translogue";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../src/index.ts";
import { ask, endpointOf, hosted } from "./hosted.ts";
import { fixed } from "./scripted-model.ts";

const endpoint = endpointOf("openai-responses");
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 14,
};

/** The events of an answer with this output. */
function answer(id: string, output: readonly JsonObject[], more: JsonObject = {}): Json[] {
  const response = { id, object: "response", created_at: 1790000000, model: "gpt-5.4-2026-03-05", ...more };
  const items = output.flatMap((item, index): Json[] => [
    { type: "response.output_item.added", output_index: index, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index: index, item },
  ]);
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items,
    { type: "response.completed", response: { ...response, status: "completed", output, usage } },
  ];
}

const reply = (events: readonly Json[]) => sseReply(events);
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "E" };
const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "add",
  arguments: '{"a":19,"b":23}',
};
const said = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "42.", annotations: [] }],
};

test("an agent speaks Responses with a host: reasoning goes home with the call that it led to", async () => {
  const { host, model } = await hosted([reply(answer("resp_1", [reasoning, call])), reply(answer("resp_2", [said]))], {
    endpoint,
    model: "gpt-5.4",
  });
  const add = defineTool({
    name: "add",
    description: "Adds.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  const agent = createAgent({ ...fixed(), id: "ada", model, tools: [add], instructions: "Be exact." });
  const response = await agent.run("19 + 23?");
  expect(response.text).toBe("42.");
  expect(response.usage).toEqual({ input: 10, cacheRead: 8, output: 6, reasoning: 4 });
  expect(response.messages.map(({ role, responseId }) => [role, responseId])).toEqual([
    ["assistant", "resp_1"],
    ["tool", undefined],
    ["assistant", "resp_2"],
  ]);
  const [first, second] = host.requests;
  expect(first).toMatchObject({
    path: "/v1/responses",
    body: {
      model: "gpt-5.4",
      stream: true,
      input: [
        { role: "system", content: "Be exact." },
        { role: "user", content: "19 + 23?" },
      ],
      tools: [{ type: "function", name: "add", description: "Adds.", parameters: { type: "object" } }],
    },
  });
  expect(second?.body).toMatchObject({
    input: [
      { role: "system" },
      { role: "user" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "add", arguments: '{"a":19,"b":23}' },
      { type: "function_call_output", call_id: "call_1", output: "42" },
    ],
  });
});

test("a failed answer and one that is cut are failures of the run", async () => {
  const failed = {
    id: "resp_1",
    object: "response",
    created_at: 1790000000,
    model: "gpt-5.4",
    status: "failed",
    output: [],
    error: { code: "server_error", message: "Broken." },
  };
  const [created] = answer("resp_1", []);
  const broken = await hosted([reply([created ?? null, { type: "response.failed", response: failed }])], {
    endpoint,
    retries: 0,
  });
  expect((await ask(broken.model)).response.error?.message).toContain("Broken.");
  const cut = await hosted([reply(answer("resp_1", [said]).slice(0, -1))], { endpoint, retries: 0 });
  expect((await ask(cut.model)).response.error).toBeDefined();
});
