import { enough, Issues } from "./check-codes.ts";
import { checkRelations } from "./check-relations.ts";
import { StructureCheck } from "./check-structure.ts";
import type { Conversation } from "./conversation.ts";
import { streamShapes } from "./event-shapes.ts";
import { formatPath, type Issue, type Path } from "./issue.ts";
import { conversationShapes, type NamedShapes } from "./shapes.ts";

/**
 * What is wrong with a value as a conversation, whatever it is. Never throws. What nodes say to each other (ids, calls and
 * results, …) is checked once every member has its right type. No issue of severity `error` = it is a conversation.
 */
export const check = (value: unknown): Issue[] =>
  collect(issues => {
    if (!hasShape("Conversation", value, issues)) return;
    const conversation = value as Conversation; // its shape was checked
    checkRelations(conversation, (code, path, text) => issues.add(code, path, `\`${formatPath(path)}\` ${text}`));
  });

/** The same for a message by itself: what only its conversation can tell is left out. */
export const checkMessage = (value: unknown): Issue[] => collect(issues => hasShape("Message", value, issues));

/** The same for an event of a stream. */
export const checkEvent = (value: unknown): Issue[] =>
  collect(issues => hasShape("Event", value, issues, streamShapes));

function hasShape(name: string, value: unknown, issues: Issues, shapes: NamedShapes = conversationShapes): boolean {
  new StructureCheck(shapes, issues).value({ kind: "ref", to: name }, value);
  return !issues.hasErrors();
}

function collect(run: (issues: Issues) => void): Issue[] {
  const issues = new Issues();
  try {
    run(issues);
  } catch (error) {
    // A value that reads differently each time can still throw once its shape was checked.
    if (error !== enough) {
      issues.found.push({
        code: "unreadable",
        severity: "error",
        path: [],
        message: "The value threw an exception when it was read. Copy it into plain objects first.",
      });
    }
  }
  return issues.found;
}

/** The Standard Schema interface (standardschema.dev, version 1), so that any validator's user can take a conversation as a type. */
export interface StandardSchema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "translogue";
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string; readonly path: Path }[] };
    readonly types?: { readonly input: T; readonly output: T };
  };
}

/** `check` as a Standard Schema: issues of severity `error` fail. */
export const conversationSchema: StandardSchema<Conversation> = {
  "~standard": {
    version: 1,
    vendor: "translogue",
    validate: value => {
      const errors = check(value).filter(({ severity }) => severity === "error");
      if (errors.length > 0) return { issues: errors.map(({ message, path }) => ({ message, path })) };
      return { value: value as Conversation }; // it has no error
    },
  },
};
