import type { AgentTool, Model, ModelRequest, ToolContext } from "@translogue/agent";
import {
  decode,
  type Event,
  type ExactText,
  emit,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  streamDecoder,
  type Tool,
} from "translogue";

/** The scripted model and the tools that are data: what the fixtures of the Microsoft Agent Framework say of them, as ours. */

/** A tool that ran, as the fixtures tell it. */
export interface Invocation {
  readonly name: string;
  readonly callId: string;
  readonly arguments: Json;
}

/** What a case's model was asked and which tools ran, in order. */
export interface Stage {
  readonly requests: ModelRequest[];
  readonly invocations: Invocation[];
  readonly completions: string[];
  /** The caller's own: a tool may abort it. */
  readonly caller: AbortController;
  /** The tools that the agent has now: a tool may add or remove some. */
  readonly tools: AgentTool[];
}

export const stage = (): Stage => ({
  requests: [],
  invocations: [],
  completions: [],
  caller: new AbortController(),
  tools: [],
});

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const objects = (value: Json | undefined): readonly JsonObject[] => list(value).filter(isJsonObject);

/** Answers by the script, one entry a call, over all runs of a case. */
export function scriptedModel(script: Json | undefined, { requests, caller }: Stage, exact?: ExactText): Model {
  const entries = objects(script);
  let calls = 0;
  return {
    id: "script",
    provider: "maf",
    async *stream(request) {
      requests.push(request);
      const entry = entries[calls++];
      caller.signal.throwIfAborted();
      if (!entry) throw new Error("the script has no more answers");
      if (request.continuation !== undefined && "updates" in entry) request.report?.({ goesOn: true });
      yield* "response" in entry ? whole(entry, request, exact) : streamed(entry, request);
      if (typeof entry["throws"] === "string") throw new Error(entry["throws"]);
    },
  };
}

function* whole(
  { response }: JsonObject,
  request: ModelRequest,
  exact: ExactText | undefined,
): Generator<readonly Event[]> {
  const { report } = request;
  if (!isJsonObject(response)) throw new Error("the model gave nothing");
  const { conversationId } = response;
  if (typeof conversationId === "string") report?.({ conversationId });
  const { messages } = decode(response, {
    from: "maf",
    shape: "answer",
    ...(exact && { exact }),
  }).conversation;
  const continuation = tokenIn(response, request);
  report?.({ continuation });
  if (continuation !== null) {
    yield emit(messages);
    return;
  }
  yield ended(messages.length > 0 ? messages : [{ role: "assistant", parts: [] }]);
}

async function* streamed({ updates, throws }: JsonObject, request: ModelRequest): AsyncGenerator<readonly Event[]> {
  const { report, signal } = request;
  const decoder = streamDecoder("maf");
  const heads = new Set<number>();
  let continuation: string | null = null;
  for (const update of list(updates)) {
    signal?.throwIfAborted();
    if (!isJsonObject(update)) throw new Error("the model's stream gave nothing");
    const { conversationId } = update;
    if (typeof conversationId === "string") report?.({ conversationId });
    continuation = tokenIn(update, request);
    report?.({ continuation });
    const events = decoder.push(update);
    for (const event of events) if (event.type === "message-start") heads.add(event.message);
    yield events;
  }
  if (throws !== undefined) return;
  if (continuation === null) report?.({ continuation });
  const events = decoder.end();
  if (heads.size === 0) return yield ended([{ role: "assistant", parts: [] }]);
  const isFinished = events.some(event => event.type === "message-set" && event.set.finish !== undefined);
  yield isFinished ? events : [...finishEvents(heads.size - 1), ...events];
}

/** Where the service goes on, in base64. */
const tokenIn = (
  { continuationToken: token }: JsonObject,
  { background, continuation }: ModelRequest,
): string | null => (typeof token === "string" && (background === true || continuation !== undefined) ? token : null);

/** .NET's scripts need not say that an answer is over; our models must. */
function ended(messages: readonly Message[]): readonly Event[] {
  const last = messages.at(-1);
  if (last?.finish || !last) return emit(messages);
  return emit([...messages.slice(0, -1), { ...last, finish: { reason: "stop" } }]);
}

const finishEvents = (message: number): readonly Event[] => [
  { type: "message-set", message, set: { finish: { reason: "stop" } } },
];

/** Tools by what a case says of them. Those that need no code of .NET's. */
export const scriptedTools = (tools: Json | undefined, on: Stage): AgentTool[] =>
  objects(tools).flatMap(tool => (isHosted(tool) ? [] : [scriptedTool(tool, on)]));

/** The tools that their provider runs. */
export const hostedTools = (tools: Json | undefined): Tool[] =>
  objects(tools).flatMap(tool => (isHosted(tool) ? [{ name: String(tool["name"]), kind: "web-search" }] : []));

const isHosted = ({ behaviour }: JsonObject): boolean => isJsonObject(behaviour) && behaviour["hosted"] === true;

function scriptedTool({ name, behaviour, factory, parameters }: JsonObject, on: Stage): AgentTool {
  const steps = isJsonObject(behaviour) ? behaviour : {};
  // A delegate without parameters is given none.
  const takes = (input: unknown): unknown => (factory === true && list(parameters).length === 0 ? {} : input);
  let calls = 0;
  return {
    name: String(name),
    input: { type: "object" },
    validate: value => ({ ok: true, value }),
    ...(steps["approvalRequired"] === true && { needsApproval: true }),
    ...(steps["declarationOnly"] !== true && {
      execute: async (input: unknown, context: ToolContext) => {
        on.invocations.push({ name: String(name), callId: context.callId, arguments: takes(input) as Json }); // JSON came in
        calls += 1;
        return await behave(steps, { input: takes(input), context, on, calls });
      },
    }),
  };
}

const cancelled = "The operation was canceled.";

interface Under {
  readonly input: unknown;
  readonly context: ToolContext;
  readonly on: Stage;
  /** Calls of this tool so far. */
  readonly calls: number;
}

async function behave(steps: JsonObject, { input, context, on, calls }: Under): Promise<never> {
  const { waitsFor, addsTool, removesTool, cancels, terminate, terminates, throws, failsTimes, throwsCancelled } =
    steps;
  if (typeof waitsFor === "string") await until(() => on.completions.includes(waitsFor));
  if (isJsonObject(addsTool)) on.tools.push(...scriptedTools([addsTool], on));
  if (typeof removesTool === "string") {
    const at = on.tools.findIndex(tool => tool.name === removesTool);
    if (at >= 0) on.tools.splice(at, 1);
  }
  if (cancels === true) {
    on.caller.abort();
    if (!("returns" in steps)) throw new Error(cancelled);
  }
  if (terminate === true || terminates === true) context.terminate();
  if (throwsCancelled === true) throw new DOMException(cancelled, "AbortError");
  if (typeof throws === "string" && (typeof failsTimes !== "number" || calls <= failsTimes)) throw new Error(throws);
  on.completions.push(context.toolName);
  return returned(steps, { input, callId: context.callId }) as never; // whatever a tool may return
}

/** Lets others go on until it is so. */
async function until(is: () => boolean): Promise<void> {
  for (let turns = 0; !is(); turns++) {
    if (turns > 1000) throw new Error("what the tool waits for never came");
    await new Promise<void>(resolve => setImmediate(resolve));
  }
}

function returned(steps: JsonObject, { input, callId }: { readonly input: unknown; readonly callId: string }): unknown {
  const { echo, returnsContent, returnsContents, returnsFunctionResult, returns } = steps;
  if (echo === true) return input;
  if (returnsContent !== undefined) return { type: "tool-result", callId, output: parts(returnsContent) };
  const contents = list(returnsContents);
  if (contents.length > 0) return { type: "tool-result", callId, output: parts(contents) };
  if (!isJsonObject(returnsFunctionResult)) return returnsContents ?? returns;
  // The result of another call is JSON like any other.
  return returnsFunctionResult["callId"] === callId ? parts(returnsFunctionResult)[0] : returnsFunctionResult;
}

const parts = (block: Json): readonly unknown[] =>
  decode(block, { from: "maf", shape: "block" }).conversation.messages.flatMap(message => message.parts);
