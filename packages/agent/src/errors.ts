import { type ErrorOptions, isError, type StreamError, TranslogueError } from "translogue";
import { headOf } from "./cut-text.ts";

/** Every code of this package: thrown by a call, or told by the error event of a run, which throws no more once it has begun. */
export const agentErrors = {
  "agent/changed": "the run was begun under another version of the agent",
  "agent/invalid": "the agent's definition does not hold together",
  "agent/unknown": "a stored run is of an agent that this process does not have",
  "approval/answered": "the request was answered before",
  "approval/changed-call": "the answer names another call than the one that was asked about",
  "approval/unknown": "the answer is to a request that this session did not make",
  "engine/continued": "another run went on from the run that this one was to go on from",
  "engine/failed": "the body of a durable run threw",
  "engine/lost": "the run is another process's now, or its engine was closed",
  "engine/not-json": "what a durable run is given, does or gives is no JSON value, and cannot be kept",
  "engine/unknown-run": "the engine has no run of this id",
  "context/failed": "a context provider failed",
  "history/failed": "the store of the history failed",
  "input-request/answered": "what a call asked was answered before",
  "input-request/invalid": "the answer is not what the question's schema asks for",
  "input-request/unknown": "the answer is to a question that this session does not wait for",
  "input/invalid": "the input is no message, nor anything that reads as one",
  "input/unexpected-result": "the tool result answers no call that waits for one",
  "mcp/closed": "the connection to the MCP server was closed",
  "mcp/failed": "the MCP server did not answer as the protocol says",
  "mcp/invalid": "what MCP servers are joined with does not hold together",
  "mcp/refused": "what the MCP server asked for was not allowed",
  "mcp/unauthorised": "the MCP server wants its user to sign in",
  "mcp/unreachable": "the MCP server cannot be joined",
  "model/context-overflow": "the history is longer than the model reads",
  "model/cut": "the answer ended before its finish",
  "model/failed": "the model threw what is no error of ours",
  "model/malformed": "a model is named as provider/model",
  "model/no-credit": "the account at the host has nothing left to spend, or is at its limit",
  "model/no-endpoint": "no endpoint is known for the provider",
  "model/no-key": "the endpoint needs a key and none was given",
  "model/no-output": "the answer had nothing in it",
  "model/not-found": "the host does not know the model or the address",
  "model/not-listed": "the model is not one of those configured",
  "model/not-recorded": "the recording has no such request",
  "model/not-understood": "the host answered with what is neither a stream nor JSON",
  "model/rate-limited": "the host takes no more for now",
  "model/refused": "the host refused the request",
  "model/timeout": "the host sent nothing for too long",
  "model/unauthorised": "the host refused the key",
  "model/unavailable": "the host failed",
  "model/unknown-conversation": "the model keeps no such conversation",
  "model/unreachable": "the host cannot be reached",
  "model/waits": "the agent that is the model waits for a person",
  "options/invalid": "an option of the call is not of its type",
  "result/invalid": "the answer's text is not the value that was asked for",
  "result/none": "the answer has no value that was asked for",
  "session/busy": "the session has a run that has not ended",
  "session/invalid": "the value is no session, or no stored one",
  "session/unknown-version": "the session was stored by a version that this one does not read",
  "state/blank-key": "a key of the state bag has at least one character that is not blank",
  "state/not-json": "the state bag holds JSON values only",
  "token/invalid": "the continuation token is none, or of a run that the session does not have",
  "tool/duplicate-name": "two tools have one name",
  "tool/unknown": "the model called a tool that nobody knows",
  "tool/invalid": "the tool's definition does not hold together",
  "tool/waits": "the tool waits for a person's answer, and is run again with it",
} as const;

export type AgentErrorCode = keyof typeof agentErrors;

/** An error of one of this package's codes; `message` says what, where and what to do. */
export const failure = (code: AgentErrorCode, message: string, options?: ErrorOptions): TranslogueError =>
  new TranslogueError(code, message, options);

/** What is known of a failure beside its code and its words. */
export interface FailureDetails {
  /** The HTTP status of the answer, or the one that its error names. */
  readonly status?: number;
  /** The host's own word for it. */
  readonly code?: string;
  /** How long the host asks to wait, as it asks: it may be more than anyone waits for. */
  readonly retryAfterMs?: number;
}

/** Why a run failed: what its error event says, and the details. */
export interface RunError extends StreamError {
  readonly details?: FailureDetails;
}

/** Characters: more than anyone reads, and less than fills a model's window. */
const longestMessage = 20_000;

/**
 * What was thrown, in words, cut where they are too many; "" where it has none. Of objects only the members that say what
 * went wrong are told: clients throw theirs with the whole request, and so with its key. Never throws, though anything can
 * be thrown: getters and proxies too.
 */
export function messageOf(thrown: unknown): string {
  try {
    return clipped(typeof thrown === "object" && thrown !== null ? wordsOf(thrown) : String(thrown));
  } catch {
    return "";
  }
}

function wordsOf(thrown: object): string {
  const members = thrown as Readonly<Record<string, unknown>>; // any object may be asked
  const message = said(members["message"]);
  if (message !== "") return message;
  const {
    error,
    reason,
    detail,
    statusText,
    error_description: described,
    errors,
    cause,
    name,
    code,
    status,
  } = members;
  const [first] = Array.isArray(errors) ? errors : [];
  const words =
    [members["message"], error, reason, detail, described, statusText, first, cause]
      .map(inner => said(isObject(inner) ? inner["message"] : inner))
      .find(text => text !== "") ?? "";
  const kind = said(name) === "Error" ? "" : said(name);
  const facts = [kind, labelled("code", code), labelled("status", status)].filter(fact => fact !== "").join(", ");
  return words === "" || facts === "" ? words || facts : `${words} (${facts})`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const said = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

const labelled = (label: string, value: unknown): string => (said(value) === "" ? "" : `${label} ${said(value)}`);

function clipped(text: string): string {
  if (text.length <= longestMessage) return text;
  const head = headOf(text, longestMessage);
  return `${head}… (${text.length - head.length} more characters)`;
}

/** With a code of this package, or of one that has its codes in a namespace too; a bare word is a host's, and goes into the details. */
export function runError(error: RunError): RunError {
  const { code, message, retryable, details } = error;
  const own = code?.includes("/") ? code : undefined;
  const known = { ...(own === undefined && code !== undefined && { code }), ...details };
  return {
    code: own ?? "model/failed",
    message: message === "" ? agentErrors["model/failed"] : message,
    ...(retryable && { retryable }),
    ...(Object.keys(known).length > 0 && { details: known }),
  };
}

/** Whatever a model threw. */
export function thrownError(thrown: unknown): RunError {
  const message = messageOf(thrown);
  try {
    if (isError(thrown)) return runError({ code: thrown.code, message, retryable: thrown.retryable });
  } catch {
    // A proxy that cannot even be asked is none of ours.
  }
  return runError({ message });
}
