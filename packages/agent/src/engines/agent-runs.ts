import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import type { Agent, RunOptions } from "../agent.ts";
import type { Operations, RunBody } from "../engine.ts";
import { failure } from "../errors.ts";
import type { AgentResponseUpdate } from "../response.ts";
import type { AgentSession } from "../session.ts";

/** What of a run's options can be stored. */
export type StoredOptions = Pick<RunOptions, "instructions" | "toolChoice" | "settings" | "additionalProperties">;

/** The stored input of an agent's run. */
export interface AgentRun {
  /** Which of the agents; not needed where there is one. */
  readonly agent?: string;
  /** As `serializeSession` wrote it, or the run whose session this one goes on with; default: a new one of the run's id. */
  readonly session?: Json;
  readonly after?: string;
  readonly messages?: readonly Message[];
  readonly options?: StoredOptions;
}

/** What a run of an agent gives: its session, and how it ended. */
export interface AgentRunResult {
  readonly session: Json;
  readonly finish?: JsonObject;
}

export interface AgentRunsOptions {
  readonly agents: readonly Agent[];
  /**
   * Takes what a run tells, in order; the run waits for it. After a crash all is told again from its first message on: a
   * message number that begins once more starts over (E9), and says the same where its operation had ended.
   */
  readonly tell?: (update: AgentResponseUpdate, run: string) => void | Promise<void>;
}

/** The input of a run, for `engine.start`. */
export const agentRun = (run: AgentRun): Json => run as unknown as Json; // plain JSON, by its members

/** The body of an engine whose runs are those of agents. What a run gives is an `AgentRunResult`. */
export const agentRuns = ({ agents, tell }: AgentRunsOptions): RunBody => {
  const find = ({ agent: id }: AgentRun): Agent => {
    const found = id === undefined && agents.length === 1 ? agents[0] : agents.find(agent => agent.id === id);
    if (!found) throw failure("agent/unknown", `this process has no agent \`${id ?? ""}\``);
    return found;
  };
  return async (input, operations) => {
    const run = readRun(input);
    const agent = find(run);
    const session = await sessionOf(agent, run, operations);
    const given = { ...run.options, session };
    const goOn = async (options: RunOptions): Promise<Json> => {
      let finish: AgentResponseUpdate["finish"];
      for await (const update of agent.runStreaming(run.messages, options)) {
        finish = update.finish;
        await tell?.(update, operations.run);
      }
      return resultOf({ session: await agent.serializeSession(session), ...(finish && { finish }) });
    };
    if (agent.isDurable) return goOn({ ...given, operations });
    // Of others a run is one operation as a whole: where it is cut, it is run again.
    return operations.operation<Json>("run", ({ signal }) => goOn({ ...given, signal }));
  };
};

/** Throws `input/invalid` for what no run could be made of. */
function readRun(input: Json): AgentRun {
  if (!isJsonObject(input)) {
    const found = input === null ? "null" : Array.isArray(input) ? "a list" : `a ${typeof input}`;
    throw failure("input/invalid", `the input of a run is ${found}: give what \`agentRun\` makes of its members`);
  }
  const { messages, session, after } = input;
  if (messages !== undefined && !Array.isArray(messages))
    throw failure("input/invalid", "`messages` of the input of a run is no list");
  if (messages === undefined && session === undefined && after === undefined)
    throw failure(
      "input/invalid",
      "the input of a run says nothing: give `messages`, or the `session` or the run `after` which it goes on",
    );
  return input as unknown as AgentRun; // as `agentRun` wrote it
}

async function sessionOf(agent: Agent, { session, after }: AgentRun, operations: Operations): Promise<AgentSession> {
  if (after !== undefined) {
    const result = await operations.result(after);
    const found = await agent.deserializeSession(isJsonObject(result) ? (result["session"] ?? null) : null);
    // What waits is done once. Where nothing does, as many runs as like may begin there.
    if (waits(found)) await operations.continueFrom(after);
    return found;
  }
  return session === undefined ? agent.createSession({ id: operations.run }) : agent.deserializeSession(session);
}

const waits = ({ pendingApprovals, pendingInputs, pendingCalls, hasOpenRun }: AgentSession): boolean =>
  hasOpenRun || pendingApprovals.length + pendingInputs.length + pendingCalls.length > 0;

const resultOf = (result: AgentRunResult): Json => result as unknown as Json; // plain JSON, by its members
