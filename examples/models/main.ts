import {
  createAgent,
  createModel,
  type Endpoint,
  endpoints,
  fallbackModel,
  type Recording,
  recorder,
  replay,
} from "@translogue/agent";
import { telemetry } from "@translogue/agent/otel";

const [anthropic, openai] = ["anthropic", "openai"].map(known => {
  const endpoint = endpoints.find(({ id }) => id === known);
  if (!endpoint) throw new Error(`\`${known}\` is no row of the table`);
  return endpoint;
}) as [Endpoint, Endpoint]; // two names, two rows

/** The agent of this story, over whatever `fetch` it is given. */
function lead(fetch: typeof globalThis.fetch) {
  // #region fallback
  const model = fallbackModel({
    models: [
      createModel({ endpoint: anthropic, model: "claude-opus-5-5", key: "sk-1", fetch, retries: 0 }),
      createModel({ endpoint: openai, model: "gpt-5.2", key: "sk-1", fetch }),
    ],
  });
  const agent = createAgent({ name: "ada", model, middleware: [telemetry()] });
  // #endregion
  return agent;
}

/** One host that is overloaded, and one that answers: in the place of the network. */
const hosts: typeof globalThis.fetch = async input => {
  if (String(input).includes("anthropic")) {
    return Response.json(
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { status: 529 },
    );
  }
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-5.2", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const body = `${chunk({ role: "assistant", content: "Hello" }, null)}${chunk({ content: "." }, "stop")}data: [DONE]\n\n`;
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

// #region recording
// Once, against the real hosts: `recorder()`. Then in every test, without a network and without a key: `replay`.
const { fetch, recording } = recorder(hosts);
const first = await lead(fetch).run("Hello?");
const kept: Recording = JSON.parse(JSON.stringify(recording()));
const again = await lead(replay(kept)).run("Hello?");
// #endregion

console.log(first.text, first.metadata?.["fallbacks"]);

export { again, first, kept };
