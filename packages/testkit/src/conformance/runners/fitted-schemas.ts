import { equalJson, isJsonObject, type Json, type Loss, type Path, type Tool } from "translogue";

/** What our encoder reported, and the tools that it was given. */
export interface Fitted {
  readonly losses: readonly Loss[];
  readonly tools: readonly Tool[];
}

interface Place {
  readonly path: Path;
  readonly theirs: unknown;
  readonly ours: unknown;
  /** Their whole request. */
  readonly request: unknown;
}

/**
 * Whether theirs differs from ours by what our report names at this very place: a schema that strict mode takes
 * (docs/decisions/007), or `strict` itself where no such schema says the same.
 */
export function isFitted(place: Place, { losses, tools }: Fitted): boolean {
  const { path, theirs, ours } = place;
  const key = path.at(-1);
  const at = placeIn(place, tools);
  if (!at) return false;
  if (key === "strict")
    return theirs === true && ours === false && losses.some(loss => loss.code === "strict-schema" && isAt(loss, at));
  return losses.some(loss => isAt(loss, at.slice(0, -1)) && tellsOf(loss, String(key), place));
}

const schemaKeys: ReadonlySet<string | number> = new Set([
  "parameters",
  "input_schema",
  "parametersJsonSchema",
  "schema",
  "json",
]);

/** The place in the conversation that a place of a request stands for. */
function placeIn({ path, request }: Place, tools: readonly Tool[]): Path | undefined {
  const from = path.findIndex(step => schemaKeys.has(step));
  const rest = from < 0 ? undefined : path.slice(from + 1);
  if (rest === undefined && path.at(-1) !== "strict") return undefined;
  const whole = (member: string): Path => (rest ? [member, ...rest] : ["strict"]);
  if (/^(response_format|text|output_config)$/.test(String(path[0])))
    return ["settings", "responseFormat", ...whole("schema")];
  const names = new Set(
    path.slice(0, from < 0 ? -1 : from).map((_, index) => nameAt(request, path.slice(0, index + 1))),
  );
  const index = tools.findIndex(({ name }) => names.has(name));
  return index < 0 ? undefined : ["tools", index, ...whole("input")];
}

function nameAt(request: unknown, path: Path): unknown {
  const value = path.reduce<unknown>(
    (at, step) =>
      Array.isArray(at) || isJsonObject(at) ? (at as { readonly [step: string]: unknown })[step] : undefined, // either by its step
    request,
  );
  return isJsonObject(value) ? value["name"] : undefined;
}

const isAt = ({ path }: Loss, place: Path): boolean => equalJson(path as Json, place as Json); // paths are JSON

/** Whether a loss is about this member of the schema where it stands. */
function tellsOf({ code, message }: Loss, key: string, { theirs, ours }: Place): boolean {
  if (message.endsWith(": it may be null, not absent")) return isOrNull(theirs, ours);
  if (code !== "schema-words") return message.endsWith(`: ${key}`);
  if (key === "description") return typeof ours === "string" && ours.startsWith(String(theirs));
  return ours === undefined && message.endsWith(`: ${key}`);
}

/** The same type or values, or null. */
function isOrNull(theirs: unknown, ours: unknown): boolean {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
  return JSON.stringify(ours) === JSON.stringify([...list(theirs), "null"]);
}

/** Whether ours says a loss of this kind. */
export const isReported = (code: RegExp, { fitted }: { readonly fitted?: Fitted | undefined }): boolean =>
  fitted?.losses.some(loss => code.test(loss.code)) === true;
