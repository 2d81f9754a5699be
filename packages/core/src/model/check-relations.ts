/** What the nodes of a conversation must say to each other, once each has the right shape. */

import type { CheckCode } from "./check-codes.ts";
import { indexById, isTree } from "./context.ts";
import type { Conversation, Message } from "./conversation.ts";
import type { Path } from "./issue.ts";
import { Pairing } from "./pairing.ts";
import type { Part, PartOf, ToolCallPart, ToolResultPart } from "./parts.ts";

/** @param text what was found, what was expected, what to do: goes on after the path */
type Report = (code: CheckCode, path: Path, text: string) => void;

/** Ids, the tree, and who answers whom. Each node must have its shape. */
export function checkRelations(conversation: Conversation, report: Report): void {
  const indexes = indexById(conversation.messages);
  checkTools(conversation, report);
  checkCompactions(conversation.messages, indexes, report);
  if (checkTree(conversation, indexes, report)) checkPairs(conversation, report);
}

type Indexes = ReadonlyMap<string, number>;

function checkTools({ tools }: Conversation, report: Report): void {
  const names = new Set<string>();
  tools?.forEach(({ name }, index) => {
    if (names.has(name))
      report(
        "duplicate-tool",
        ["tools", index, "name"],
        `is \`${name}\`, as an earlier tool's. Rename or remove one: calls name their tool.`,
      );
    names.add(name);
  });
}

function checkCompactions(messages: readonly Message[], indexes: Indexes, report: Report): void {
  const known = (id: string | null | undefined, path: Path): void => {
    if (id === undefined || id === null || indexes.has(id)) return;
    report(
      "unknown-message",
      path,
      `is \`${id}\`, the id of no message here. Correct it, or leave it out: it stands for nothing.`,
    );
  };
  for (let message = 0; message < messages.length; message++) {
    const parts = messages[message]?.parts ?? [];
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part?.type !== "compaction") continue;
      const path = ["messages", message, "parts", index];
      known(part.replaces, [...path, "replaces"]);
      part.keep?.forEach((id, place) => {
        known(id, [...path, "keep", place]);
      });
    }
  }
}

/** Ids, parents and head; whether the tree can be walked. */
function checkTree(conversation: Conversation, indexes: Indexes, report: Report): boolean {
  const { messages, head } = conversation;
  let sound = true;
  const fault: Report = (code, path, text) => {
    sound = false;
    report(code, path, text);
  };
  messages.forEach(({ id }, index) => {
    if (!id || indexes.get(id) === index) return;
    fault(
      "duplicate-id",
      ["messages", index, "id"],
      `is \`${id}\`, as that of messages[${indexes.get(id)}]. Give each message its own.`,
    );
  });
  if (head !== undefined && !indexes.has(head)) {
    report(
      "unknown-head",
      ["head"],
      `is \`${head}\`, the id of no message here. Name the last message of the branch that counts, or leave it out.`,
    );
  }
  if (!isTree(conversation)) return sound;
  messages.forEach(({ id, parent }, index) => {
    const path = ["messages", index];
    if (id === undefined)
      fault("missing-id", [...path, "id"], "is missing, but the conversation is a tree. Give every message an id.");
    if (parent === undefined) {
      report(
        "missing-parent",
        [...path, "parent"],
        "is missing, but other messages have one: the message is taken for a root. Write null, or the id of the message before.",
      );
    } else if (parent !== null && !indexes.has(parent)) {
      fault(
        "unknown-parent",
        [...path, "parent"],
        `is \`${parent}\`, the id of no message here. Name the message before it, or write null for a root.`,
      );
    }
  });
  checkCycles(messages, indexes, fault);
  return sound;
}

/** Follows each message up to one that is known to end; every message is passed once. */
function checkCycles(messages: readonly Message[], indexes: Indexes, fault: Report): void {
  const passedBy = new Map<number, number>();
  messages.forEach((_, start) => {
    let at: number | undefined = start;
    while (at !== undefined && !passedBy.has(at)) {
      passedBy.set(at, start);
      const parent: string | null | undefined = messages[at]?.parent;
      at = typeof parent === "string" ? indexes.get(parent) : undefined;
    }
    if (at === undefined || passedBy.get(at) !== start) return;
    fault(
      "parent-cycle",
      ["messages", at, "parent"],
      "leads back to the message itself. Name the message before it, or write null for a root.",
    );
  });
}

/** Calls and results, requests and responses, along each path from a root. */
function checkPairs(conversation: Conversation, report: Report): void {
  const { messages } = conversation;
  if (!isTree(conversation)) {
    const seen = new PathSoFar(report);
    messages.forEach((message, index) => {
      seen.message(message, index);
    });
    return;
  }
  const undo: (() => void)[] = [];
  const seen = new PathSoFar(report, undo);
  const children = new Map<string | null, number[]>();
  messages.forEach(({ parent = null }, index) => {
    const siblings = children.get(parent);
    if (siblings) siblings.push(index);
    else children.set(parent, [index]);
  });
  const pending = (children.get(null) ?? []).map(index => ({ index, mark: 0 })).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const message = messages[next.index] as Message; // indexes are of this list
    while (undo.length > next.mark) undo.pop()?.();
    seen.message(message, next.index);
    const mark = undo.length;
    for (const index of (children.get(message.id ?? null) ?? []).toReversed()) pending.push({ index, mark });
  }
}

/** What the messages of a path have called and asked for. How to take each step back is noted in `undo`. */
class PathSoFar {
  private readonly calls: Pairing<ToolCallPart>;
  /** Requests, by kind and id, and calls held back inside of them. */
  private readonly requests = new Set<string>();
  private readonly undo: (() => void)[] | undefined;
  private readonly report: Report;

  constructor(report: Report, undo?: (() => void)[]) {
    this.report = report;
    this.undo = undo;
    this.calls = new Pairing(undo);
  }

  message({ role, parts }: Message, message: number): void {
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Part; // index < length
      if (relates(part)) this.part(part, { role, message, index });
    }
  }

  private part(part: Relating, place: Place): void {
    switch (part.type) {
      case "tool-call":
        this.call(part, place);
        break;
      case "tool-result":
        this.result(part, place);
        break;
      case "approval-request":
        if (part.call) this.note(`held ${part.call.callId}`);
        this.note(`approval ${part.requestId}`);
        break;
      case "input-request":
        this.note(`input ${part.requestId}`);
        break;
      case "approval-response":
        this.response("approval", part.requestId, place);
        break;
      case "input-response":
        this.response("input", part.requestId, place);
    }
  }

  private note(name: string): void {
    if (this.requests.has(name)) return;
    this.requests.add(name);
    this.undo?.push(() => this.requests.delete(name));
  }

  private response(kind: string, requestId: string, place: Place): void {
    if (this.requests.has(`${kind} ${requestId}`)) return;
    this.report(
      "orphan-response",
      pathOf(place, "requestId"),
      `is \`${requestId}\`, that of no ${kind} request before it. Add the request, or remove the response.`,
    );
  }

  private call(call: ToolCallPart, place: Place): void {
    if (isNoSideOf("assistant", place.role)) {
      this.report(
        "misplaced-call",
        pathOf(place),
        `is a call in a message of role \`${place.role}\`. Move it to an assistant message: only models call.`,
      );
    }
    if (this.calls.next(call.callId)) {
      this.report(
        "duplicate-call",
        pathOf(place, "callId"),
        `is \`${call.callId}\`, that of an earlier call without a result: which one the next result answers is a guess. Give each call its own id.`,
      );
    }
    this.calls.call(call.callId, place.message, call);
  }

  private result({ callId, preliminary }: ToolResultPart, place: Place): void {
    const call = preliminary ? this.calls.next(callId) : this.calls.answer(callId);
    if (call) this.side(call, place);
    else if (this.calls.last(callId)) {
      this.report(
        "duplicate-result",
        pathOf(place, "callId"),
        `is \`${callId}\`, that of a call with a result. Remove one, or mark the earlier one as \`preliminary\`.`,
      );
    } else if (place.role !== "assistant" && !this.requests.has(`held ${callId}`)) {
      // In an assistant message it is the provider's, whose call came in an earlier answer (R20).
      this.report(
        "orphan-result",
        pathOf(place, "callId"),
        `is \`${callId}\`, that of no call before it. Add the call to an assistant message before, or remove the result.`,
      );
    }
  }

  /** Whether the result of a call is in a message of the side that ran it (R20). */
  private side(call: ToolCallPart, place: Place): void {
    const side = call.executedBy === "provider" ? "assistant" : "tool";
    if (!isNoSideOf(side, place.role)) return;
    const runner = side === "tool" ? "the application" : "the provider";
    this.report(
      "misplaced-result",
      pathOf(place),
      `is in a message of role \`${place.role}\`, but ${runner} runs the call. Move it to a message of role \`${side}\`, or correct the call's \`executedBy\`.`,
    );
  }
}

interface Place {
  readonly role: string;
  readonly message: number;
  readonly index: number;
}
const pathOf = ({ message, index }: Place, ...steps: readonly string[]): Path => [
  "messages",
  message,
  "parts",
  index,
  ...steps,
];

type Relating = PartOf<
  "tool-call" | "tool-result" | "approval-request" | "approval-response" | "input-request" | "input-response"
>;
const relates = (part: Part): part is Relating => "callId" in part || "requestId" in part;

/** Roles of the application's own may hold anything. */
const isNoSideOf = (side: string, role: string): boolean =>
  role !== side && /^(?:system|developer|user|assistant|tool)$/.test(role);
