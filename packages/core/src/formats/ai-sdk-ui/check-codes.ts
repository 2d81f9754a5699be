import { formatPath, type Issue, type Path, type Severity } from "../../model/issue.ts";

/**
 * All that `checkUIMessages` can find. error: the SDK's `validateUIMessages` refuses the messages. warning: it takes them, but
 * something will go wrong or be left out when they are converted for a model. info: good to know.
 */
export const uiCheckCodes = {
  "no-messages": ["error", "There are no messages: nothing was given, or an empty list."],
  "missing-member": ["error", "A member that must be there is not."],
  "wrong-type": ["error", "A member is of another type than the SDK says."],
  "unknown-value": ["error", "A member has none of the values that it may have."],
  "unexpected-member": ["error", "A member that this state of a tool part may not have."],
  "unknown-type": ["error", "A part is of a type that the generation does not have."],
  "empty-message": ["error", "A message of the user or the system has no part."],
  "no-schema": ["error", "A data part or an open tool part has no schema among those given."],
  schema: ["error", "A value does not fit the schema given for it."],
  "schema-input": ["error", "An input is not what its schema makes of the input that was approved."],
  unreadable: ["error", "Reading a value threw an exception."],
  "too-many-issues": ["error", "There are more than 1,000 errors; the rest was not checked."],
  "no-parts": ["warning", "An assistant message has no part: it is left out when converted."],
  "empty-id": ["warning", "An id or the name of a tool is empty."],
  "duplicate-id": ["warning", "Two messages have the same id."],
  "duplicate-call": ["warning", "Two tool parts have the same call id: providers refuse the second."],
  "duplicate-approval": ["warning", "Two approvals have the same id: the first answer counts."],
  "orphan-approval": ["warning", "An approval told as data names no call of the messages."],
  "orphan-result": ["warning", "A result says no input that it came from."],
  "open-call": ["warning", "A call of an earlier message has no result: generations 6 and 7 refuse to go on."],
  "open-approval": ["warning", "An approval of an earlier message was never answered."],
  "unrun-approval": ["warning", "A granted call of an earlier message was never run."],
  "unfinished-part": ["warning", "A part of an earlier message is still streaming."],
  "misplaced-part": ["warning", "A part that is left out when a message of this role is converted."],
  "system-message": ["warning", "Generation 7 refuses system messages among the others unless they are allowed."],
  "not-a-url": ["warning", "A file's url is none: generation 7 throws when it converts the message."],
  "old-part": ["warning", "A part of AI SDK 4, which reads as a tool named `invocation`."],
  "not-json": ["warning", "A value is not plain JSON and does not survive being stored."],
  "more-warnings": ["info", "There are more than 1,000 warnings and the like; the rest is not told."],
  "unavailable-tool": [
    "info",
    "The SDK turns the part into a dynamic one: its tool is not given, or its input does not fit.",
  ],
  "unknown-member": ["info", "A member that the SDK's validator strips."],
} as const satisfies { readonly [code: string]: readonly [Severity, string] };

export type UICheckCode = keyof typeof uiCheckCodes;

const maxIssues = 1000;

/** Thrown inside of the check only, at too many issues. */
const enough = Symbol("enough issues");

/** Collects a thousand errors, and as much of what is none: what the SDK takes stays without an error, however long. */
export class UIIssues {
  readonly found: Issue[] = [];
  errors = 0;
  #others = 0;

  add(code: UICheckCode, path: Path, text: string): void {
    const isError = uiCheckCodes[code][0] === "error";
    const count = isError ? this.errors++ : this.#others++;
    if (count > maxIssues) return;
    if (count === maxIssues) {
      this.#tell(
        isError ? "too-many-issues" : "more-warnings",
        [],
        `More than ${maxIssues}: mend these and check again.`,
      );
      if (isError) throw enough;
      return;
    }
    this.#tell(code, path, `${path.length > 0 ? `\`${formatPath(path)}\`` : "The value"} ${text}`);
  }

  #tell(code: UICheckCode, path: Path, message: string): void {
    this.found.push({ code, severity: uiCheckCodes[code][0], path, message });
  }

  /** What a check that was cut short makes of it. */
  stopped(reason: unknown): void {
    if (reason === enough) return;
    this.errors++;
    this.#tell("unreadable", [], "The value threw an exception when it was read. Copy it into plain objects first.");
  }
}
