import { isJsonObject, type Json, type JsonObject } from "translogue";

/** Turns and blocks that say nothing, which LangChain's adapters send and ours leaves out, or the other way round. */

const lists = ["messages", "contents", "input"] as const;

/** A request without them: so what stands behind them is compared with its own. */
export function withoutSilence(request: JsonObject): JsonObject {
  const kept: { [name: string]: Json } = {};
  for (const name of lists) {
    const turns = request[name];
    if (Array.isArray(turns)) kept[name] = (turns as readonly Json[]).flatMap(turn => spoken(turn)); // a list of JSON
  }
  return { ...request, ...kept };
}

function spoken(turn: Json): readonly Json[] {
  if (!isJsonObject(turn) || turn["role"] === undefined) return [turn];
  const name = turn["parts"] === undefined ? "content" : "parts";
  const said = turn[name];
  const left = Array.isArray(said) ? (said as readonly Json[]).flatMap(speaking) : said; // a list of JSON
  const isSilent = left === "" || (Array.isArray(left) && left.length === 0 && name === "parts") || isBare(turn, left);
  return isSilent && !isBound(turn) ? [] : [{ ...turn, ...(left !== undefined && { [name]: left }) }];
}

/** A turn of which nothing is left but who said it. */
const isBare = (turn: JsonObject, left: Json | undefined): boolean =>
  Array.isArray(left) && left.length === 0 && Object.keys(turn).every(key => ["role", "content", "type"].includes(key));

/** Calls, results and marks stand beside the words. */
const isBound = (turn: JsonObject): boolean =>
  ["tool_calls", "tool_call_id", "refusal", "prefix"].some(key => {
    const value = turn[key];
    return value !== undefined && value !== null && value !== false;
  });

function speaking(block: Json): readonly Json[] {
  if (!isJsonObject(block)) return [block];
  const { type, text, functionResponse, ...others } = block;
  if (text === "" && Object.keys(others).length === 0 && functionResponse === undefined) return [];
  return isJsonObject(functionResponse) ? [{ ...block, functionResponse: withOutput(functionResponse) }] : [block];
}

/** A tool that gave no words gave none, however it is spelled. */
function withOutput(result: JsonObject): JsonObject {
  const { response } = result;
  if (!isJsonObject(response)) return result;
  const { output } = response;
  const isNothing =
    output === "" ||
    (Array.isArray(output) && output.length === 0) ||
    (isJsonObject(output ?? null) && Object.keys(output as JsonObject).length === 0); // just looked at
  return isNothing ? { ...result, response: {} } : result;
}
