import { formatPath, type Issue, isJsonObject, type Json, type Path } from "translogue";
import { type CheckUISchemas, checkUIMessages, type UICheck } from "translogue/ai-sdk-ui";
import { z } from "zod";
import { difference } from "../../difference.ts";
import { type Generation, generations } from "../../generations.ts";
import { type CaseResult, claims, type FixtureFile } from "../case.ts";
import { untag } from "./tags.ts";

/** A tagged value as the SDK was given it: what JSON cannot hold is made again. */
function revived(value: Json): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (!isJsonObject(value)) return value;
  if (value["$undefined"] === true) return undefined;
  if (typeof value["$number"] === "string") return Number(value["$number"]);
  if (typeof value["$date"] === "string") return new Date(value["$date"]);
  if (typeof value["$url"] === "string") return new URL(value["$url"]);
  if (typeof value["$bytes"] === "string") return Uint8Array.from(Buffer.from(value["$bytes"], "base64"));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, revived(member)]));
}

interface About {
  readonly "case.schemas": { readonly source: { readonly [option: string]: { readonly [name: string]: string } } };
}

/** The schemas of the cases: source text → what it makes. Other text = the case is not run. */
const sources: { readonly [source: string]: z.ZodType } = {
  "z.object({ createdAt: z.number() })": z.object({ createdAt: z.number() }),
  "z.object({ createdAt: z.coerce.number() })": z.object({ createdAt: z.coerce.number() }),
  "z.object({ createdAt: z.number().default(7) })": z.object({ createdAt: z.number().default(7) }),
  "z.object({ x: z.number() })": z.object({ x: z.number() }),
  "z.string().transform(Number)": z.string().transform(Number),
  "z.object({ city: z.string() })": z.object({ city: z.string() }),
  "z.object({ temp: z.number() })": z.object({ temp: z.number() }),
  "z.object({ q: z.string().transform(s => s.toUpperCase()) })": z.object({
    q: z.string().transform(text => text.toUpperCase()),
  }),
};

/** Ours against what a generation's validator said of the same messages. */
export async function* validations(file: FixtureFile): AsyncIterable<CaseResult> {
  const { cases, about } = JSON.parse(file.read()) as { cases: { readonly [member: string]: Json }[]; about: About }; // as the folder's README says
  for (const each of cases) {
    for (const generation of generations) {
      const named = { format: "ai-sdk-ui check", name: `${String(each["name"])} ${generation}` };
      const expected = isJsonObject(each["out"]) ? each["out"][generation] : undefined;
      if (!isJsonObject(expected)) continue;
      const schemas = schemasOf(each["schemas"], about);
      if (!schemas) {
        yield { ...named, outcome: { status: "set-aside", rule: "unknown schema" } };
        continue;
      }
      const given = each["messages"] === undefined ? undefined : revived(each["messages"]);
      const found = await checkUIMessages(given, { version: generation, ...schemas });
      yield await claims(named, [() => agreement(found, expected, generation)]);
    }
  }
}

function schemasOf(given: Json | undefined, { "case.schemas": { source } }: About): CheckUISchemas | undefined {
  if (!isJsonObject(given)) return {};
  const known = (text: string | undefined): z.ZodType | undefined =>
    text !== undefined && Object.hasOwn(sources, text) ? sources[text] : undefined;
  const all: (z.ZodType | undefined)[] = [];
  const take = (text: string | undefined): z.ZodType => {
    const schema = known(text);
    all.push(schema);
    return schema ?? z.unknown();
  };
  const entries = (option: string): [string, string][] => Object.entries(source[option] ?? {});
  const tool = (text: string): { inputSchema: z.ZodType; outputSchema?: z.ZodType } => {
    const [, input, output] = /^inputSchema (.*?)(?:, outputSchema (.*))?$/.exec(text) ?? [];
    return { inputSchema: take(input), ...(output !== undefined && { outputSchema: take(output) }) };
  };
  const { metadata, data, tools } = given;
  const schemas = {
    ...(metadata !== undefined && { metadata: take(source["metadataSchema"]?.[String(metadata)]) }),
    ...(data === true && {
      data: Object.fromEntries(entries("dataSchemas").map(([name, text]) => [name, take(text)])),
    }),
    ...(tools === true && { tools: Object.fromEntries(entries("tools").map(([name, text]) => [name, tool(text)])) }),
  };
  return all.includes(undefined) ? undefined : schemas;
}

function agreement(
  found: UICheck,
  expected: { readonly [key: string]: Json },
  generation: Generation,
): string | undefined {
  const errors = found.issues.filter(({ severity }) => severity === "error");
  if (expected["success"] === true) {
    if (errors.length > 0) return `ai ${generation} takes them, and ours finds ${told(errors)}`;
    return difference(JSON.parse(JSON.stringify(found.data)), untag(expected["data"] ?? null));
  }
  if (errors.length === 0)
    return `ai ${generation} refuses them, and ours finds nothing: ${String(expected["error"]).slice(0, 300)}`;
  const missed = faultsOf(String(expected["error"])).find(fault => !errors.some(issue => isSame(issue, fault)));
  return missed && `ai ${generation} names ${formatPath(missed.path)} (${missed.kind}), and ours finds ${told(errors)}`;
}

const told = (issues: readonly Issue[]): string =>
  issues.map(({ code, path }) => `${code} at ${formatPath(path) || "the top"}`).join(", ");

/** A fault as the SDK names it. */
interface Fault {
  readonly path: Path;
  readonly kind: string;
  /** A union over all kinds of part says only which part. */
  readonly isUnion: boolean;
}

/** What the SDK's error says of places: zod's issues, behind the place of a value that has a schema of its own. */
export function faultsOf(error: string): Fault[] {
  const field = /^[^:]*: Type validation failed for (messages\S*)/.exec(error)?.[1];
  const at: Path = field === undefined ? [] : pathOf(field);
  const text = /Error message: ([\s\S]*)$/.exec(error)?.[1] ?? "";
  let issues: unknown;
  try {
    issues = JSON.parse(text);
  } catch {
    return field === undefined ? [] : [{ path: at, kind: "schema", isUnion: false }];
  }
  if (!Array.isArray(issues)) return [];
  // Without a field the issues of schemas of one's own cannot be told from those of the messages.
  const isPlaced = field !== undefined || issues.every(issue => isJsonObject(issue) && startsWithNumber(issue["path"]));
  return issues.filter(isJsonObject).flatMap(issue => (isPlaced ? [faultOf(issue, at, field !== undefined)] : []));
}

const startsWithNumber = (path: Json | undefined): boolean => Array.isArray(path) && typeof path[0] === "number";

function faultOf(
  { code, path, expected, discriminator, format }: { readonly [key: string]: Json },
  at: Path,
  isSchema: boolean,
): Fault {
  const inside = (Array.isArray(path) ? path : []).filter(step => typeof step === "string" || typeof step === "number");
  const isUnion = (code === "invalid_union" && discriminator === undefined) || format === "starts_with";
  const isType = format === "starts_with" ? inside.slice(0, -1) : inside;
  const kind = isSchema ? "schema" : expected === "never" ? "never" : String(code);
  return { path: [...at, ...isType], kind, isUnion };
}

const pathOf = (field: string): Path =>
  [...field.matchAll(/\[(\d+)\]|\.([A-Za-z]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "") : Number(index),
  );

/** The SDK's word for a kind of fault → ours. */
const kinds: { readonly [kind: string]: readonly string[] } = {
  schema: ["schema", "no-schema", "schema-input"],
  never: ["unexpected-member"],
  invalid_type: ["missing-member", "wrong-type"],
  invalid_value: ["unknown-value"],
  invalid_union: ["unknown-value", "unknown-type"],
  too_small: ["empty-message", "no-messages"],
};

function isSame({ code, path }: Issue, fault: Fault): boolean {
  const isHere = fault.path.every((step, index) => path[index] === step);
  if (fault.isUnion) return isHere;
  return isHere && path.length === fault.path.length && (kinds[fault.kind] ?? [code]).includes(code);
}
