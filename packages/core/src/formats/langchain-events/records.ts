import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Family of what records say beside their messages. */
export const recordsFamily = "langchain-events";

/** What a record of any of the forms is of. */
export type Read =
  | { readonly kind: "protocol"; readonly scope: string; readonly event: JsonObject; readonly head: JsonObject }
  | {
      readonly kind: "start" | "chunk" | "end";
      readonly scope: string;
      readonly message: Json | undefined;
      readonly head: JsonObject;
      /** What was put into the run. */
      readonly input: Json | undefined;
    }
  | { readonly kind: "tool"; readonly scope: string; readonly message: Json; readonly head: JsonObject }
  | { readonly kind: "other" };

const protocolEvents: ReadonlySet<Json | undefined> = new Set([
  "message-start",
  "content-block-start",
  "content-block-delta",
  "content-block-finish",
  "message-finish",
  "usage",
  "provider",
  "error",
]);

/** What a record of a run says of the run, the same in each of its records. */
const headMembers = ["run_id", "name", "tags", "metadata", "parent_ids"] as const;

const other: Read = { kind: "other" };

/** Reads a record: an event of the protocol, bare or in the envelope of a graph's stream, or a record of a run. */
export function readRecord(wire: Json): Read {
  if (!isJsonObject(wire)) return other;
  const { event, method, params } = wire;
  if (wire["type"] === "event" && isJsonObject(params)) return readEnvelope(method, params);
  if (protocolEvents.has(event)) return { kind: "protocol", scope: "", event: wire, head: {} };
  return typeof event === "string" ? readRun(event, wire) : other;
}

function readEnvelope(method: Json | undefined, params: JsonObject): Read {
  const { data, namespace = null, node } = params;
  if (!isJsonObject(data)) return other;
  const { run_id, output } = data;
  const head = { ...(node !== undefined && { node }), namespace, ...(run_id !== undefined && { run_id }) };
  const scope = JSON.stringify([namespace, run_id ?? null]);
  if (method === "messages" && protocolEvents.has(data["event"])) return { kind: "protocol", scope, event: data, head };
  if (method === "tools" && data["event"] === "tool-finished" && isMessage(output)) {
    return { kind: "tool", scope, message: output, head };
  }
  return other;
}

function readRun(event: string, wire: JsonObject): Read {
  const { data, run_id } = wire;
  const head = Object.fromEntries(
    headMembers.flatMap(key => (wire[key] === undefined || wire[key] === "" ? [] : [[key, wire[key] as Json]])),
  ); // it is there
  const scope = typeof run_id === "string" ? run_id : "";
  const inner = isJsonObject(data) ? data : {};
  switch (event) {
    case "on_chat_model_start":
    case "on_llm_start":
      return { kind: "start", scope, message: undefined, head, input: inner["input"] };
    case "on_chat_model_stream":
    case "on_llm_stream":
      return isMessage(inner["chunk"])
        ? { kind: "chunk", scope, message: inner["chunk"], head, input: undefined }
        : other;
    case "on_chat_model_end":
    case "on_llm_end":
      return { kind: "end", scope, message: outputOf(inner["output"]), head, input: inner["input"] };
    case "on_tool_end":
      return isMessage(inner["output"]) ? { kind: "tool", scope, message: inner["output"], head } : other;
    default:
      return other;
  }
}

export const isMessage = (value: Json | undefined): value is JsonObject =>
  isJsonObject(value) && (value["lc"] === 1 || "content" in value);

/** The first version of the records has the generations in its place. */
function outputOf(output: Json | undefined): Json | undefined {
  if (isMessage(output)) return output;
  const generations = isJsonObject(output) ? output["generations"] : undefined;
  const [first] = Array.isArray(generations) ? (generations as readonly Json[]) : []; // a list of JSON
  const generation = Array.isArray(first) ? (first[0] as Json | undefined) : first; // a list of JSON
  return isJsonObject(generation) ? generation["message"] : undefined;
}
