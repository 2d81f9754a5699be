import type { Path } from "../../model/issue.ts";
import type { RefusedMember } from "../target.ts";
import { type Holder, keptMember } from "./known-members.ts";
import type { RuleCheck } from "./rule.ts";

/** Spellings that a codec keeps as hints: what was not read so is not written so. */
export const legacyFunctions: RuleCheck<"legacy-functions"> = (view, { spelled }, { asked, report }) => {
  const look = (holder: Holder, of: RefusedMember["of"], path: Path): void => {
    for (const member of spelled) {
      const word = member.of === of ? keptMember(holder, member, asked.target.format) : undefined;
      if (typeof word === "string") report(path, `is spelled \`${word}\` on the wire. ${member.why}`, { role: word });
    }
  };
  for (const index of view.sent) {
    const message = view.conversation.messages[index];
    if (!message) continue;
    look(message, "message", ["messages", index, "role"]);
    message.parts.forEach((part, place) => {
      look(part, "part", ["messages", index, "parts", place]);
    });
  }
};
