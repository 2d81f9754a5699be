import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "translogue";
import { jsonCopy } from "../json-copy.ts";
import type { ToolContext } from "../tools/tool.ts";

/** A tool call that a server has been sent, and that has no result yet. */
export interface OpenCall {
  /** As the server calls it. */
  readonly tool: string;
  readonly context: ToolContext;
  /** Settles with the call, or when it is given up. */
  readonly over: Promise<unknown>;
}

interface Asked {
  /** The server that asks, as it was named to `connectMcp`. */
  readonly server: string;
  /** The tool that asks, as the server calls it, and its call. Absent where an older server says it of none of several. */
  readonly tool?: string;
  readonly context?: ToolContext;
  /** For the person. */
  readonly message: string;
  /** The question is over: its run was stopped, its time is up, or its server gave up. */
  readonly signal: AbortSignal;
}

export interface FormQuestion extends Asked {
  /** JSON Schema of the content wanted: an object of texts, numbers, booleans and choices. */
  readonly schema: JsonObject;
}

/** What a person has to do at an address: sign in, pay, give a secret that neither the model nor this program may see. */
export interface UrlQuestion extends Asked {
  readonly url: string;
  readonly elicitationId?: string;
}

export type FormAnswer =
  | { readonly action: "accept"; readonly content: { readonly [name: string]: string | number | boolean | string[] } }
  | { readonly action: "decline" | "cancel" };

/** `accept`: the person was shown the address and agreed to go there. */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel";
}

/** Answers servers' questions. A server is told of what has a handler, and of nothing else. */
export interface QuestionHandlers {
  readonly form?: (question: FormQuestion) => FormAnswer | Promise<FormAnswer>;
  readonly url?: (question: UrlQuestion) => UrlAnswer | Promise<UrlAnswer>;
}

/** As the client announces it. */
export const questionCapability = ({ form, url }: QuestionHandlers) =>
  form || url ? { elicitation: { ...(form && { form: { applyDefaults: true } }), ...(url && { url: {} }) } } : {};

interface Asking {
  readonly server: string;
  readonly handlers: QuestionHandlers;
  /** The calls that a question may belong to: the one of this very request, else all that are open. */
  readonly calls: () => readonly OpenCall[];
}

export function answerQuestions(client: Client, asking: Asking): void {
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
    answered({ ...asking, given: mcpReq.signal }, params.message, asked =>
      params.mode === "url"
        ? asking.handlers.url?.({ ...asked, url: params.url, ...named(params.elicitationId) })
        : asking.handlers.form?.({ ...asked, schema: schemaOf(params.requestedSchema) }),
    ),
  );
}

/** Since 2026-07-28 it has none. */
const named = (elicitationId: string | undefined) => (elicitationId === undefined ? {} : { elicitationId });

const schemaOf = (schema: unknown): JsonObject => {
  const copy = jsonCopy(schema);
  return isJsonObject(copy) ? copy : {};
};

/** Sends the person to an address that a failed call named. True where they agreed. */
export async function sendTo(
  { url, message, elicitationId }: { readonly url: string; readonly message: string; readonly elicitationId: string },
  asking: Asking,
): Promise<boolean> {
  const { url: handler } = asking.handlers;
  const { action } = await answered(asking, message, asked => handler?.({ ...asked, url, elicitationId }));
  return action === "accept";
}

/** Of a form or a page. */
interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Extract<FormAnswer, { readonly content: unknown }>["content"];
}

/** The handler's answer; cancelled once nobody waits for it any more. */
async function answered(
  { server, calls, given }: Asking & { readonly given?: AbortSignal },
  message: string,
  ask: (asked: Asked) => Answer | undefined | Promise<Answer>,
): Promise<ElicitResult> {
  const open = calls();
  const [call] = open.length === 1 ? open : [];
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(given ? [given] : [])]);
  if (open.length > 0) void Promise.allSettled(open.map(each => each.over)).then(() => over.abort());
  const asked = { server, message, signal, ...(call && { tool: call.tool, context: call.context }) };
  const { action, content } = (await Promise.race([ask(asked), ended(signal)])) ?? { action: "cancel" as const };
  return { action, ...(action === "accept" && content && { content: { ...content } }) };
}

const ended = (signal: AbortSignal): Promise<undefined> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
