import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { isUntyped, keptMember } from "../rules/known-members.ts";
import type { RefusedMember } from "../target.ts";
import type { Draft } from "./draft.ts";
import { isBroken } from "./faults.ts";

const repair = "drop-members";

/** Members of the provider's own format that a codec kept as they are and the provider refuses: what they say is said as it is taken. */
export function dropMembers(draft: Draft): void {
  if (!isBroken(draft, "known-members")) return;
  const { refused = [] } = draft.rules["known-members"] ?? {};
  const { format } = draft.target;
  for (const member of refused) {
    if (member.of === "request" && draft.native && keptMember({ native: draft.native }, member, format) !== undefined) {
      draft.changed(repair, ["native", format, ...member.path], "the member is left out: it is not taken");
      draft.native = unkept({ native: draft.native }, member, format).native;
    }
    if (member.of === "message") {
      for (const message of draft.messages) {
        if (keptMember(message.head, member, format) === undefined) continue;
        draft.changed(
          repair,
          [...message.path, "native", format, ...member.path],
          "the member is left out: it is not taken",
        );
        message.head = unkept(message.head, member, format);
      }
    }
    if (member.of === "part") {
      draft.mapItems(({ part, path }) => {
        const value = keptMember(part, member, format);
        if (value === undefined) return part;
        draft.changed(
          repair,
          [...path, "native", member.family ?? format, ...member.path],
          "the member is said as it is taken",
        );
        return said(unkept(part, member, format), value, member);
      });
    }
  }
  const { typed } = draft.rules["known-members"] ?? {};
  draft.mapItems(({ part, path }) => {
    if (!isUntyped(part, typed)) return part;
    draft.changed(repair, path, "a piece without a type is left out");
    return undefined;
  });
  if (draft.rules["known-members"]?.descriptions === "some") {
    draft.tools = draft.tools?.map((tool, index) => {
      if (tool.description !== "") return tool;
      draft.changed(repair, ["tools", index, "description"], "an empty description is left out");
      const { description: _, ...others } = tool;
      return others;
    });
  }
  if (draft.tools?.length === 0 && draft.rules["known-members"]?.tools === "some") {
    draft.changed(repair, ["tools"], "an empty list of tools is left out");
    draft.tools = undefined;
  }
}

/** Arguments that are no object are its member `input`; a result that is none is what it is. */
function said(part: Part, value: Json, { path }: RefusedMember): Part {
  if (path.length < 2) return part;
  if (part.type === "tool-call" && part.input === undefined) return { ...part, input: { input: value } };
  if (part.type !== "tool-result" || part.output !== undefined) return part;
  return {
    ...part,
    output: [typeof value === "string" ? { type: "text", text: value } : { type: "data", data: value }],
  };
}

function unkept<T extends Pick<Part | Message, "native">>(node: T, member: RefusedMember, format: string): T {
  const family = member.family ?? format;
  const hints = member.hints ?? [];
  const left = withoutMember(node.native?.[family] ?? {}, member.path);
  const members = Object.fromEntries(Object.entries(left).filter(([name]) => !hints.includes(name)));
  const { [family]: _, ...others } = node.native ?? {};
  const native = Object.keys(members).length > 0 ? { ...others, [family]: members } : others;
  const bare: Record<string, unknown> = { ...node };
  delete bare["native"];
  return (Object.keys(native).length > 0 ? { ...bare, native } : bare) as T; // `native` is optional wherever it is
}

/** What is emptied by it goes too. */
function withoutMember(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = object;
  const inner = rest.length > 0 && isJsonObject(value) ? withoutMember(value, rest) : {};
  return Object.keys(inner).length > 0 ? { ...others, [name]: inner } : others;
}
