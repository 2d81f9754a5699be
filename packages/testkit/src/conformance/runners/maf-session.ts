import {
  type AgentResponse,
  type AgentSession,
  accumulateUpdates,
  type ContinuationToken,
  type ModelRequest,
  type RunOptions,
} from "@translogue/agent";
import { encodeMafToken } from "@translogue/agent/maf";
import { type ExactText, isError, isJsonObject, type Json, type JsonObject, type Message, parseJson } from "translogue";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { counter, visibleUpdates } from "./maf-loop.ts";
import { type Case, compared, objectIn, objects, readMessages, type Seen } from "./maf-loop-compared.ts";
import { scriptedModel, stage } from "./maf-script.ts";
import { comparedProviders, comparedSession } from "./maf-session-compared.ts";
import { asideRule, callsWithoutHistory, excuse } from "./maf-session-excuses.ts";
import { inputOf, mendedInput } from "./maf-session-input.ts";
import { sessionForms } from "./maf-session-normal.ts";
import { runOptionsOf, type Scene, sceneOf } from "./maf-session-scene.ts";
import { comparedBackground, comparedTokens } from "./maf-session-tokens.ts";
import { combinedText, requestOf, withoutModels } from "./maf-session-told.ts";

/** Agents with sessions and providers, over the scripted models of the fixtures: what the original sends, answers and keeps. */
export const mafSessions: Runner = {
  name: "maf sessions",
  reads: file => file.folder === "maf" && (file.kind === "session" || file.kind === "token"),
  async *run(file) {
    const kind = file.kind === "token" ? "maf token" : "maf session";
    // Number texts count: what is compared by value is read as such, the rest from the text.
    const { value, exact } = parseJson(file.read());
    const { cases } = value as unknown as { cases: Case[] }; // as the folder's README says
    for (const each of cases) yield* runCase(each, { kind, exact });
  },
};

interface Spelled {
  readonly kind: string;
  readonly exact: ExactText;
}

async function* runCase(each: Case, { kind, exact }: Spelled): AsyncIterable<CaseResult> {
  const about = { format: kind, name: each.name };
  const aside = asideRule(each);
  if (aside) {
    yield { ...about, outcome: { status: "set-aside", rule: aside } };
    return;
  }
  const rules = new Set<string>();
  let why: string | undefined;
  try {
    why = await performed(each, rules, exact);
  } catch (thrown) {
    if (!(thrown instanceof Excused)) throw thrown;
    yield { ...about, outcome: { status: "set-aside", rule: thrown.rule } };
    return;
  }
  yield await claims(about, [() => why]);
  for (const rule of rules) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
}

/** Every step of a case, to the first that comes out otherwise. */
async function performed(each: Case, rules: Set<string>, exact: ExactText): Promise<string | undefined> {
  const on = stage();
  let scene: Scene;
  try {
    scene = sceneOf(objectIn(each, "agent"), on);
  } catch (error) {
    return each["error"] === undefined ? `ours refuses the agent: ${String(error)}` : undefined;
  }
  if (each["error"] !== undefined) return ".NET refuses the agent, ours takes it";
  const performance = new Performance(each, scene, { rules, exact });
  for (const [index, step] of objects(each["steps"]).entries()) {
    const why = await performance.step(step);
    if (why !== undefined) return `step ${index}: ${why}`;
  }
  return undefined;
}

/** Ends a case: what follows would be about a session that the original has otherwise. */
class Excused {
  readonly rule: MafSessionRule | MafLoopRule;
  constructor(rule: MafSessionRule | MafLoopRule) {
    this.rule = rule;
  }
}

class Performance {
  readonly #each: Case;
  readonly #scene: Scene;
  readonly #rules: Set<string>;
  readonly #exact: ExactText;
  #session: AgentSession | undefined;
  /** Messages of runs that the original forgot. */
  readonly #kept = new Set<string>();
  #before: ReadonlySet<string> = new Set();
  #queued: readonly Message[] = [];
  /** Messages of the session from runs that the original remembers. */
  #committed = 0;
  readonly #tokens: (ContinuationToken | undefined)[][] = [];

  constructor(each: Case, scene: Scene, { rules, exact }: { readonly rules: Set<string>; readonly exact: ExactText }) {
    this.#exact = exact;
    this.#each = each;
    this.#scene = scene;
    this.#rules = rules;
  }

  async step(step: JsonObject): Promise<string | undefined> {
    if (isJsonObject(step["run"])) return this.#run(step["run"], step);
    const { agent } = this.#scene;
    const out = objectIn(step, "out");
    if (typeof step["restore"] === "string") {
      try {
        this.#session = await agent.deserializeSession(step["restore"]);
      } catch (error) {
        return out["error"] === undefined ? `ours refuses to restore: ${String(error)}` : undefined;
      }
      if (out["error"] !== undefined) return `.NET refuses to restore (${String(out["error"])})`;
    }
    this.#session ??= await agent.createSession();
    const session = this.#session;
    if (step["inject"] !== undefined) session.inject(readMessages(step["inject"]));
    if (isJsonObject(step["history"])) {
      const { set } = step["history"];
      if (set !== undefined) session.replaceMessages(readMessages(set));
    }
    const why =
      step["bag"] === undefined ? undefined : this.#bag(session, objects(step["bag"]), objects(out["results"]));
    return why ?? (await this.#compareSession(out));
  }

  #bag(
    { stateBag }: AgentSession,
    operations: readonly JsonObject[],
    expected: readonly JsonObject[],
  ): string | undefined {
    for (const [index, operation] of operations.entries()) {
      const wanted = expected[index] ?? {};
      let got: JsonObject;
      try {
        const { set, get, tryGet, remove, value = null } = operation;
        if (typeof set === "string") stateBag.set(set, value);
        const key = String(get ?? tryGet);
        if (typeof remove === "string") got = { removed: stateBag.remove(remove) };
        else got = set === undefined ? { value: stateBag.get(key) ?? null } : { done: true };
      } catch (error) {
        got = { error: String(error) };
      }
      if ((got["error"] === undefined) === (wanted["error"] === undefined)) continue;
      if (got["error"] === undefined) this.#rules.add("maf typed state" satisfies MafSessionRule);
      else return `bag ${index}: ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`;
    }
    return undefined;
  }

  async #run(run: JsonObject, step: JsonObject): Promise<string | undefined> {
    const { on } = this.#scene;
    this.#tokens.push([]);
    on.requests.length = 0;
    on.invocations.length = 0;
    this.#scene.told.length = 0;
    this.#scene.model = scriptedModel(step["script"] ?? [], on, this.#exact);
    const expected = objectIn(step, "out");
    this.#before = new Set(this.#kept);
    let result: Partial<Seen> = {};
    let session: AgentSession | undefined;
    try {
      session = await this.#sessionFor(run["session"]);
      if (run["session"] === "new" || isJsonObject(run["session"])) this.#committed = session?.messages.length ?? 0;
      this.#queued = session?.injectedMessages ?? [];
      result = await this.#perform(run, step, session);
    } catch (error) {
      result = { error, ...(isError(error) && { code: error.code }) };
    }
    const seen = this.#seen(step, run, result);
    if (session) this.#note(session, run, expected, result);
    const why =
      compared(seen, this.#rules, sessionForms) ??
      comparedBackground(on.requests, objects(seen.expected["requests"]), this.#rules) ??
      comparedTokens(this.#tokens.at(-1) ?? [], expected, this.#rules) ??
      this.#comparedProviders(run, expected, result) ??
      (session && (await this.#compareSession(expected, callsWithoutHistory(this.#each, step))));
    // A step that comes out as the original's needs no excuse, whatever it is about.
    const excused =
      why === undefined ? undefined : excuse(this.#each, step, { ...seen, waiting: waitingIn(session) }, why);
    if (excused) throw new Excused(excused);
    return why ?? this.#ended(expected);
  }

  #comparedProviders(run: JsonObject, expected: JsonObject, { response }: Partial<Seen>): string | undefined {
    const isCut =
      run["breakAfter"] !== undefined || run["cancelAfter"] !== undefined || expected["error"] !== undefined;
    if (response?.continuationToken && objects(expected["providers"]).length > this.#scene.told.length) {
      this.#rules.add("maf early telling" satisfies MafSessionRule);
      return undefined;
    }
    const goesOn = objectIn(run, "options")["continuationToken"] !== undefined;
    const told = goesOn ? this.#scene.told : this.#scene.told.map(each => this.#heard(each));
    return comparedProviders(told, { ...expected, isCut, goesOn }, this.#rules);
  }

  /** What was told, without what the original forgot. */
  #heard(told: JsonObject): JsonObject {
    const lists = ["messages", "request", "response"].flatMap(name => {
      const list = objects(told[name]);
      const left = list.filter(({ messageId }) => typeof messageId !== "string" || !this.#before.has(messageId));
      return told[name] === undefined ? [] : [[name, [...left]] as const];
    });
    return { ...told, ...Object.fromEntries(lists) };
  }

  /** Requests that the original keeps back are shown by ours: what comes next is another conversation. */
  #ended({ session }: JsonObject): undefined {
    const queue =
      typeof session === "string" && /"(?:queuedApprovalRequests|collectedApprovalResponses)":\[\{/.test(session);
    if (queue) throw new Excused("maf one request at a time");
    return undefined;
  }

  async #sessionFor(how: Json | undefined): Promise<AgentSession | undefined> {
    const { agent } = this.#scene;
    if (how === "none") return undefined;
    if (how === "foreign") return {} as AgentSession; // what is none
    if (isJsonObject(how)) {
      const { restore, conversation } = how;
      this.#session =
        typeof restore === "string"
          ? await agent.deserializeSession(restore)
          : await agent.createSession({ conversationId: String(conversation) });
    } else if (how === "new" || !this.#session) this.#session = await agent.createSession();
    else if (how === "roundtrip")
      this.#session = await agent.deserializeSession(await agent.serializeSession(this.#session, { as: "maf-text" }));
    return this.#session;
  }

  async #perform(run: JsonObject, step: JsonObject, session: AgentSession | undefined): Promise<Partial<Seen>> {
    const input = inputOf(run["input"], session);
    try {
      return await this.#said(input, { run, step, session });
    } catch (error) {
      const again =
        isError(error) && session && Array.isArray(input) ? mendedInput(input, error.code, session) : undefined;
      if (!again) throw error;
      this.#rules.add(again.rule);
      return this.#said(again.input, { run, step, session });
    }
  }

  async #said(
    input: string | readonly Message[] | undefined,
    { run, step, session }: { readonly run: JsonObject; readonly step: JsonObject; session: AgentSession | undefined },
  ): Promise<Partial<Seen>> {
    const { agent, on } = this.#scene;
    const options = {
      ...runOptionsOf(objectIn(run, "options"), objectIn(this.#each, "agent"), this.#scene),
      ...(session && { session }),
      ...this.#tokenFor(objectIn(run, "options")),
    };
    const tokens = this.#tokens.at(-1) ?? [];
    if (run["streaming"] !== true) {
      const response = await agent.run(input, options);
      tokens.push(response.continuationToken);
      return { response: inMaf(response) };
    }
    const updates = [];
    const counted = counter();
    let counts = 0;
    const [stopAfter, cancelAfter] = [run["breakAfter"], run["cancelAfter"]].map(count =>
      visibleUpdates({ ...this.#each, script: step["script"] ?? [] }, count),
    );
    for await (const update of agent.runStreaming(input, options)) {
      updates.push(update);
      const before = counts;
      const count = counted(update.events);
      counts = count;
      if (count > before) tokens.push(update.continuationToken);
      if (stopAfter === count) break;
      if (cancelAfter === count) on.caller.abort();
    }
    return { response: inMaf(accumulateUpdates(updates)) };
  }

  /** Through its bytes, in the original's form. */
  #tokenFor(options: JsonObject): Pick<RunOptions, "continuationToken"> {
    const { continuationToken: own, chatOptions } = options;
    const given = own ?? (isJsonObject(chatOptions) ? chatOptions["continuationToken"] : undefined);
    if (typeof given === "string") return { continuationToken: given };
    if (!isJsonObject(given)) return {};
    const { payload, base64, fromStep, update } = given;
    if (typeof base64 === "string") return { continuationToken: base64 };
    if (typeof payload === "string") return { continuationToken: Buffer.from(payload).toString("base64") };
    const tokens = this.#tokens[Number(fromStep)] ?? [];
    const token = typeof update === "number" ? tokens[update] : tokens.findLast(each => each !== undefined);
    if (!token) throw new Error(`no token came of step ${String(fromStep)}`);
    return { continuationToken: encodeMafToken(token) };
  }

  /** What the session has of a run that the original kept nothing of. */
  #note(session: AgentSession, run: JsonObject, expected: JsonObject, result: Partial<Seen>): void {
    const before = this.#committed;
    const queued = this.#queued.map(({ parts }) => JSON.stringify(parts));
    for (const { id, parts } of session.messages.slice(before))
      if (id !== undefined && queued.includes(JSON.stringify(parts))) this.#kept.add(id);
    const ownFault = result.response?.error?.code;
    if (ownFault === "context/failed") return;
    const isLost =
      expected["error"] !== undefined || run["breakAfter"] !== undefined || run["cancelAfter"] !== undefined;
    if (!isLost) {
      // A run that was cut and is over now is remembered.
      if (objectIn(run, "options")["continuationToken"] !== undefined) this.#kept.clear();
      this.#committed = session.messages.length;
      return;
    }
    // Where the history is kept call by call, what was said is kept though the answer is not.
    const flags = objectIn(objectIn(this.#each, "agent"), "flags");
    const keepsInput = flags["requirePerServiceCallChatHistoryPersistence"] === true && run["breakAfter"] !== undefined;
    for (const { id, role } of session.messages.slice(before))
      if (id !== undefined && !(keepsInput && role === "user")) this.#kept.add(id);
  }

  #seen(step: JsonObject, run: JsonObject, result: Partial<Seen>): Seen {
    const { on } = this.#scene;
    const out = objectIn(step, "out");
    const { requests: _, updates, toolCalls, ...rest } = out;
    // A reader that goes on has the beginning: what is new is compared as text.
    const goesOn = objectIn(run, "options")["continuationToken"] !== undefined;
    const combined =
      updates === undefined || goesOn ? {} : { combined: combinedText(updates, run["breakAfter"] !== undefined) };
    const { response, ...others } = rest;
    // Where it answers for people, its response is that of its last round.
    const isRounds = isJsonObject(objectIn(this.#each, "agent")["toolApproval"]) && response !== undefined;
    if (isRounds) this.#rules.add("maf last answers" satisfies MafSessionRule);
    const expected = {
      ...others,
      ...(isRounds || response === undefined ? {} : { response }),
      ...combined,
      requests: objects(out["requests"]).map(requestOf),
      invocations: objects(toolCalls).map(({ name, arguments: given }) => ({ name, callId: "", arguments: given })),
    } as JsonObject; // all of it JSON
    const stop = run["breakAfter"];
    const consumer = stop === undefined ? {} : { consumer: { stopAfterUpdates: stop } };
    return {
      each: { ...consumer, name: this.#each.name, out, script: withoutModels(step["script"] ?? []) },
      requests: on.requests.map(request => this.#remembered(request)),
      invocations: on.invocations.map(invocation => ({ ...invocation, callId: "" })),
      completions: [],
      expected,
      ...result,
    };
  }

  /** A request without what the original forgot. */
  #remembered(request: ModelRequest): ModelRequest {
    const { conversation } = request;
    const messages = this.#without(conversation.messages);
    return { ...request, conversation: { ...conversation, messages } };
  }

  #without(messages: readonly Message[]): readonly Message[] {
    const left = messages.filter(({ id }) => id === undefined || !this.#kept.has(id));
    if (left.length < messages.length) this.#rules.add("maf lost exchanges" satisfies MafSessionRule);
    return left;
  }

  async #compareSession(out: JsonObject, rebuilt: readonly string[] = []): Promise<string | undefined> {
    const { session: text } = out;
    if (typeof text !== "string" || !this.#session) return undefined;
    const { agent } = this.#scene;
    const own = await agent.serializeSession(this.#session, { as: "maf-text" });
    const kept = this.#kept;
    const isKept = (id: Json | undefined) => typeof id === "string" && kept.has(id);
    const isOpen = this.#session.hasOpenRun;
    return comparedSession({ ours: String(own), theirs: text, isKept, isOpen, rebuilt }, this.#rules);
  }
}

const waitingIn = (session: AgentSession | undefined): readonly string[] =>
  (session?.pendingApprovals ?? []).map(({ call }) => call.callId);

/** Its response names no conversation. */
function inMaf(response: AgentResponse): AgentResponse {
  const { conversationId: _, ...rest } = response;
  return rest;
}
