import { isJsonObject, type Message, type TranslogueError } from "translogue";
import { failure } from "../errors.ts";
import { type AgentResponse, type ResultOutcome, textOf, withOutcome } from "../response.ts";
import type { Validated } from "../tools/parameters.ts";
import { firstJson } from "./first-json.ts";
import { type ReadFormat, type ResponseFormat, readResponseFormat } from "./response-format.ts";

/** The response with the value that its text is by the schema: what was asked for without a schema, or streamed, can be read so. */
export async function typed<T>(response: AgentResponse, format: ResponseFormat<T>): Promise<AgentResponse<T>> {
  return withOutcome(response, (await outcomeOf(response, readResponseFormat(format))) as ResultOutcome<T>); // what the schema says
}

export const typedBy = async (response: AgentResponse, format: ReadFormat): Promise<AgentResponse> =>
  withOutcome(response, await outcomeOf(response, format));

async function outcomeOf(response: AgentResponse, format: ReadFormat): Promise<ResultOutcome<unknown>> {
  const messages = lastAnswer(response.messages);
  if (format.asked.type === "text") return { ok: true, value: textOf(messages) };
  let outcome: ResultOutcome<unknown> | undefined;
  for (const text of textsOf(messages)) {
    const found = await read(text, format, response);
    if (found.ok) return found;
    outcome ??= found;
  }
  return outcome ?? refused("result/none", response, "it has no text");
}

/** Texts of earlier steps are talk on the way. */
function lastAnswer(messages: readonly Message[]): readonly Message[] {
  const results = messages.findLastIndex(({ role }) => role === "tool");
  return messages.slice(results + 1).filter(({ role, audience }) => role === "assistant" && audience !== "user");
}

/** The whole answer, and its last message, where those before it were talk. */
function textsOf(messages: readonly Message[]): readonly string[] {
  const last = messages.findLast(({ parts }) => parts.some(({ type }) => type === "text"));
  return [...new Set([textOf(messages), textOf(last ? [last] : [])])].filter(text => text.trim() !== "");
}

async function read(text: string, format: ReadFormat, response: AgentResponse): Promise<ResultOutcome<unknown>> {
  const json = firstJson(text);
  if (!json) return refused("result/invalid", response, "it is no JSON");
  const { holder } = format;
  const isHeld = holder !== undefined && isJsonObject(json.value) && Object.hasOwn(json.value, holder);
  const value = isHeld && isJsonObject(json.value) ? json.value[holder] : json.value;
  const validated: Validated = await format.read(value);
  if (validated.ok) return { ok: true, value: validated.value };
  return refused("result/invalid", response, validated.problem);
}

function refused(code: "result/none" | "result/invalid", response: AgentResponse, why: string): ResultOutcome<never> {
  const { finish, text } = response;
  const ended = finish && finish.reason !== "stop" ? ` (the run ended with \`${finish.raw ?? finish.reason}\`)` : "";
  const error: TranslogueError = failure(code, `the answer is not what was asked for: ${why}${ended}`, {
    data: { text, ...(finish && { finish: finish.reason }) },
  });
  return { ok: false, error };
}
