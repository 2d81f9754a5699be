import {
  type Agent,
  Agent as AgentClass,
  type AgentResponseUpdate,
  type AgentSession,
  type AgentTool,
  type AutoApproval,
  createAgent,
  DelegatingAgent,
  type Middleware,
  type RunContext,
  type RunOptions,
  surrounded,
  type ToolContext,
} from "@translogue/agent";
import { emit, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { readChatOptions } from "translogue/maf";
import { objectIn, objects, readMessages } from "./maf-loop-compared.ts";
import { type Stage, scriptedModel, scriptedTools } from "./maf-script.ts";

/** The agent of a case with all that its pipeline lays around it; what they do is told line by line, as the original tells it. */

export interface Pipeline {
  readonly agent: Agent;
  readonly on: Stage;
  /** One line for each thing that was done. */
  readonly trace: string[];
  /** Of the step that is being run. */
  script: Json | undefined;
}

export function pipelineOf(each: JsonObject, on: Stage): Pipeline {
  const trace: string[] = [];
  const items = objects(each["pipeline"]);
  const callbacks = items.filter(({ kind }) => kind === "function");
  const pipeline: { script: Json | undefined } = { script: [] };
  const about = objectIn(each, "agent");
  let model = scriptedModel([], on);
  let script: Json | undefined;
  const agent = createAgent({
    ...namesOf(about),
    model: {
      id: "script",
      provider: "maf",
      stream: request => {
        if (script !== pipeline.script) model = scriptedModel(pipeline.script, on);
        script = pipeline.script;
        trace.push(`model: ${textsOf(request.conversation.messages.filter(isSaid)).join(" | ")}`);
        return model.stream(request);
      },
    },
    ...(typeof about["instructions"] === "string" && { instructions: about["instructions"] }),
    settings: readChatOptions(objectIn(about, "chatOptions")).settings ?? {},
    tools: scriptedTools(about["tools"], on).map((tool, index) =>
      tracedTool(tool, objectIn(objects(about["tools"])[index] ?? {}, "behaviour"), trace),
    ),
    // Of the original's callbacks the last is the outermost.
    middleware: callbacks.toReversed().map(callback => ({ tool: callbackOf(callback, trace) })),
    approvals: { mixed: "hold", auto: items.flatMap(automatic) },
    toolExecution: "serial",
    toolErrors: "hidden",
    limits: { finalAnswer: true },
  });
  const whole = items.reduceRight<Agent>((inner, item) => layer(inner, item, trace), agent);
  return Object.assign(pipeline, { agent: whole, on, trace });
}

const namesOf = ({ id, name, description }: JsonObject) => ({
  ...(typeof id === "string" && { id }),
  ...(typeof name === "string" && { name }),
  ...(typeof description === "string" && { description }),
});

const automatic = ({ approvesAll, autoApprovalRules }: JsonObject): readonly AutoApproval[] => [
  ...(approvesAll === true ? [() => true] : []),
  ...objects(autoApprovalRules).map(
    ({ tool }): AutoApproval =>
      call =>
        call.name === tool,
  ),
];
const isSaid = ({ synthetic }: Message): boolean => synthetic !== "instructions";
const textOf = ({ parts }: Message): string => parts.map(part => (part.type === "text" ? part.text : "")).join("");
const textsOf = (messages: readonly Message[]): readonly string[] => messages.map(textOf);

function layer(inner: Agent, item: JsonObject, trace: string[]): Agent {
  switch (item["kind"]) {
    case "function":
    case "toolApproval":
      return inner;
    case "agent":
      return new TracingAgent(inner, item, trace);
    case "null":
      return surrounded(inner, [null as unknown as Middleware]); // what a factory gave
    case "neither":
      return surrounded(inner, [{}]);
    case "messageProviders":
      return surrounded(inner, [
        { run: (context, next) => provided(objects(item["providers"]), { context, next, trace }) },
      ]);
    default:
      return surrounded(inner, [{ run: (context, next) => called(item, { context, next, trace }) }]);
  }
}

/** What the context of the run tells here, class names aside. */
function contextLine(where: string): string {
  const context = AgentClass.currentRunContext;
  if (!context) return `${where}: no run context`;
  return `in ${where}: agent=${context.agent.name ?? ""} messages=[${textsOf(context.messages).join(" | ")}]`;
}

class TracingAgent extends DelegatingAgent {
  readonly #item: JsonObject;
  readonly #trace: string[];

  constructor(inner: Agent, item: JsonObject, trace: string[]) {
    super(inner);
    this.#item = item;
    this.#trace = trace;
  }

  protected override async runCore(messages: readonly Message[], session: AgentSession, options: RunOptions) {
    this.#before(messages);
    const response = await super.runCore(messages, session, options);
    this.#trace.push(`${String(this.#item["name"])} after`);
    return response;
  }

  protected override async *runCoreStreaming(messages: readonly Message[], session: AgentSession, options: RunOptions) {
    this.#before(messages);
    yield* super.runCoreStreaming(messages, session, options);
    this.#trace.push(`${String(this.#item["name"])} after`);
  }

  #before(messages: readonly Message[]): void {
    const name = String(this.#item["name"]);
    this.#trace.push(`${name} before: ${said(messages)}`, contextLine(name));
  }
}

const said = (messages: readonly Message[]): string =>
  `[${messages.map(message => `${message.role}:${textOf(message)}`).join(" | ")}]`;

interface Around {
  readonly context: RunContext;
  readonly next: (context?: RunContext) => AsyncIterable<AgentResponseUpdate>;
  readonly trace: string[];
}

async function* called(item: JsonObject, { context, next, trace }: Around): AsyncIterable<AgentResponseUpdate> {
  const { name, tracesContext, throwsBefore, throwsAfter, answers, addsProperty, dropsSession } = item;
  trace.push(`${String(name)} before: ${said(context.messages)}`);
  if (tracesContext === true) trace.push(contextLine(String(name)));
  if (typeof throwsBefore === "string") throw new Error(throwsBefore);
  if (typeof answers === "string") {
    yield answerOf(answers);
    return;
  }
  const { additionalProperties } = context.options;
  yield* next({
    ...context,
    messages: changedInput(context.messages, item),
    ...(dropsSession === true && { session: await context.agent.createSession() }),
    ...(isJsonObject(addsProperty) && {
      options: { ...context.options, additionalProperties: { ...additionalProperties, ...addsProperty } },
    }),
  });
  trace.push(`${String(name)} after`);
  if (tracesContext === true) trace.push(contextLine(`${String(name)} afterwards`));
  if (typeof throwsAfter === "string") throw new Error(throwsAfter);
}

function changedInput(messages: readonly Message[], { replacesInput, appends }: JsonObject): readonly Message[] {
  const given = typeof replacesInput === "string" ? [user(replacesInput)] : messages;
  return typeof appends === "string" ? [...given, user(appends)] : given;
}

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

/** An answer that no agent gave. */
const answerOf = (text: string): AgentResponseUpdate => ({
  events: emit([{ role: "assistant", parts: [{ type: "text", text }], finish: { reason: "stop" } }]),
  text,
  agentId: "",
  responseId: "",
  isFinal: true,
});

async function* provided(
  providers: readonly JsonObject[],
  { context, next, trace }: Around,
): AsyncIterable<AgentResponseUpdate> {
  const added: Message[] = [];
  for (const { name, messages, throwsOnInvoking } of providers) {
    if (typeof throwsOnInvoking === "string") throw new Error(throwsOnInvoking);
    trace.push(`provider ${String(name)} provide`);
    added.push(...readMessages(messages));
  }
  let isFailed = false;
  for await (const update of next({ ...context, messages: [...context.messages, ...added] })) {
    isFailed = update.error !== undefined;
    yield update;
  }
  for (const { name, throwsOnInvoked } of providers) {
    trace.push(`provider ${String(name)} invoked${isFailed ? " with error" : ""}`);
    if (typeof throwsOnInvoked === "string") throw new Error(throwsOnInvoked);
  }
}

function callbackOf(item: JsonObject, trace: string[]): NonNullable<Middleware["tool"]> {
  const { name, setsArgument, answers, throws, tracesContext } = item;
  return async (context, next) => {
    const { call, input } = context;
    trace.push(`${String(name)} before ${call.name}${JSON.stringify(input)} agent=${context.context.agent.name ?? ""}`);
    if (tracesContext === true) trace.push(contextLine(String(name)));
    if (typeof throws === "string") throw new Error(throws);
    if (answers !== undefined) {
      trace.push(`${String(name)} answers`);
      return answers;
    }
    const changed = isJsonObject(setsArgument) && isJsonObject(input) ? { ...input, ...setsArgument } : input;
    const returned = await next({ ...context, input: changed });
    trace.push(`${String(name)} after: ${JSON.stringify(returned)}`);
    return returned;
  };
}

function tracedTool(tool: AgentTool, behaviour: JsonObject, trace: string[]): AgentTool {
  const { execute } = tool;
  if (!execute) return tool;
  return {
    ...tool,
    execute: (input: unknown, context: ToolContext) => {
      trace.push(`tool ${tool.name}${JSON.stringify(input)}`);
      if (behaviour["tracesContext"] === true) trace.push(contextLine(`tool ${tool.name}`));
      return execute(input, context);
    },
  };
}

/** The original's lines without what is .NET's own: modes of running, classes, options, updates one by one. */
export function comparableTrace(lines: Json | undefined): readonly string[] {
  const told = Array.isArray(lines) ? lines.map(String) : [];
  const kept = told
    .filter(line => !/^\S+ update: /.test(line))
    .map(line =>
      line
        .replace(/^(?:outer |inner )?model (?:run|stream):/, "model:")
        .replace(/^(\S+) before (?:run|stream):/, "$1 before:")
        .replace(/^(\S+) after (?:run|stream)\b.*$/, "$1 after")
        .replace(/ session=(?:the given one|yes|null|another|new)?(?= |$)/, "")
        .replace(/ options=\S*$/, "")
        .replace(/ iteration=\d+ index=\d+ count=\d+ streaming=\w+/, "")
        .replace(/agent=\w+:/, "agent="),
    );
  return kept.filter((line, index) => line !== kept[index - 1] || !line.includes("no run context"));
}

export { contextLine };
