/**
 * OpenTelemetry for agents, by the GenAI semantic conventions 0.1.0
 * (https://github.com/open-telemetry/semantic-conventions-genai, read 2026-11-30).
 */

import { context, type Meter, metrics, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { accumulator, type Event, isError, isJsonObject } from "translogue";
import { messageOf, type RunError, thrownError } from "../errors.ts";
import type { Middleware, ModelCallContext, ToolCallContext } from "../middleware.ts";
import type { AgentResponseUpdate } from "../response.ts";
import type { RunContext } from "../run-context.ts";
import type { ToolReturn } from "../tools/tool.ts";
import { sumUsage } from "../usage.ts";
import { inputContent, outputContent, toolContent } from "./content.ts";
import {
  type Attributes,
  answerAttributes,
  attribute,
  outcomeOf,
  providerName,
  settingAttributes,
  usageAttributes,
} from "./conventions.ts";
import { Instruments } from "./instruments.ts";
import { inSpan, Timed } from "./timed.ts";

export interface TelemetryOptions {
  /** Default: the global provider's. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /**
   * Whether spans hold what was said: instructions, messages, arguments and results of tools, words of errors. Default
   * false: names, ids, counts, times and codes of errors only, also of agents used as tools.
   */
  readonly content?: boolean;
}

const name = "@translogue/agent";

/**
 * A span for every run (`invoke_agent`), model call (`chat`) and tool call (`execute_tool`), each ended once however it
 * ends, the children of a run under it; and the conventions' metrics of durations and tokens. Give it first in the list, so
 * that what the other layers do is inside.
 */
export function telemetry(options: TelemetryOptions = {}): Middleware {
  const { tracer = trace.getTracer(name), meter = metrics.getMeter(name), content = false } = options;
  const recorder = new Recorder(tracer, new Instruments(meter), content);
  return {
    run: (run, next) => recorder.run(run, () => next()),
    model: (call, next) => recorder.model(call, () => next()),
    tool: (call, next) => recorder.tool(call, () => next()),
  };
}

class Recorder {
  readonly #tracer: Tracer;
  readonly #instruments: Instruments;
  readonly #content: boolean;

  constructor(tracer: Tracer, instruments: Instruments, content: boolean) {
    this.#tracer = tracer;
    this.#instruments = instruments;
    this.#content = content;
  }

  async *run(run: RunContext, next: () => AsyncIterable<AgentResponseUpdate>) {
    const { agent, session, messages } = run;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      ...attribute("gen_ai.agent.name", agent.name),
      ...attribute("gen_ai.agent.description", this.#content ? agent.description : undefined),
      "gen_ai.conversation.id": session.id,
      ...(this.#content && inputContent(messages)),
    };
    const span = this.#start(`invoke_agent ${agent.name ?? agent.id}`, SpanKind.INTERNAL, attributes);
    const said = this.#content ? accumulator() : undefined;
    // Who leaves before the end has said nothing more.
    let outcome = "left";
    try {
      for await (const update of inSpan(span.span, next)) {
        said?.pushAll(update.events);
        if (update.isFinal) outcome = this.#runEnds(span, update);
        yield update;
      }
    } catch (thrown) {
      outcome = "failed";
      this.#fails(span, errorOf(thrown));
      throw thrown;
    } finally {
      if (said) span.span.setAttributes(outputContent(said.messages));
      span.end({ "translogue.run.outcome": outcome });
      this.#instruments.runTook(span, attributes);
    }
  }

  #runEnds(span: Timed, { finish, error, usage, responseId, model }: AgentResponseUpdate): string {
    span.span.setAttributes({
      "translogue.run.id": responseId,
      ...attribute("gen_ai.response.model", model),
      ...attribute("gen_ai.response.finish_reasons", finish && [finish.reason]),
      ...usageAttributes(usage),
    });
    if (error) this.#fails(span, error);
    return outcomeOf(finish);
  }

  async *model(call: ModelCallContext, next: () => AsyncIterable<readonly Event[]>) {
    const { model, request, session } = call;
    const { settings, messages, tools } = request.conversation;
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": providerName(model.provider),
      "gen_ai.request.model": model.id,
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": session.id,
      ...settingAttributes(settings),
      ...(this.#content && inputContent(messages, tools)),
    };
    const span = this.#start(`chat ${model.id}`, SpanKind.CLIENT, attributes);
    const answer = accumulator();
    let failed: RunError | undefined;
    const end = (): void => {
      if (span.isOver) return;
      const said = answer.messages;
      const usage = sumUsage(said);
      if (failed) this.#fails(span, failed);
      span.end({
        ...answerAttributes(said),
        ...usageAttributes(usage),
        ...attribute("gen_ai.response.time_to_first_chunk", span.firstAfter),
        ...(this.#content && outputContent(said)),
      });
      const model = said.at(-1)?.model;
      this.#instruments.modelTook(span, { ...attributes, ...attribute("gen_ai.response.model", model) }, usage);
    };
    // A model that does not listen to its signal is left to itself: its span ends when the run gives it up.
    request.signal?.addEventListener("abort", end, { once: true });
    try {
      for await (const events of inSpan(span.span, next)) {
        span.sees(events);
        for (const event of events) {
          if (event.type === "error") failed = event.error;
          else answer.push(event);
        }
        yield events;
      }
    } catch (thrown) {
      failed = thrownError(thrown);
      throw thrown;
    } finally {
      request.signal?.removeEventListener("abort", end);
      end();
    }
  }

  async tool(
    { tool, call, input, context: at }: ToolCallContext,
    next: () => Promise<ToolReturn>,
  ): Promise<ToolReturn> {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool.name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": call.callId,
      "gen_ai.conversation.id": at.session.id,
      ...attribute("gen_ai.agent.name", at.agent.name),
      ...attribute("gen_ai.tool.description", this.#content ? tool.description : undefined),
      ...(this.#content && toolContent("gen_ai.tool.call.arguments", input)),
    };
    const span = this.#start(`execute_tool ${tool.name}`, SpanKind.INTERNAL, attributes);
    const end = (failed?: { readonly by: unknown }): void => {
      if (span.isOver) return;
      if (failed && !isWaiting(failed.by)) this.#fails(span, errorOf(failed.by));
      span.end();
      this.#instruments.toolTook(span, attributes);
    };
    // A tool that does not listen to its signal is left to itself: its span ends when its call is given up.
    const leave = (): void => end({ by: at.signal.reason });
    at.signal.addEventListener("abort", leave, { once: true });
    try {
      const result = await context.with(trace.setSpan(context.active(), span.span), next);
      if (span.isOver) return result;
      if (this.#content) span.span.setAttributes(toolContent("gen_ai.tool.call.result", result));
      if (isFailure(result)) this.#fails(span, { code: "tool_error", message: "the tool says that it failed" });
      return result;
    } catch (thrown) {
      end({ by: thrown });
      throw thrown;
    } finally {
      at.signal.removeEventListener("abort", leave);
      end();
    }
  }

  #start(title: string, kind: SpanKind, attributes: Attributes): Timed {
    return new Timed(this.#tracer.startSpan(title, { kind, attributes }));
  }

  /** The words of an error may repeat what was said: they are content. */
  #fails(span: Timed, { code = "_OTHER", message }: RunError): void {
    span.error = code;
    span.span.setAttribute("error.type", code);
    span.span.setStatus({ code: SpanStatusCode.ERROR, ...(this.#content && { message }) });
  }
}

/** What is no error of ours is known by the name of its class, as the conventions have it. Anything may be thrown: proxies too. */
function errorOf(thrown: unknown): RunError {
  try {
    if (isError(thrown)) return thrownError(thrown);
    if (thrown instanceof Error) return { code: String(thrown.name), message: messageOf(thrown) };
  } catch {
    // One that cannot even be asked.
  }
  return { code: "_OTHER", message: messageOf(thrown) };
}

/** Its span ends as that of any call: a person is asked, and the call goes on in another. */
function isWaiting(thrown: unknown): boolean {
  try {
    return isError(thrown, "tool/waits");
  } catch {
    return false;
  }
}

/** The tool's own word, in either of the forms that it may give it in; the conventions name it as MCP's. */
const isFailure = (result: ToolReturn): boolean =>
  isJsonObject(result) &&
  (result["type"] === "tool-result" ? result["outcome"] === "error" : result["isError"] === true && "output" in result);
