import { emit, type Json, type Message, type Usage } from "translogue";
import { describe, expect, test } from "vitest";
import {
  Agent,
  type AgentOptions,
  type AgentResponse,
  type AgentResponseUpdate,
  AgentSession,
  agentRun,
  agentRuns,
  createAgent,
  type MemoryRuns,
  memoryEngine,
} from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

/** Agents of one's own class in a chain: they keep no account and no operations. */

interface Said {
  readonly usage?: Usage;
  /** Id of the agent that it hands the session to. */
  readonly to?: string;
}

class Desk extends Agent {
  /** What each of its runs was given: texts of the session's messages. */
  readonly seen: string[] = [];
  readonly #say: (run: number) => Said;

  constructor(say: (run: number) => Said) {
    super();
    this.#say = say;
  }

  override get name() {
    return "desk";
  }

  protected override get idCore() {
    return "desk";
  }

  protected override async *runCoreStreaming(
    _: readonly Message[],
    session: AgentSession,
  ): AsyncGenerator<AgentResponseUpdate> {
    const run = this.seen.push(session.messages.map(({ role }) => role).join());
    const { usage, to } = this.#say(run);
    const text = `desk ${run}`;
    const change = to === undefined ? [] : [{ type: "change" as const, agent: to }];
    const message: Message = { role: "assistant", id: `d${run}`, parts: [{ type: "text", text }, ...change] };
    session.append(message);
    session.stateBag.set("desk", run);
    yield {
      ...{ events: emit([message]), text, agentId: "desk", responseId: `r${run}`, isFinal: true },
      ...(usage && { usage }),
      finish: { reason: "stop", ...(to !== undefined && { raw: "handoff" }) },
    };
  }

  protected override runCore(): Promise<AgentResponse> {
    throw new Error("it is streamed");
  }

  protected override createSessionCore() {
    return new AgentSession({ id: "s", messages: [] });
  }

  protected override serializeSessionCore(): Json {
    throw new Error("its sessions are those of others");
  }

  protected override deserializeSessionCore(): AgentSession {
    throw new Error("as above");
  }
}

const handing = (desk: Desk, turns: readonly Turn[], options: Partial<AgentOptions> = {}) =>
  createAgent({ ...fixed(), id: "front", model: scripted(turns), tools: [desk.asHandOff()], ...options });
const toDesk: Turn = { calls: [["h", "transfer_to_desk", {}]] };

describe("an agent of one's own class that is handed a session", () => {
  test("hands it back to whom it names, once", async () => {
    const desk = new Desk(() => ({ to: "front", usage: { input: 1 } }));
    const front = handing(desk, [toDesk, { text: "Front again." }], { limits: { maxSteps: 9 } });
    const session = await front.createSession();
    const { text, finish } = await front.run("Go", { session });
    expect([desk.seen.length, text, finish, session.hasOpenRun]).toEqual([
      1,
      "desk 1\nFront again.",
      { reason: "stop" },
      false,
    ]);
  });

  test.each<[string, AgentOptions["limits"], number, string]>([
    ["steps, each run of it being one", { maxSteps: 5 }, 4, "max-steps"],
    ["tokens", { maxTokens: 5 }, 3, "max-tokens"],
  ])("hands it on and on no longer than the limit of %s allows", async (_, limits, runs, raw) => {
    const desk = new Desk(run => ({ ...(run < 20 && { to: "desk" }), usage: { input: 2 } }));
    const front = handing(desk, [toDesk], { ...(limits && { limits }) });
    const session = await front.createSession();
    const { finish, metadata, usage } = await front.run("Go", { session });
    expect([desk.seen.length, finish, metadata, usage]).toEqual([
      runs,
      { reason: "other", raw },
      { limit: raw },
      { input: 2 * runs },
    ]);
    expect(JSON.stringify(await front.serializeSession(session))).not.toContain("between");
  });

  test("and tells no usage, ends its run all the same, and the usage before it is told", async () => {
    const desk = new Desk(() => ({}));
    const front = handing(desk, [{ ...toDesk, usage: { input: 3 } }]);
    const session = await front.createSession();
    const { text, usage, usageTree } = await front.run("Go", { session });
    expect([text, usage, usageTree?.before?.map(({ agentId }) => agentId)]).toEqual([
      "desk 1",
      { input: 3 },
      ["front"],
    ]);
    expect([session.hasOpenRun, JSON.stringify(await front.serializeSession(session)).includes("between")]).toEqual([
      false,
      false,
    ]);
  });
});

test("a durable chain cut behind the run of an agent of one's own class does that run once, and has what it left", async () => {
  const cut = Promise.withResolvers<void>();
  const desk = new Desk(() => ({ to: "front", usage: { input: 1 } }));
  let isCut = false;
  const front = handing(desk, [], {
    model: scripted(({ conversation: { messages } }): Turn => {
      if (!JSON.stringify(messages).includes("desk")) return toDesk;
      if (isCut) return { text: "Front again." };
      isCut = true;
      cut.resolve();
      return { hangs: true };
    }),
  });
  const runs: MemoryRuns = {};
  const told: string[] = [];
  const body = agentRuns({ agents: [front], tell: ({ text }) => void (text && told.push(text)) });
  const first = memoryEngine({ body, runs });
  await first.start("r", agentRun({ messages: [{ role: "user", parts: [{ type: "text", text: "Go" }] }] }));
  await cut.promise;
  await first.close();
  const next = memoryEngine({ body, runs });
  await next.recover();
  const result = JSON.stringify(await next.result("r"));
  expect([desk.seen.length, told.filter(text => text.startsWith("desk"))]).toEqual([1, ["desk 1", "desk 1"]]);
  expect(result).toContain('"stateBag":{"desk":1}');
  expect(result.match(/desk 1/g)).toHaveLength(1);
  expect(result).toContain("Front again.");
  expect(result).toContain('"before":[{"agentId":"front","run":"id-2","inner":[]},{"agentId":"desk"');
});
