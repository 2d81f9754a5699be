import { describe, expect, test } from "vitest";
import { type AgentOptions, type ContextProvider, createAgent, type ProviderContext } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** Providers that take long: neither a stop nor the time of the run waits for them. */

const never = () => new Promise<never>(() => {});
/** Ends by its signal, as a fetch does. */
const obedient = ({ signal }: ProviderContext) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));

type Work = (context: ProviderContext) => Promise<never>;
const before: readonly (readonly [string, (work: Work) => Partial<AgentOptions>])[] = [
  ["context, before the run", work => ({ context: [{ name: "slow", before: work }] })],
  ["history, read", work => ({ history: { load: work, store: () => {} } })],
];
const after: typeof before = [
  ["context, after the run", work => ({ context: [{ name: "slow", after: work }] })],
  ["history, written", work => ({ history: { load: () => [], store: work } })],
];

const deaf = [
  ["is deaf to its signal", never],
  ["ends by its signal", obedient],
] as const;
const each = (rows: typeof before) =>
  rows.flatMap(([what, options]) => deaf.map(row => [what, row[0], options, row[1]] as const));

/** `asked`: resolves once the provider works. */
function watched(work: Work) {
  let begun = (): void => {};
  const asked = new Promise<void>(resolve => (begun = resolve));
  const watching = (context: ProviderContext): Promise<never> => {
    begun();
    return work(context);
  };
  return { asked, work: watching };
}

describe("a provider that goes on and on", () => {
  test.each(each(before))(
    "(%s) and %s ends with a stopped run, before a model is asked",
    async (_, __, options, slow) => {
      const { asked, work } = watched(slow);
      const model = scripted([{ text: "Hello." }]);
      const stop = new AbortController();
      const agent = createAgent({ ...fixed(), model, ...options(work) });
      const session = await agent.createSession();
      const run = agent.run("Hi", { session, signal: stop.signal });
      await asked;
      stop.abort(new Error("enough"));
      expect([(await run).finish, model.requests]).toEqual([{ reason: "aborted" }, []]);
      expect(session.messages.map(({ role }) => role)).toEqual(["user"]);
    },
  );

  test.each(each(before))("(%s) and %s ends when the time of the run is up", async (_, __, options, slow) => {
    const model = scripted([{ text: "Hello." }]);
    const agent = createAgent({ ...fixed(), model, limits: { timeoutMs: 5 }, ...options(slow) });
    expect([(await agent.run("Hi")).finish, model.requests]).toEqual([{ reason: "other", raw: "max-time" }, []]);
  });

  test.each(each(after))(
    "(%s) and %s is the error of a run that is stopped meanwhile",
    async (_, __, options, slow) => {
      const { asked, work } = watched(slow);
      const stop = new AbortController();
      const agent = createAgent({ ...fixed(), model: scripted([{ text: "Hello." }]), ...options(work) });
      const session = await agent.createSession();
      const run = agent.run("Hi", { session, signal: stop.signal });
      await asked;
      stop.abort(new Error("enough"));
      const { error, text } = await run;
      expect([error?.message, text]).toEqual([expect.stringContaining("had not ended"), "Hello."]);
      expect(session.messages).toHaveLength(2);
    },
  );

  test.each(each(after))("(%s) and %s is the error of a run whose time is up", async (_, __, options, slow) => {
    const agent = createAgent({
      ...{ ...fixed(), model: scripted([{ text: "Hello." }]), limits: { timeoutMs: 20 } },
      ...options(slow),
    });
    expect((await agent.run("Hi")).error?.message).toMatch("had not ended");
  });

  test("has those behind it told all the same, and the session is free", async () => {
    const told: string[] = [];
    const slow: ContextProvider = { name: "slow", after: never };
    const next: ContextProvider = { name: "next", after: () => void told.push("next") };
    const model = scripted([{ text: "Hello." }, { text: "Again." }]);
    const agent = createAgent({ ...fixed(), model, limits: { timeoutMs: 20 }, context: [slow, next] });
    const session = await agent.createSession();
    await agent.run("Hi", { session });
    expect(told).toEqual(["next"]);
    expect((await agent.run("Hi", { session })).text).toBe("Again.");
  });
});
