import type { Issue, Path, Severity } from "./issue.ts";

/** All that `check` can find. error: code written against the types would fail on it. warning: it holds, but something will go wrong with it. */
export const checkCodes = {
  "wrong-type": ["error", "A member is of another type than the model says."],
  "missing-member": ["error", "A member that must be there is not."],
  "unknown-type": ["error", "A part or event is of a type that the model does not have."],
  "unknown-value": ["error", "A member has none of the values that it may have."],
  "not-json": ["error", "A value is not plain JSON: a function, a class instance, NaN, a hole in a list."],
  cycle: ["error", "A value contains itself."],
  "too-deep": ["error", "A value is nested deeper than 1,050 levels; what is below was not checked."],
  unreadable: ["error", "Reading a value threw an exception."],
  "duplicate-id": ["error", "Two messages have the same id."],
  "missing-id": ["error", "A message of a tree has no id."],
  "unknown-parent": ["error", "A message's parent is not in the conversation."],
  "parent-cycle": ["error", "A message is its own ancestor."],
  "unknown-head": ["error", "The head is no message of the conversation."],
  "too-many-issues": ["error", "There are more than 1,000 issues; the rest was not checked."],
  "missing-parent": ["warning", "A message of a tree says nothing of its parent: it is taken for a root."],
  "unknown-member": ["warning", "A member is not in the model: formats do not write it."],
  "empty-id": ["warning", "An id is empty (R8)."],
  "lone-surrogate": ["warning", "A text has half a character, which UTF-8 cannot carry."],
  "bad-date": ["warning", "A date is not spelled as ISO 8601 says."],
  "bad-base64": ["warning", "Data is not base64 of the standard alphabet with its padding."],
  "bad-count": ["warning", "A count is negative or not whole."],
  "citation-range": ["warning", "A citation's range is not inside the text that it is on."],
  "duplicate-tool": ["warning", "Two tools have the same name."],
  "duplicate-call": ["warning", "A call has the id of an earlier call that is still unanswered (R9)."],
  "duplicate-result": ["warning", "A call has a second result, and the first was not preliminary (R9)."],
  "orphan-result": ["warning", "A result answers no call before it (R9)."],
  "orphan-response": ["warning", "A response answers no request before it."],
  "misplaced-call": ["warning", "A call is not in an assistant message."],
  "misplaced-result": ["warning", "A result is in a message where those of its kind do not belong (R20)."],
  "unknown-message": ["warning", "A compaction names a message that is not in the conversation (R26)."],
  "stale-spelling": ["info", "A spelling no longer reads as the value that it stands beside, and does not count (R1)."],
  "unread-input": ["info", "A call has a text that reads as JSON, and no input (R7)."],
  "partial-in-finished": ["info", "A part is still partial in a message that ended well (R25)."],
} as const satisfies { readonly [code: string]: readonly [Severity, string] };

export type CheckCode = keyof typeof checkCodes;

/** More issues than anyone reads; the check stops, so that no input makes it long. */
export const maxIssues = 1000;

/** Thrown inside of `check` only, at too many issues. */
export const enough = Symbol("enough issues");

/** Collects issues up to `maxIssues`. */
export class Issues {
  readonly found: Issue[] = [];

  /** @param message what was found, what was expected, what to do */
  add(code: CheckCode, path: Path, message: string): void {
    if (this.found.length >= maxIssues) {
      this.push("too-many-issues", [], `More than ${maxIssues} issues: mend these and check again.`);
      throw enough;
    }
    this.push(code, path, message);
  }

  hasErrors(since = 0): boolean {
    for (let index = since; index < this.found.length; index++)
      if (this.found[index]?.severity === "error") return true;
    return false;
  }

  private push(code: CheckCode, path: Path, message: string): void {
    this.found.push({ code, severity: checkCodes[code][0], path, message });
  }
}
