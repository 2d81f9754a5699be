import { isJsonObject, type Json, type Message, type Part, pairResults, type TranslogueError } from "translogue";
import { failure } from "../errors.ts";
import { type AgentResponse, type ResultOutcome, textOf, withOutcome } from "../response.ts";
import type { Validated } from "../tools/parameters.ts";
import { jsonIn, wordsIn } from "./json-in.ts";
import { type ReadFormat, type ResponseFormat, readResponseFormat } from "./response-format.ts";

/** The response with the value that its text is by the schema: what was asked for without a schema, or streamed, can be read so. */
export async function typed<T>(response: AgentResponse, format: ResponseFormat<T>): Promise<AgentResponse<T>> {
  return withOutcome(response, (await outcomeOf(response, readResponseFormat(format))) as ResultOutcome<T>); // what the schema says
}

export const typedBy = async (response: AgentResponse, format: ReadFormat): Promise<AgentResponse> =>
  withOutcome(response, await outcomeOf(response, format));

async function outcomeOf(response: AgentResponse, format: ReadFormat): Promise<ResultOutcome<unknown>> {
  const messages = lastAnswer(response.messages);
  const given = format.tool && givenBy(format.tool.name, response.messages);
  if (given !== undefined) return valued(given, format, response);
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

/** The first value that fits; where none does, why the first does not. */
async function read(text: string, format: ReadFormat, response: AgentResponse): Promise<ResultOutcome<unknown>> {
  let outcome: ResultOutcome<unknown> | undefined;
  for (const value of jsonIn(text)) {
    const found = await valued(value, format, response);
    if (found.ok) return found;
    outcome ??= found;
  }
  const { readWords } = format;
  let refusal: ResultOutcome<unknown> | undefined;
  for (const words of isWhole(response) ? wordsIn(text) : []) {
    if (!readWords) break;
    const found = validated(await readWords(words), response);
    if (found.ok) return found;
    refusal ??= found;
  }
  return refusal ?? outcome ?? refused("result/invalid", response, "it is no JSON");
}

/** Words that were cut are no less a text: only the end of the run says it. */
const isWhole = ({ finish }: AgentResponse): boolean => finish === undefined || finish.reason === "stop";

/** The arguments of the call that the tool took. */
function givenBy(name: string, messages: readonly Message[]): Json | undefined {
  const taken = new Set<Part>();
  for (const [result, call] of pairResults(messages))
    if (result.outcome === undefined && !result.preliminary) taken.add(call);
  const parts = messages.flatMap(message => message.parts);
  const call = parts.findLast(part => part.type === "tool-call" && part.name === name && taken.has(part));
  return call?.type === "tool-call" ? call.input : undefined;
}

async function valued(given: Json, format: ReadFormat, response: AgentResponse): Promise<ResultOutcome<unknown>> {
  const { holder } = format;
  const isHeld = holder !== undefined && isJsonObject(given) && Object.hasOwn(given, holder);
  const value = isHeld ? given[holder] : given;
  return validated(await format.read(value), response);
}

const validated = (read: Validated, response: AgentResponse): ResultOutcome<unknown> =>
  read.ok ? { ok: true, value: read.value } : refused("result/invalid", response, read.problem);

function refused(code: "result/none" | "result/invalid", response: AgentResponse, why: string): ResultOutcome<never> {
  const { finish, text } = response;
  const ended = finish && finish.reason !== "stop" ? ` (the run ended with \`${finish.raw ?? finish.reason}\`)` : "";
  const error: TranslogueError = failure(code, `the answer is not what was asked for: ${why}${ended}`, {
    data: { text, ...(finish && { finish: finish.reason }) },
  });
  return { ok: false, error };
}
