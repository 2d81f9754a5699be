import { type ErrorOptions, TranslogueError } from "translogue";

/** Every code of this package: thrown by a call, or told by the error event of a run, which throws no more once it has begun. */
export const agentErrors = {
  "agent/invalid": "the agent's definition does not hold together",
  "approval/answered": "the request was answered before",
  "approval/changed-call": "the answer names another call than the one that was asked about",
  "approval/unknown": "the answer is to a request that this session did not make",
  "input/invalid": "the input is no message, nor anything that reads as one",
  "input/unexpected-result": "the tool result answers no call that waits for one",
  "model/cut": "the answer ended before its finish",
  "model/failed": "the model threw what is no error of ours",
  "model/malformed": "a model is named as provider/model",
  "model/no-endpoint": "no endpoint is known for the provider",
  "model/no-key": "the endpoint needs a key and none was given",
  "model/no-output": "the answer had nothing in it",
  "model/not-found": "the host does not know the model or the address",
  "model/not-listed": "the model is not one of those configured",
  "model/not-understood": "the host answered with what is neither a stream nor JSON",
  "model/rate-limited": "the host takes no more for now",
  "model/refused": "the host refused the request",
  "model/timeout": "the host sent nothing for too long",
  "model/unauthorised": "the host refused the key",
  "model/unavailable": "the host failed",
  "model/unreachable": "the host cannot be reached",
  "session/busy": "the session has a run that has not ended",
  "session/invalid": "the value is no stored session",
  "session/unknown-version": "the session was stored by a version that this one does not read",
  "state/not-json": "the state bag holds JSON values only",
  "tool/duplicate-name": "two tools have one name",
  "tool/invalid": "the tool's definition does not hold together",
} as const;

export type AgentErrorCode = keyof typeof agentErrors;

/** An error of one of this package's codes; `message` says what, where and what to do. */
export const failure = (code: AgentErrorCode, message: string, options?: ErrorOptions): TranslogueError =>
  new TranslogueError(code, message, options);
