import type { Conversation, Message, Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { RefusedMember } from "../target.ts";
import type { RuleCheck } from "./rule.ts";

export type Holder = Pick<Part | Message | Conversation, "native">;

/** The member as it was kept; undefined = it is not there, or with a value that is not meant. */
export function keptMember(
  { native }: Holder,
  { family, path, value: meant }: Pick<RefusedMember, "family" | "path" | "value">,
  format: string,
): Json | undefined {
  let value: Json | undefined = native?.[family ?? format];
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value === undefined || (meant !== undefined && value !== meant) ? undefined : value;
}

/** Whether the node has what no codec would write by itself, so that it is to be looked at. */
export const keepsMembers = ({ native }: Holder): boolean => native !== undefined;

/** A piece of the family that the codec could not read, because it does not say what it is. */
export const isUntyped = (part: Part, family: string | undefined): boolean =>
  part.type === "opaque" &&
  part.family === family &&
  isJsonObject(part.value) &&
  !Object.hasOwn(part.value, "type") &&
  part.native === undefined;

/** Whether the tools are none, or one of them has a description without a character. */
export const hasEmptyMembers = (tools: readonly Tool[] | undefined): boolean =>
  tools !== undefined && (tools.length === 0 || tools.some(({ description }) => description === ""));

export const knownMembers: RuleCheck<"known-members"> = (
  view,
  { refused, tools, descriptions, typed },
  { asked, report },
) => {
  const { conversation } = view;
  const { format } = asked.target;
  const look = (holder: Holder, of: RefusedMember["of"], path: Path): void => {
    if (!keepsMembers(holder)) return;
    for (const member of refused) {
      if (member.of !== of || keptMember(holder, member, format) === undefined) continue;
      const name = member.said ?? member.path.join(".");
      report([...path, "native", member.family ?? format, ...member.path], `keeps \`${name}\` ${member.why}`, { name });
    }
  };
  look(conversation, "request", []);
  if (tools === "some" && conversation.tools?.length === 0)
    report(["tools"], "are an empty list. Leave the list out.", { name: "tools" });
  for (const [index, { description }] of conversation.tools?.entries() ?? []) {
    if (descriptions !== "some" || description !== "") continue;
    report(["tools", index, "description"], "is empty. Leave it out.", { tool: index });
  }
  for (const index of view.sent) {
    const message = conversation.messages[index];
    if (!message) continue;
    look(message, "message", ["messages", index]);
    message.parts.forEach((part, place) => {
      const path = ["messages", index, "parts", place];
      look(part, "part", path);
      if (isUntyped(part, typed))
        report(path, "has no `type`, so that nobody can read it. Leave it out.", { name: "type" });
    });
  }
};
