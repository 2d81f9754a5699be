import { compatibleEndpoint, createAgent, createModel, defineTool } from "@translogue/agent";
import { isJsonObject, type Json, type Message } from "translogue";
import { difference } from "./difference.ts";
import { sseReply, startFakeHost } from "./fake-host.ts";

/**
 * An agent over a host that replays a recorded stream hears what the stream says, runs the tools that it calls, and sends
 * their results back under the ids of the calls.
 */
export async function heardByAgent(
  wireEvents: readonly Json[],
  expected: readonly Message[],
): Promise<string | undefined> {
  const [answer] = expected;
  const calls = (answer?.parts ?? []).flatMap(part =>
    part.type === "tool-call" && part.executedBy === undefined ? [part] : [],
  );
  await using host = await startFakeHost([sseReply(wireEvents), sseReply([closing, stop])]);
  const model = createModel({ endpoint: compatibleEndpoint("recorded", host.url), model: "recorded" });
  const tools = [...new Set(calls.map(({ name }) => name))].map(name =>
    defineTool({ name, description: "Recorded", parameters: anything, execute: () => "done" }),
  );
  const response = await createAgent({ name: "listener", model, tools }).run("go");
  const heard = response.messages.find(({ role }) => role === "assistant");
  const reason = difference(heard?.parts ?? null, answer?.parts ?? null);
  if (reason !== undefined) return `the agent hears something else: ${reason}`;
  if (calls.length === 0 || answer?.finish?.reason === "error") return undefined;
  const second = host.requests[1]?.body as Json | undefined; // what the host read as JSON
  const sent = isJsonObject(second) && Array.isArray(second["messages"]) ? second["messages"] : [];
  const answered = sent.flatMap(message =>
    isJsonObject(message) && message["role"] === "tool" ? [message["tool_call_id"]] : [],
  );
  return difference(
    answered as Json,
    calls.map(({ callId }) => callId),
  ); // ids are text
}

const chunk = (delta: object, finish: string | null): object => ({
  id: "closing",
  object: "chat.completion.chunk",
  created: 1,
  model: "recorded",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const closing = chunk({ role: "assistant", content: "Done." }, null);
const stop = chunk({}, "stop");

/** Takes any arguments: the recordings' tools are not ours. */
const anything = {
  jsonSchema: { type: "object" },
  schema: { "~standard": { version: 1, vendor: "translogue-testkit", validate: (value: unknown) => ({ value }) } },
} as const;
