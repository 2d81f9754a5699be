/** Makes messages that were generated apart into a conversation: ids are unique, results answer calls, responses requests. */

import type { Conversation, Message, Part, PartOf } from "translogue";

type Messages = Pick<Conversation, "messages" | "head">;

/** `branches`: for each message how far above the one before it its parent is; absent = a plain list. */
export function relate(messages: readonly Message[], branches?: readonly number[]): Messages {
  const ids = new Ids();
  const paths: Path[] = [];
  const related = messages.map((message, index) => {
    const above = branches ? index - 1 - (branches[index] ?? 0) : index - 1;
    const path = pathAfter(paths[above]);
    paths.push(path);
    const parts = message.parts.flatMap(part => relatePart(part, { role: message.role, path, ids }));
    const { id: _, ...others } = message;
    const id = branches || message.id !== undefined ? { id: `m${index}` } : {};
    if (id.id !== undefined) path.messages.push(id.id);
    return { ...others, ...id, ...(branches && { parent: above < 0 ? null : `m${above}` }), parts };
  });
  return branches && related.length > 0 ? { messages: related, head: `m${related.length - 1}` } : { messages: related };
}

class Ids {
  #count = 0;
  next(kind: string): string {
    return `${kind}_${this.#count++}`;
  }
}

/** What stands open on the way from a root to a message. */
interface Path {
  readonly messages: string[];
  readonly calls: PartOf<"tool-call">[];
  readonly approvals: PartOf<"approval-request">[];
  readonly inputs: PartOf<"input-request">[];
}

const pathAfter = (path: Path | undefined): Path => ({
  messages: [...(path?.messages ?? [])],
  calls: [...(path?.calls ?? [])],
  approvals: [...(path?.approvals ?? [])],
  inputs: [...(path?.inputs ?? [])],
});

interface Place {
  readonly role: string;
  readonly path: Path;
  readonly ids: Ids;
}

/** The part in its relations; none where it would answer nothing. */
function relatePart(part: Part, { role, path, ids }: Place): Part[] {
  switch (part.type) {
    case "tool-call":
      return [add(path.calls, { ...part, callId: ids.next("call") })];
    case "tool-result": {
      const call = path.calls.find(({ executedBy }) => (executedBy === "provider") === (role === "assistant"));
      if (!call) return [];
      if (!part.preliminary) path.calls.splice(path.calls.indexOf(call), 1);
      return [{ ...part, callId: call.callId }];
    }
    case "approval-request": {
      const callId = ids.next("call");
      const call = part.call && { call: { ...part.call, callId } };
      return [add(path.approvals, { ...part, requestId: ids.next("request"), callId, ...call })];
    }
    case "approval-response": {
      const request = path.approvals.shift();
      if (!request) return [];
      const { requestId, callId } = request;
      const about = part.callId === undefined ? {} : { callId };
      return [{ ...part, requestId, ...about, ...(part.call && { call: { ...part.call, callId } }) }];
    }
    case "input-request":
      return [add(path.inputs, { ...part, requestId: ids.next("request") })];
    case "input-response": {
      const request = path.inputs.shift();
      return request ? [{ ...part, requestId: request.requestId }] : [];
    }
    case "compaction": {
      const { replaces, keep, ...others } = part;
      const [root] = path.messages;
      const kept = keep && { keep: path.messages.slice(0, keep.length) };
      const replaced = replaces === null ? null : replaces && root;
      return [{ ...others, ...kept, ...(replaced !== undefined && { replaces: replaced }) }];
    }
    default:
      return [part];
  }
}

function add<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}
