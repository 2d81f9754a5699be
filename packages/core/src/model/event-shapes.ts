/** Every member of every event, with its shape; `shapes.ts` has the nodes they carry. */

import type { At, DeltaOf, Event, EventType, MessageHead, PartMembers, StreamError } from "./events.ts";
import { partShapes, ref } from "./part-shapes.ts";
import {
  boolean,
  index,
  type Member,
  type Members,
  type MembersOf,
  may,
  must,
  object,
  oneOf,
  type Shape,
  type ShapeOf,
  string,
} from "./shape.ts";
import { conversationShapes, type NamedShapes, nodeShapes, variantName } from "./shapes.ts";

const head: ShapeOf<MessageHead> = { kind: "ref", to: "MessageHead" };
const messageSet: ShapeOf<Partial<MessageHead>> = { kind: "ref", to: "MessageSet" };
const partSet: ShapeOf<PartMembers> = { kind: "ref", to: "PartSet" };

const type = <const T extends EventType>(name: T) => must(oneOf(name), "Which event it is.");
const message = must(index, "The message's number in the stream, in order of start; several may be open (E5).");
const at = {
  message: must(index, "The message's number in the stream."),
  part: must(index, "The part's number in its message: parts sort by it, gaps are fine (E4)."),
} satisfies MembersOf<At>;

export const eventShapes = {
  "message-start": {
    type: type("message-start"),
    message,
    head: must(
      head,
      "All that is known of the message besides its parts. The same number again = it starts over (E9).",
    ),
  },
  "message-set": {
    type: type("message-set"),
    message,
    set: must(messageSet, "Members known later: id, finish, usage, metadata."),
  },
  "message-end": { type: type("message-end"), message },
  "part-start": {
    type: type("part-start"),
    ...at,
    value: must(ref("Part"), 'All that is known at the start; its texts are `""` (E2).'),
  },
  "part-delta": {
    type: type("part-delta"),
    ...at,
    of: must(
      oneOf<DeltaOf>("text", "reasoning", "refusal", "tool-call", "tool-result"),
      "What it continues: a part's own text, a call's arguments, or the text that ends a result's output.",
    ),
    text: must(string, "The new text only (E1)."),
  },
  citation: {
    type: type("citation"),
    ...at,
    citation: must(ref("Citation"), "Joins the citations of the text part."),
  },
  "part-set": {
    type: type("part-set"),
    ...at,
    set: must(partSet, "Members known later, also after the end (E3); never text (E1)."),
  },
  "part-end": { type: type("part-end"), ...at },
  part: {
    type: type("part"),
    ...at,
    value: must(ref("Part"), "A part whole at once; it replaces one of the same number."),
  },
  error: {
    type: type("error"),
    error: must(
      object<StreamError>({
        message: must(string, "What went wrong."),
        code: may(string, "The source's code for it."),
        retryable: may(boolean, "Whether the same request may succeed later."),
      }),
      "Of the stream, not of a message.",
    ),
  },
} satisfies { readonly [T in EventType]: MembersOf<Extract<Event, { readonly type: T }>> };

const { parts: _, ...headMembers } = nodeShapes.Message;

const withoutDuty = (member: Member): Member => ({ ...member, required: false });

/** Members of all parts together: which ones fit is known only where the part is. */
function anyPartMembers(): Members {
  const merged = new Map<string, { readonly shapes: Map<string, Shape>; readonly doc: string }>();
  for (const members of Object.values<Members>(partShapes)) {
    for (const [name, { shape, doc }] of Object.entries(members)) {
      if (name === "type" || name === "text") continue;
      const entry = merged.get(name) ?? { shapes: new Map<string, Shape>(), doc };
      merged.set(name, entry);
      entry.shapes.set(JSON.stringify(shape), shape);
    }
  }
  return Object.fromEntries(
    [...merged].map(([name, { shapes, doc }]) => {
      const all = [...shapes.values()];
      const [first] = all;
      return [name, { shape: all.length === 1 && first ? first : { kind: "union", of: all }, required: false, doc }];
    }),
  );
}

/** Every shape with a name that an event is made of. */
export const streamShapes: NamedShapes = {
  ...conversationShapes,
  MessageHead: headMembers,
  MessageSet: Object.fromEntries(Object.entries(headMembers).map(([name, member]) => [name, withoutDuty(member)])),
  PartSet: anyPartMembers(),
  Event: { variants: eventShapes },
  ...Object.fromEntries(Object.entries(eventShapes).map(([type, members]) => [variantName(type, "Event"), members])),
};
