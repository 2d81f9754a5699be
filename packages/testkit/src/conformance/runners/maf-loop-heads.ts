import { isJsonObject, type Json, type JsonObject } from "translogue";
import { difference } from "../../difference.ts";

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** A message that asks or answers is taken apart by the loop, which makes the message of its call anew. */
const isTakenApart = ({ contents }: JsonObject): boolean =>
  objects(contents).some(({ $type }) => $type === "toolApprovalRequest" || $type === "toolApprovalResponse");

const named = (messages: readonly JsonObject[], id: Json | undefined): JsonObject | undefined =>
  messages.find(({ messageId }) => messageId === id);

/** A date that nobody told is the session's own. */
const headOf = (
  { role = null, authorName = null, createdAt = null, ...message }: JsonObject,
  isDated: boolean,
): Json => ({
  role,
  authorName,
  createdAt: isDated ? createdAt : null,
  additionalProperties: propertiesOf(message),
});

/** The original marks where a message came from among them. */
function propertiesOf({ additionalProperties: all }: JsonObject): JsonObject | null {
  const { _attribution: _, ...own } = isJsonObject(all) ? all : {};
  return Object.keys(own).length > 0 ? own : null;
}

/** What a message of the input says of itself is sent as it was said. */
export function comparedInput(ours: Json, theirs: Json | undefined, input: Json | undefined): string | undefined {
  const [own, wanted] = [objects(ours), objects(theirs)];
  for (const message of objects(input)) {
    const { messageId: id } = message;
    const expected = isTakenApart(message) || !id ? undefined : named(wanted, id);
    if (!expected) continue;
    const got = named(own, id);
    const isDated = typeof message["createdAt"] === "string";
    const why = got ? difference(headOf(got, isDated), headOf(expected, isDated)) : "is not there";
    if (why !== undefined) return `message ${JSON.stringify(id)} ${why}`;
  }
  return undefined;
}

/** Additional properties of what the model said, in order: they are its own facts, whoever makes the message. */
export function comparedProperties(ours: Json, theirs: Json | undefined, input?: Json): string | undefined {
  const apart = new Set(
    objects(input)
      .filter(isTakenApart)
      .map(message => JSON.stringify(propertiesOf(message))),
  );
  const told = (messages: Json | undefined) =>
    objects(messages)
      .filter(({ role }) => role === "assistant")
      .flatMap(message => propertiesOf(message) ?? [])
      .filter(properties => !apart.has(JSON.stringify(properties)));
  const why = difference(told(ours), told(theirs));
  return why === undefined ? undefined : `additional properties ${why}`;
}
