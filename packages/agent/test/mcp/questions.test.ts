import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../../src/index.ts";
import type { FormAnswer, FormQuestion, QuestionHandlers, UrlQuestion } from "../../src/mcp/index.ts";
import { scripted } from "../scripted-model.ts";
import { olderProcess, ways } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";

const done = { text: "done" };
const book = [calls(["book"]), done];

/** The toy as it is, and a server made with the older SDK: each process takes its time to start. */
const { "stdio, older": _, ...quick } = ways;
const servers = { ...quick, "stdio, made with the older SDK": async () => olderProcess() };
const { "stdio, 2026-07-28": __, ...overHttp } = quick;

const yes: FormAnswer = { action: "accept", content: { date: "2026-12-24" } };

describe.each(Object.entries(servers))(
  "a server over %s that may ask for a date (mastra-ai/mastra#19189)",
  (_, way) => {
    test("is not told of a person where there is no handler, and does without", async () => {
      const { results } = await ran(await joined({ toy: await way() }), book);
      expect(wordsOf(results[0])).toBe("booked for the usual date");
    });

    test.each([
      ["answers", yes, /booked for 2026-12-24/],
      ["declines", { action: "decline" }, /decline/],
      ["cancels", { action: "cancel" }, /cancel/],
    ] as const)("gets what a handler %s", async (_, answer, words) => {
      const questions: FormQuestion[] = [];
      const form = (question: FormQuestion): FormAnswer => {
        questions.push(question);
        return answer;
      };
      const mcp = await joined({ toy: await way() }, { questions: { form } });
      const { results } = await ran(mcp, book);
      expect(wordsOf(results[0])).toMatch(words);
      expect(results[0]?.outcome).toBeUndefined();
      expect(questions).toMatchObject([
        { server: "toy", tool: "book", message: "Which date?", schema: { type: "object" } },
      ]);
    });

    test("has its time, and no more, for a handler that never answers; the question is over then", async () => {
      const asked: FormQuestion[] = [];
      const form = (question: FormQuestion): Promise<FormAnswer> => {
        asked.push(question);
        return new Promise(() => {});
      };
      const mcp = await joined({ toy: await way() }, { questions: { form }, timeoutMs: 500 });
      const { results, response } = await ran(mcp, book);
      expect(wordsOf(results[0])).toMatch(/"book" took longer than 500 ms/);
      expect(asked[0]?.signal.aborted).toBe(true);
      expect(response.text).toBe("done");
    });

    test("has its question cancelled when the run is stopped while it is open", async () => {
      const stop = new AbortController();
      const { promise: cancelled, resolve } = Promise.withResolvers<void>();
      const form = ({ signal }: FormQuestion): Promise<FormAnswer> => {
        signal.addEventListener("abort", () => resolve());
        stop.abort();
        return new Promise(() => {});
      };
      const mcp = await joined({ toy: await way() }, { questions: { form } });
      const { response } = await ran(mcp, book, { signal: stop.signal });
      expect(response.finish?.reason).toBe("aborted");
      await cancelled;
    });

    test("reaches the handler of all from a sub-agent too, which says who asks", async () => {
      const asked: FormQuestion[] = [];
      const form = (question: FormQuestion): FormAnswer => {
        asked.push(question);
        return yes;
      };
      const mcp = await joined({ toy: await way() }, { questions: { form } });
      const clerk = createAgent({ name: "clerk", model: scripted(book), tools: mcp.tools });
      const askClerk = defineTool({
        name: "clerk",
        parameters: z.object({}),
        execute: async (_, { signal }) => (await clerk.run("book it", { signal })).text,
      });
      const { response } = await ran(mcp, [calls(["clerk"]), done], {
        agent: model => createAgent({ model, tools: [askClerk] }),
      });
      expect(response.text).toBe("done");
      expect(asked).toMatchObject([{ server: "toy", tool: "book", context: { agent: { name: "clerk" } } }]);
    });
  },
);

describe.each(Object.entries(overHttp))("a server over %s", (_, way) => {
  test.each(["accept", "decline"] as const)("sends the person to a page, and hears %s", async action => {
    const asked: UrlQuestion[] = [];
    const url: QuestionHandlers["url"] = question => {
      asked.push(question);
      return { action };
    };
    const mcp = await joined({ toy: await way() }, { questions: { url } });
    const { results } = await ran(mcp, [calls(["visit"], ["book"]), done]);
    const words = results.map(wordsOf).toSorted();
    // A handler for pages is none for forms.
    expect(words).toEqual(["booked for the usual date", `visited: ${action}`]);
    expect(asked).toMatchObject([{ server: "toy", url: "https://example.org/sign-in", message: "Sign in" }]);
  });

  test("asks a model of this program where that is allowed, and only there", async () => {
    const tell = [calls(["think"]), done];
    const alone = await ran(await joined({ toy: await way() }), tell);
    expect(wordsOf(alone.results[0])).toBe("no model to ask");

    const model = scripted([{ reasoning: "hm", text: "Grass." }]);
    const served = await ran(await joined({ toy: await way() }, { sampling: { model } }), tell);
    expect(wordsOf(served.results[0])).toMatch(/^script-1: .*"Grass\."/);
    expect(wordsOf(served.results[0])).not.toContain("hm");
    expect(model.requests[0]?.conversation).toMatchObject({
      messages: [
        { role: "system", parts: [{ text: "Be short." }] },
        { role: "user", parts: [{ text: "What is green?" }] },
      ],
      settings: { maxOutputTokens: 50 },
    });

    const refused = await joined({ toy: await way() }, { sampling: { model: scripted([]), allow: () => false } });
    const { results } = await ran(refused, tell);
    expect(results[0]).toMatchObject({ outcome: "error" });
    expect(wordsOf(results[0])).toMatch(/not allowed/);
  });

  test("is told of roots where there are some", async () => {
    const ask = [calls(["roots"]), done];
    const none = await ran(await joined({ toy: await way() }), ask);
    expect(wordsOf(none.results[0])).toBe("no roots");
    const some = await ran(await joined({ toy: await way() }, { roots: [{ uri: "file:///shelf" }] }), ask);
    expect(wordsOf(some.results[0])).toBe("file:///shelf");
  });
});

test.each([
  ["accept", "visit is done"],
  ["decline", "The library wants you to sign in"],
] as const)(
  "a call that fails because the person has to go somewhere is made again once they %s",
  async (action, words) => {
    const asked: UrlQuestion[] = [];
    const url = (question: UrlQuestion) => {
      asked.push(question);
      return { action };
    };
    const mcp = await joined({ library: olderProcess() }, { questions: { url } });
    const { results } = await ran(mcp, [calls(["visit"]), done]);
    expect(wordsOf(results[0])).toContain(words);
    expect(asked).toMatchObject([
      { server: "library", tool: "visit", url: "https://example.org/sign-in", elicitationId: "e1" },
    ]);
  },
);
