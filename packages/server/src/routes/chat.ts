import { encode, type FormatRef, isError, isJsonObject, type JsonObject } from "translogue";
import { readJson } from "../body.ts";
import { type Envelope, isSessionId, readEnvelope, sessionIdRule } from "../chat/envelope.ts";
import { readMessages, type SentMessages } from "../chat/messages.ts";
import { shownMessages } from "../chat/questions.ts";
import { type Chat, type Started, startRun } from "../chat/run.ts";
import { chooseTools, refuseIncomplete, type ToolChoice } from "../chat/tools.ts";
import type { ChatAnswer, ValidationReport } from "../contract.ts";
import { HttpError } from "../http-error.ts";
import type { LiveRun, RunResult } from "../runs/live-run.ts";
import type { ResolvedConfig } from "../services.ts";
import { type Call, success } from "./call.ts";
import { chatFormat, streamResponse } from "./ui-stream.ts";

/** `POST /api/v1/chat` */
export async function chat(call: Call): Promise<Response> {
  const { config } = call.services;
  const { value, exact } = await readJson(call.request, { size: config.maxBodyBytes, depth: config.maxBodyDepth });
  if (!isJsonObject(value))
    throw new HttpError(400, "the body is no JSON object; send one with `model` and `messages`");
  const envelope = readEnvelope(value);
  const sent = readMessages({ value, exact }, envelope, config);
  const sessionId = sessionOf(call, envelope, sent);
  const choice = chooseTools(call.services, envelope);
  if (envelope.validateOnly || envelope.contextStrategy === "report") return success(report(config, envelope, choice));
  const model = findModel(config, envelope);
  if (envelope.contextStrategy === "error") refuseIncomplete(choice.reports);
  if (sent.messages.length === 0) throw new HttpError(400, "`messages` is empty; send at least one message");
  const instructions = instructionsOf(config, envelope);
  const format = chatFormat(call);
  const started = await startRun(call, { envelope, sent, model, choice, instructions, sessionId });
  const headers = headersOf({ envelope, sent, choice }, started);
  const { run } = started;
  if (envelope.stream) return streamResponse(run.follow(format), headers);
  return success(answerOf(await wholeRun(call, run), { format, choice }), headers);
}

function sessionOf({ request }: Call, { trigger, id }: Envelope, { isTurn }: SentMessages): string | undefined {
  const named = request.headers.get("translogue-session");
  if (named !== null && !isSessionId(named)) throw new HttpError(400, `\`Translogue-Session\` ${sessionIdRule}`);
  const sessionId = named ?? (trigger !== undefined || isTurn ? id : undefined);
  if (isTurn && sessionId === undefined) {
    throw new HttpError(
      400,
      "`message` adds a turn to a stored session; name it in `id`, or send the whole history as `messages`",
    );
  }
  return sessionId;
}

function findModel({ models, defaultModel }: ResolvedConfig, { model: asked }: Envelope): Chat["model"] {
  const ref = asked ?? defaultModel;
  try {
    const model = models.resolve(ref);
    if (asked !== undefined) refuseFromDemo(models.list, asked);
    return { ref: ref ?? `${model.provider}/${model.id}`, model };
  } catch (error) {
    if (isError(error, "model/malformed")) {
      const found = ref === undefined ? "and no model is named" : `found ${JSON.stringify(ref)}`;
      throw new HttpError(400, `Invalid model format. Expected 'provider/model', ${found}`, { cause: error });
    }
    if (isError(error, "model/not-listed")) throw new HttpError(403, notListed(ref), { cause: error });
    throw error;
  }
}

const notListed = (ref: string | undefined): string =>
  `Model '${ref}' is not in the allowed list. Use GET /api/v1/models to see available models.`;

/** Where no model is configured, the demo would answer in the name of any: who forgot a key would take it for the model. */
function refuseFromDemo(list: ResolvedConfig["models"]["list"], asked: string): void {
  const provider = asked.slice(0, asked.indexOf("/"));
  if (!list.some(({ isDemo }) => isDemo) || list.some(row => !row.isDemo || row.provider === provider)) return;
  const cure = "Only the demo is configured here; TRANSLOGUE_MODEL names others.";
  throw new HttpError(403, `${notListed(asked)} ${cure}`);
}

function report(config: ResolvedConfig, envelope: Envelope, { reports }: ToolChoice): ValidationReport {
  const model = modelReport(config, envelope);
  return { valid: model.valid && reports.every(({ valid }) => valid), model, tools: reports };
}

function modelReport(config: ResolvedConfig, envelope: Envelope): ValidationReport["model"] {
  try {
    findModel(config, envelope);
    return { valid: true };
  } catch (error) {
    if (error instanceof HttpError) return { valid: false, error: error.message };
    throw error;
  }
}

/** The request's own system text, else that of its prompt type: from its context, or the operator's. */
function instructionsOf(config: ResolvedConfig, { systemPrompt, promptType, context }: Envelope): string | undefined {
  if (systemPrompt !== undefined || promptType === undefined) return systemPrompt;
  const prompts: JsonObject = isJsonObject(context["systemPrompts"]) ? context["systemPrompts"] : {};
  const own = Object.hasOwn(prompts, promptType) ? prompts[promptType] : undefined;
  const known = config.promptTypes.find(({ id }) => id === promptType);
  if (typeof own === "string") return own;
  if (known) return known.prompt;
  throw new HttpError(400, `there is no prompt type \`${promptType}\`; see GET /api/v1/prompt-types`, {
    details: { issues: [{ code: "unknown-prompt-type", path: ["promptType"] }] },
  });
}

function headersOf(
  { envelope, sent, choice }: Pick<Chat, "envelope" | "sent" | "choice">,
  { run, late, isPruned }: Started,
): { readonly [name: string]: string } {
  return {
    "translogue-run": run.id,
    ...(choice.skipped.length > 0 && { "x-tools-skipped": choice.skipped.map(encodeURIComponent).join(",") }),
    ...(sent.dropped > 0 && { "x-messages-dropped": String(sent.dropped) }),
    ...(isPruned && { "x-message-pruned": "true" }),
    ...(envelope.ignored.length > 0 && { "x-options-ignored": envelope.ignored.join(",") }),
    ...(late.length > 0 && { "x-answers-ignored": late.map(encodeURIComponent).join(",") }),
  };
}

async function wholeRun({ request }: Call, run: LiveRun): Promise<RunResult> {
  const leave = run.attend();
  request.signal.addEventListener("abort", leave, { once: true });
  const result = await run.done;
  request.signal.removeEventListener("abort", leave);
  leave();
  if (result.outcome !== "failed") return result;
  const { message = "the run failed", code, retryable } = result.error ?? {};
  const details = { ...(code !== undefined && { errorCode: code }), ...(retryable !== undefined && { retryable }) };
  const wait = result.retryAfter === undefined ? {} : { "retry-after": result.retryAfter };
  throw new HttpError((code && statuses[code]) || 502, message, {
    details,
    headers: { "translogue-run": run.id, ...wait },
  });
}

/** What a client can do about a model that failed: wait, or nothing. */
const statuses: { readonly [code: string]: number } = {
  "model/rate-limited": 429,
  "model/unavailable": 503,
  "model/timeout": 504,
};

/** The answer of the document: one message a step, the usage of all steps, the tools that were called. */
function answerOf(
  { messages }: RunResult,
  { format, choice: { skipped } }: { readonly format: FormatRef; readonly choice: ToolChoice },
): ChatAnswer {
  const { value } = encode({ messages: shownMessages(messages) }, { to: format, shape: "answer", recipient: "client" });
  const answer = value as { readonly data: ChatAnswer }; // the format's shape `answer`
  return { ...answer.data, tools: { ...answer.data.tools, skipped } };
}
