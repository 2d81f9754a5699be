import type { Issue } from "../../model/issue.ts";
import { UIIssues } from "./check-codes.ts";
import { checkRelations } from "./check-relations.ts";
import { type Place, type Rule, wrong } from "./check-rules.ts";
import { checkSchemas, type ReadMessage, type Schemas, validated } from "./check-schemas.ts";
import { messageRule } from "./check-shapes.ts";

export { type UICheckCode, uiCheckCodes } from "./check-codes.ts";
export type { CheckedTool, StandardValidator, ValidatorIssue, ValidatorResult } from "./check-schemas.ts";

/** A generation of the AI SDK. */
export type UIVersion = "v5" | "v6" | "v7";

export interface CheckUIOptions {
  /** Whose validator counts. Default: `v7`. */
  readonly version?: UIVersion;
}

/** Options with validators of the application's own. */
export interface CheckUISchemas extends CheckUIOptions, Schemas {}

/** A UI message that was found good: members that the SDK does not know are not in it. */
export interface CheckedUIMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly metadata?: unknown;
  readonly parts: readonly { readonly type: string; readonly [member: string]: unknown }[];
}

/** What `checkUIMessages` found. */
export interface UICheck {
  /** Those of severity `error` are what the SDK refuses; paths lead into the value given. */
  readonly issues: readonly Issue[];
  /** The messages as the SDK's validator gives them, with what schemas made of metadata and data; absent = there are errors. */
  readonly data?: readonly CheckedUIMessage[];
}

/**
 * What is wrong with a value as UI messages of a generation of the AI SDK. Never throws. An issue of severity `error` stands
 * where that generation's `validateUIMessages` refuses the messages, and all are told, not the first alone; warnings tell what
 * the SDK takes but stumbles over later.
 *
 * With schemas it answers at once where they do, and with a promise where one of them does: `await` it.
 */
export function checkUIMessages(messages: unknown, options?: CheckUIOptions & NoSchemas): UICheck;
export function checkUIMessages(messages: unknown, options: CheckUISchemas): UICheck | Promise<UICheck>;
export function checkUIMessages(messages: unknown, options: CheckUISchemas = {}): UICheck | Promise<UICheck> {
  const { version = "v7" } = options;
  const generation = generations[version];
  const issues = new UIIssues();
  const read = guarded(issues, () => readMessages(messages, { path: [], issues }, messageRule(generation))) ?? [];
  const end = (): UICheck => {
    guarded(issues, () => checkRelations(read, { generation, issues }));
    const whole = issues.errors === 0 ? { data: read as unknown as readonly CheckedUIMessage[] } : {}; // without an error all were read
    return { issues: issues.found, ...whole };
  };
  const waiting = guarded(issues, () => validated(checkSchemas(read, { schemas: options, generation, issues })));
  if (!waiting) return end();
  return Promise.resolve(waiting).then(end, (reason: unknown) => {
    issues.stopped(reason);
    return end();
  });
}

/** So that options with schemas in a variable are not taken for options without. */
interface NoSchemas {
  readonly metadata?: undefined;
  readonly data?: undefined;
  readonly tools?: undefined;
}

const generations = { v5: 5, v6: 6, v7: 7 } as const;

/** Each message as the SDK gives it; undefined where it has an error. */
function readMessages(value: unknown, place: Place, rule: Rule): readonly (ReadMessage | undefined)[] {
  const { issues } = place;
  if (value === undefined || value === null) {
    issues.add("no-messages", [], "is missing; expected a list of messages");
    return [];
  }
  if (!Array.isArray(value)) {
    wrong(value, "a list of messages", place);
    return [];
  }
  if (value.length === 0) issues.add("no-messages", [], "is an empty list; expected at least one message");
  return Array.from(value, (message: unknown, index) => {
    const before = issues.errors;
    const read = rule.read(message, { path: [index], issues }) as ReadMessage; // where it has no error
    if (issues.errors > before) return undefined;
    if (read.role !== "assistant" && read.parts.length === 0)
      issues.add(
        "empty-message",
        [index, "parts"],
        "is empty; a message of the user or the system needs at least one part",
      );
    return read;
  });
}

/** What a value that throws, or has too many faults, does to the check: it ends it. */
function guarded<T>(issues: UIIssues, run: () => T): T | undefined {
  try {
    return run();
  } catch (reason) {
    issues.stopped(reason);
    return undefined;
  }
}
