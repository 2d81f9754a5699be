import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject } from "../../model/json.ts";
import type { UIIssues } from "./check-codes.ts";

/** What a validator says of a value. */
export type ValidatorResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidatorIssue[] };

export interface ValidatorIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A validator by the Standard Schema interface (standardschema.dev, version 1), as zod, valibot and others make them. */
export interface StandardValidator {
  readonly "~standard": {
    readonly validate: (value: unknown) => ValidatorResult | PromiseLike<ValidatorResult>;
  };
}

/** A tool as the check needs it: the SDK's own tools with Standard Schema validators are such. */
export interface CheckedTool {
  /** Absent = any input. */
  readonly inputSchema?: StandardValidator | undefined;
  /** Absent = any output. */
  readonly outputSchema?: StandardValidator | undefined;
}

export interface Schemas {
  /** For the metadata of every message, also of those that have none. */
  readonly metadata?: StandardValidator | undefined;
  /** For the data of `data-NAME` parts, by NAME. Given at all, a data part without one is an error. */
  readonly data?: { readonly [name: string]: StandardValidator } | undefined;
  /** For the inputs and outputs of `tool-NAME` parts, by NAME. Given at all, an open call without one is an error. */
  readonly tools?: { readonly [name: string]: CheckedTool } | undefined;
}

/** A message as the rules gave it: ours alone, so that its members can be set. */
export interface ReadMessage {
  readonly id: string;
  readonly role: string;
  metadata?: unknown;
  readonly parts: ReadPart[];
}
export interface ReadPart {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Steps that ask for validations and get their results: run at once as long as no validator makes them wait. */
type Steps<T> = Generator<Ask, T, ValidatorResult>;
interface Ask {
  readonly schema: StandardValidator;
  readonly value: unknown;
}

/** Runs the steps; a promise only where a validator gives one. */
export function validated(steps: Steps<void>): void | PromiseLike<void> {
  for (let next = steps.next(); !next.done; ) {
    const result = validate(next.value);
    if ("then" in result) return later(steps, result);
    next = steps.next(result);
  }
}

async function later(steps: Steps<void>, first: PromiseLike<ValidatorResult>): Promise<void> {
  for (let next = steps.next(await settled(first)); !next.done; ) {
    next = steps.next(await settled(validate(next.value)));
  }
}

function validate({ schema, value }: Ask): ValidatorResult | PromiseLike<ValidatorResult> {
  try {
    const result: unknown = schema["~standard"].validate(value);
    if (typeof result !== "object" || result === null) return threw(new Error("it gave no result"));
    return result as ReturnType<typeof validate>; // as the interface says
  } catch (error) {
    return threw(error);
  }
}

async function settled(result: ValidatorResult | PromiseLike<ValidatorResult>): Promise<ValidatorResult> {
  try {
    return await result;
  } catch (error) {
    return threw(error);
  }
}

const threw = (error: unknown): ValidatorResult => ({
  issues: [
    { message: `the validator threw: ${error instanceof Error ? error.message : "something that is no error"}` },
  ],
});

export interface SchemaCheck {
  readonly schemas: Schemas;
  readonly generation: 5 | 6 | 7;
  readonly issues: UIIssues;
}

/** Checks what the schemas are for, and puts in what the SDK would: what they make of metadata and data, dynamic parts for tools that are gone. */
export function* checkSchemas(messages: readonly (ReadMessage | undefined)[], check: SchemaCheck): Steps<void> {
  for (const [index, message] of messages.entries()) {
    if (!message) continue;
    const { metadata } = check.schemas;
    if (metadata) {
      const result = yield { schema: metadata, value: message.metadata };
      message.metadata = accepted(result, { path: [index, "metadata"], issues: check.issues })?.value;
    }
    for (const [place, part] of message.parts.entries()) {
      const path = [index, "parts", place];
      if (part.type.startsWith("data-")) message.parts[place] = yield* dataPart(part, path, check);
      else if (part.type.startsWith("tool-")) message.parts[place] = yield* toolPart(part, path, check);
    }
  }
}

/** The SDK itself takes what every object inherits (`constructor`) for the schema of data of that name. */
const own = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function accepted(
  result: ValidatorResult,
  { path, issues }: { readonly path: Path; readonly issues: UIIssues },
): { readonly value: unknown } | undefined {
  if (!result.issues) return { value: result.value };
  for (const { message, path: inside = [] } of result.issues) {
    issues.add("schema", [...path, ...inside.map(stepOf)], `does not fit its schema: ${message}`);
  }
  // A validator may refuse without a word.
  if (result.issues.length === 0) issues.add("schema", path, "does not fit its schema");
  return undefined;
}

function stepOf(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? key : String(key);
}

function* dataPart(part: ReadPart, path: Path, { schemas, issues }: SchemaCheck): Steps<ReadPart> {
  if (!schemas.data) return part;
  const name = part.type.slice("data-".length);
  const schema = own(schemas.data, name);
  if (!schema) {
    issues.add("no-schema", [...path, "data"], `has no schema: none was given for \`${name}\``);
    return part;
  }
  const result = accepted(yield { schema, value: part["data"] }, { path: [...path, "data"], issues });
  return result ? { ...part, data: result.value } : part;
}

const ended: readonly unknown[] = ["output-available", "output-error", "output-denied"];

function* toolPart(part: ReadPart, path: Path, check: SchemaCheck): Steps<ReadPart> {
  const { schemas, generation, issues } = check;
  if (!schemas.tools) return part;
  const state = part["state"];
  const name = part.type.slice("tool-".length);
  const tool = own(schemas.tools, name);
  if (!tool) {
    if (ended.includes(state) && (generation >= 6 || state !== "output-denied")) return unavailable(part, path, check);
    issues.add(
      "no-schema",
      [...path, "input"],
      `has no schema: no tool \`${name}\` was given, and the call is still open`,
    );
    return part;
  }
  const fault = yield* inputFault(part, path, { tool, check });
  if (state === "output-available" && tool.outputSchema) {
    const output = yield { schema: tool.outputSchema, value: part["output"] };
    accepted(output, { path: [...path, "output"], issues });
  }
  if (!fault) return part;
  const isEmpty = isJsonObject(part["input"]) && Object.keys(part["input"]).length === 0;
  if (state === "output-error" || (state === "output-available" && isEmpty)) return unavailable(part, path, check);
  fault();
  return part;
}

/** What is wrong with a call's input, as what reports it; undefined where nothing is, or its generation does not look. */
function* inputFault(
  part: ReadPart,
  path: Path,
  { tool, check }: { readonly tool: CheckedTool; readonly check: SchemaCheck },
): Steps<(() => void) | undefined> {
  const { generation, issues } = check;
  const { state, input, approval } = part;
  const asks = isJsonObject(approval) && generation >= 6 && Object.hasOwn(approval, "inputSchemaInput");
  const isUnlooked =
    state === "input-streaming" ||
    (generation < 6 && typeof state === "string" && /^approval-|^output-denied$/.test(state)) ||
    (state === "output-error" && !asks && input === undefined);
  if (isUnlooked || !tool.inputSchema) return undefined;
  const value: unknown = asks ? approval["inputSchemaInput"] : input;
  const result = yield { schema: tool.inputSchema, value };
  const place = { path: [...path, "input"], issues };
  if (result.issues) return () => void accepted(result, place);
  if (!asks || equalJson(result.value, input)) return undefined;
  return () =>
    issues.add("schema-input", place.path, "is not what the tool's schema makes of `approval.inputSchemaInput`");
}

/** A part whose tool is gone or has changed, as the SDK keeps it: dynamic, and marked as such. */
function unavailable(part: ReadPart, path: Path, { generation, issues }: SchemaCheck): ReadPart {
  issues.add(
    "unavailable-tool",
    path,
    "becomes dynamic: its tool is not given, or its input does not fit the tool's schema",
  );
  const name = part.type.slice("tool-".length);
  const dynamic = { ...part, type: "dynamic-tool", toolName: name, dynamic: false };
  if (generation >= 6) return dynamic;
  // Generation 5 has no approvals on dynamic parts, and leaves the raw input out.
  const { approval: _, rawInput: __, ...kept }: ReadPart = dynamic;
  return { ...kept, type: "dynamic-tool" };
}
