import type { Message, StreamError } from "translogue";

/** What clients are told of a model that failed. What its host said may tell of keys, accounts and addresses: it is for the log. */
const sentences: { readonly [code: string]: string } = {
  "model/cut": "the model's answer broke off; try again",
  "model/no-credit": "the server's account at the model's host has nothing left to spend; its operator can tell",
  "model/no-endpoint": "the server is not set up for this model; its operator can tell",
  "model/no-key": "the server has no credentials for the model's host; its operator can tell",
  "model/no-output": "the model answered nothing; try again",
  "model/not-found": "the model's host does not know the model",
  "model/not-understood": "the model's host answered with what the server cannot read",
  "model/rate-limited": "the model's host takes no more requests for now; wait a moment, then try again",
  "model/refused": "the model's host refused the request",
  "model/timeout": "the model's host did not answer in time; try again",
  "model/unauthorised": "the model's host refused the server's credentials; its operator can tell",
  "model/unavailable": "the model's host failed or is overloaded; try again in a moment",
  "model/unreachable": "the model's host cannot be reached; try again in a moment",
};

const general = "the model failed; the server's log has the cause";

/** Families of codes whose words are our own. */
const own = /^(?:demo|run|store|server|session|approval|input|tool|agent)\//;

const sentenceOf = (code: string | undefined): string =>
  code !== undefined && Object.hasOwn(sentences, code) ? (sentences[code] ?? general) : general;

/** An error as clients get it. */
export const publicError = (error: StreamError): StreamError =>
  error.code !== undefined && own.test(error.code) ? error : { ...error, message: sentenceOf(error.code) };

/** Messages as sessions keep them: their errors are in the words for clients. */
export const withPublicErrors = (messages: readonly Message[]): Message[] =>
  messages.map(message =>
    message.parts.some(({ type }) => type === "error")
      ? {
          ...message,
          parts: message.parts.map(part => (part.type === "error" ? { ...part, ...publicError(part) } : part)),
        }
      : message,
  );
