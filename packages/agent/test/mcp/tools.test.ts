import { describe, expect, test, vi } from "vitest";
import { ways } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";

const done = { text: "done" };

describe.each(Object.entries(ways))("a server over %s", (_, way) => {
  test("offers all pages of its tools, says what it is for, and adds with a structured face", async () => {
    const mcp = await joined({ toy: await way() });
    const { results, offered } = await ran(mcp, [calls(["add", { a: 2, b: 40 }]), done]);
    expect(offered[0]).toEqual([
      ...["add", "show", "fail", "wait", "book", "visit", "think", "roots", "grow", "journal", "first"],
    ]);
    expect(results).toMatchObject([{ name: "add", output: [{ type: "text", text: "42" }], structured: { sum: 42 } }]);
    expect(mcp.instructions).toBe("toy: Ask before you book.");
    expect(mcp.failures).toEqual([]);
  });

  test("gives blocks of every kind as parts; what is for people alone is display", async () => {
    const { results } = await ran(await joined({ toy: await way() }), [calls(["show"]), done]);
    expect(results[0]?.output).toMatchObject([
      { type: "text", text: "for the model" },
      { type: "file", mediaType: "image/png", source: { data: expect.stringMatching(/^iVBOR/) } },
      { type: "file", mediaType: "audio/wav", source: { data: "AAAA" } },
      { type: "source", url: "notes://today/plan.txt", title: "plan.txt", parts: [{ type: "text", text: "rest" }] },
      { type: "file", name: "data.bin", source: { data: "AAEC" } },
      { type: "source", url: "notes://today/more.txt", title: "More", name: "more.txt", mediaType: "text/plain" },
    ]);
    expect(results[0]?.display).toMatchObject([{ type: "text", text: "for people" }]);
  });

  test("fails in its own words, and never gets arguments that do not fit", async () => {
    const mcp = await joined({ toy: await way() });
    const { results, response } = await ran(mcp, [calls(["fail"], ["add", { a: "two", b: 1 }], ["journal"]), done]);
    const [fail, add, journal] = ["fail", "add", "journal"].map(tool => results.find(({ name }) => name === tool));
    expect(fail).toMatchObject({ outcome: "error", output: [{ type: "text", text: "the shelf is empty" }] });
    expect(wordsOf(add)).toMatch(/arguments of "add" are not valid: .*\ba\b/);
    expect(wordsOf(journal)).not.toContain("call add");
    expect(response.text).toBe("done");
  });

  test("tells its progress, and is told when the run stops or the call's time is up", async () => {
    const mcp = await joined({ toy: await way() }, { timeoutMs: 600 });
    const { results } = await ran(mcp, [calls(["wait"]), done]);
    expect(results[0]).toMatchObject({ outcome: "error" });
    expect(wordsOf(results[0])).toMatch(/"wait" took longer than 600 ms and was stopped/);

    const stop = new AbortController();
    const { response, shown } = await ran(mcp, [calls(["wait"]), done], {
      signal: stop.signal,
      onShown: () => stop.abort(),
    });
    expect(shown[0]).toMatchObject({
      output: [{ type: "text", text: "waiting" }],
      structured: { progress: 0, total: 3 },
    });
    expect(response.finish?.reason).toBe("aborted");
    await vi.waitFor(
      async () => {
        const { results: read } = await ran(mcp, [calls(["journal"]), done]);
        expect(wordsOf(read[0]).match(/wait was stopped/g)).toHaveLength(2);
      },
      { timeout: 30_000 },
    );
  });

  test("gives resources as parts and prompts as messages", async () => {
    const toy = (await joined({ toy: await way() })).get("toy");
    expect(await toy?.resources()).toMatchObject([{ uri: "notes://today/plan.txt" }]);
    expect(await toy?.resourceTemplates()).toMatchObject([{ uriTemplate: "notes://{day}/plan.txt" }]);
    expect(await toy?.readResource("notes://today/plan.txt")).toMatchObject([
      { type: "source", url: "notes://today/plan.txt", parts: [{ type: "text", text: "rest" }] },
      { type: "file", mediaType: "image/png" },
    ]);
    expect(await toy?.prompts()).toMatchObject([{ name: "plan" }]);
    const messages = await toy?.getPrompt("plan", { day: "Monday" });
    expect(messages).toMatchObject([
      {
        role: "user",
        parts: [
          { type: "text", text: "Plan Monday" },
          { type: "file", mediaType: "image/png" },
        ],
      },
      { role: "assistant", parts: [{ type: "text", text: "Rest." }] },
    ]);
  });
});

test.each([
  [true, ["add", "show", "journal"]],
  ["writes", ["show", "journal"]],
  ["destructive", ["journal"]],
  [false, []],
  [({ server, name }: { server: string; name: string }) => server === "toy" && name === "show", ["show"]],
] as const)("approval of %s waits for a person as the tools are annotated", async (needsApproval, waiting) => {
  const way = ways["stdio, 2026-07-28"];
  const mcp = await joined({ toy: await (way?.() ?? Promise.reject()) }, { needsApproval });
  const { response, results } = await ran(mcp, [calls(["add", { a: 1, b: 1 }], ["show"], ["journal"]), done]);
  const asked = response.messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "approval-request" ? [part.callId] : [])),
  );
  expect(asked.map(id => id.split("-")[1])).toEqual(waiting);
  expect(results).toHaveLength(3 - waiting.length);
});
