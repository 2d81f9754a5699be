import {
  type Conversation,
  context,
  decode,
  type FormatId,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
} from "translogue";
import { checkTarget, prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";

interface Provider {
  readonly target: FormatId;
  readonly model: string;
  /** Its own answers, as it sends them: one that calls a tool, and one that goes on with the result. */
  readonly asks: Json;
  readonly tells: Json;
  /** The id of its call; absent where it gives none. */
  readonly callId?: string;
  /** What of an answer it wants back, byte for byte. */
  ownPart(answer: Json): readonly Json[];
  /** The list of its request in which that stands. */
  sent(request: Json): readonly Json[];
}

const listOf = (value: Json | undefined, member: string): readonly Json[] => {
  const list = isJsonObject(value ?? null) ? (value as { readonly [name: string]: Json })[member] : undefined; // an object
  return Array.isArray(list) ? list : [];
};

const anthropicAnswer = (id: string, content: Json, stop: string): Json => ({
  id,
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 40, output_tokens: 30 },
});

const anthropic: Provider = {
  target: "anthropic-messages",
  model: "claude-sonnet-4-5",
  callId: "toolu_01AbC",
  asks: anthropicAnswer(
    "msg_01",
    [
      { type: "thinking", thinking: "The tide table has it.", signature: "EqQBCgIYAhIk" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3p" },
      { type: "text", text: "anthropic looks" },
      { type: "tool_use", id: "toolu_01AbC", name: "tides", input: { harbour: "Lerwick", hours: [6, 18] } },
    ],
    "tool_use",
  ),
  tells: anthropicAnswer("msg_02", [{ type: "text", text: "anthropic found it" }], "end_turn"),
  ownPart: answer => [listOf(answer, "content")],
  sent: request => listOf(request, "messages").map(message => (message as { content: Json }).content), // of a request
};

const responsesAnswer = (id: string, output: Json): Json => ({
  id,
  object: "response",
  created_at: 1_764_460_800,
  status: "completed",
  model: "gpt-5-2025-08-07",
  output,
  parallel_tool_calls: true,
  store: false,
  usage: { input_tokens: 40, output_tokens: 30, total_tokens: 70 },
});
const responsesText = (id: string, text: string): Json => ({
  id,
  type: "message",
  status: "completed",
  content: [{ type: "output_text", annotations: [], text }],
  role: "assistant",
});

/** How an answer went is no part of what was said. */
function withoutStatus(item: Json): Json {
  const { status: _, ...others } = item as JsonObject; // items are objects
  return others;
}

const responses: Provider = {
  target: "openai-responses",
  model: "gpt-5",
  callId: "call_9xYz",
  asks: responsesAnswer("resp_01", [
    {
      id: "rs_01",
      type: "reasoning",
      encrypted_content: "gAAAAABo",
      summary: [{ type: "summary_text", text: "Look." }],
    },
    responsesText("msg_11", "openai looks"),
    {
      id: "fc_01",
      type: "function_call",
      status: "completed",
      arguments: '{"harbour": "Lerwick", "hours": [6, 18]}',
      call_id: "call_9xYz",
      name: "tides",
    },
  ]),
  tells: responsesAnswer("resp_02", [responsesText("msg_12", "openai found it")]),
  ownPart: answer => listOf(answer, "output").map(withoutStatus),
  sent: request => listOf(request, "input"),
};

const geminiAnswer = (id: string, parts: Json): Json => ({
  candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 30, totalTokenCount: 70 },
  modelVersion: "gemini-3-pro-preview",
  responseId: id,
});

const gemini: Provider = {
  target: "gemini",
  model: "gemini-3-pro-preview",
  asks: geminiAnswer("g1", [
    { text: "Tides, then.", thought: true },
    { text: "google looks" },
    {
      functionCall: { name: "tides", args: { harbour: "Lerwick", hours: [6, 18] } },
      thoughtSignature: "CiQBcsjafLq8",
    },
  ]),
  tells: geminiAnswer("g2", [{ text: "google found it", thoughtSignature: "CiQBcsjafXw=" }]),
  ownPart: answer => {
    const [candidate] = listOf(answer, "candidates");
    return [(candidate as { content: { parts: Json } }).content.parts]; // of an answer
  },
  sent: request => listOf(request, "contents").map(content => (content as { parts: Json }).parts), // of a request
};

const providers = [anthropic, responses, gemini];
const orders = providers.flatMap(first =>
  providers.flatMap(second =>
    providers.filter(third => new Set([first, second, third]).size === 3).map(third => [first, second, third]),
  ),
);

const question = (turn: number): Message => ({ role: "user", parts: [{ type: "text", text: `question ${turn}` }] });

/** A tool's result for the calls that the last answer made. */
function resultsFor({ messages }: Conversation, turn: number): Message {
  const calls = (messages.at(-1)?.parts ?? []).filter(part => part.type === "tool-call");
  return {
    role: "tool",
    parts: calls.map(({ callId, name }) => ({
      type: "tool-result",
      callId,
      name,
      output: [{ type: "text", text: `high at ${turn}` }],
    })),
  };
}

const tools = [{ name: "tides", input: { type: "object", properties: { harbour: { type: "string" } } } }] as const;

/** What each of them is sent, in turn: its request for a question, then that with the tool's result. */
function ledBy(order: readonly Provider[]): {
  readonly conversation: Conversation;
  readonly requests: readonly Json[][];
} {
  let conversation: Conversation = { messages: [], tools };
  const add = (...messages: readonly Message[]): void => {
    conversation = { ...conversation, messages: [...conversation.messages, ...messages] };
  };
  const requests = order.map((provider, turn) => {
    add(question(turn));
    return [provider.asks, provider.tells].map(answer => {
      const sent = requestFor(conversation, provider);
      const { conversation: read } = decode(answer, {
        from: provider.target,
        shape: "answer",
        newId: () => `m${turn}`,
      });
      add(...read.messages);
      if (answer === provider.asks) add(resultsFor(conversation, turn));
      return sent;
    });
  });
  add(question(order.length));
  return { conversation, requests };
}

function requestFor(conversation: Conversation, { target, model }: Provider): Json {
  const prepared = prepare(conversation, target, { model });
  expect(prepared.issues).toEqual([]);
  // What goes out is what is checked: it passes once it is read again, too.
  const { conversation: read } = decode(prepared.value, { from: target, shape: "request" });
  expect(checkTarget(read, target, { model }).filter(({ severity }) => severity === "error")).toEqual([]);
  return prepared.value as Json; // wire values are JSON
}

describe.each(orders.map(order => [order.map(({ target }) => target).join(", then "), order] as const))(
  "a conversation led by %s",
  (_, order) => {
    const { conversation, requests } = ledBy(order);

    test.each(providers.map(provider => [provider.target, provider] as const))(
      "is readable from end to end by %s",
      (_target, provider) => {
        const request = JSON.stringify(requestFor(conversation, provider));
        const said = order.flatMap(({ target }, turn) => {
          const name = { "anthropic-messages": "anthropic", "openai-responses": "openai", gemini: "google" }[
            target as string
          ];
          return [`question ${turn}`, `${name} looks`, `high at ${turn}`, `${name} found it`];
        });
        const places = [...said, `question ${order.length}`].map(words => request.indexOf(words));
        expect(places).not.toContain(-1);
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        expect(request.match(/Lerwick/g)).toHaveLength(order.length);
      },
    );

    test("gives each provider's own part back as it sent it, and to nobody else what it sealed", () => {
      for (const provider of order) {
        const request = requestFor(conversation, provider);
        const sent = provider.sent(request);
        for (const answer of [provider.asks, provider.tells]) {
          for (const own of provider.ownPart(answer)) expect(sent).toContainEqual(own);
        }
        const seals = { anthropic: /EqQBCgIYAhIk|EmwKAhgBEgy3va3p/, openai: /gAAAAABo|rs_01/, google: /CiQBcsjaf/ };
        const own = { "anthropic-messages": "anthropic", "openai-responses": "openai", gemini: "google" }[
          provider.target as string
        ];
        for (const [maker, seal] of Object.entries(seals)) {
          if (maker === own) expect(JSON.stringify(request)).toMatch(seal);
          else expect(JSON.stringify(request)).not.toMatch(seal);
        }
      }
    });

    test("is sent so that what a provider has read once stays as it was, to the last byte", () => {
      order.forEach((provider, turn) => {
        const last = provider.sent(requestFor(conversation, provider));
        for (const earlier of requests[turn] ?? []) {
          const before = provider.sent(earlier);
          expect(JSON.stringify(last.slice(0, before.length))).toBe(JSON.stringify(before));
        }
      });
    });

    test("is kept whole: nothing of it was changed on the way", () => {
      expect(context(conversation)).toBe(conversation);
      const kept = JSON.stringify(conversation);
      for (const provider of providers) requestFor(conversation, provider);
      expect(JSON.stringify(conversation)).toBe(kept);
    });
  },
);
