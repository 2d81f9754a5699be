import { rowOf } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { type LoseContent, reportForeign } from "./content-places.ts";
import { isHeadName } from "./metadata.ts";
import { family } from "./wire.ts";

/** Where other families keep what a provider says around its answer: tier, fingerprint, log probabilities. */
const holders: { readonly [family: string]: readonly string[] } = {
  "openai-chat": ["completion", "choice"],
  "openai-responses": ["response"],
};

/**
 * What a provider says around its answer, for `response_metadata`, where LangChain's adapters leave it. It is read again as
 * LangChain's own, so it is reported; what has no place is reported as lost.
 */
export function envelopeOf(
  message: Message,
  { path, lose }: { readonly path: Path; readonly lose: LoseContent },
): JsonObject {
  const envelope: MutableJsonObject = {};
  const left: { [family: string]: JsonObject } = {};
  for (const [other, members] of Object.entries(message.native ?? {})) {
    const names = other === family ? undefined : rowOf(holders, other);
    const said = (names ?? []).flatMap(name => takeFrom(members[name], envelope));
    if (said.length > 0) lose("envelope", [...path, "native", other], said.join(", "));
    left[other] = said.length > 0 ? withoutNames(members, { holders: names ?? [], said }) : members;
  }
  reportForeign({ native: left }, family, { path, lose });
  return envelope;
}

/** What is left of a node's members where these were said of what is in its holders. */
function withoutNames(
  members: JsonObject,
  { holders, said }: { readonly holders: readonly string[]; readonly said: readonly string[] },
): JsonObject {
  const left: MutableJsonObject = {};
  for (const key of Object.keys(members)) {
    const value = members[key] ?? null;
    const isHolder = holders.includes(key) && isJsonObject(value);
    const rest = isHolder ? Object.fromEntries(Object.entries(value).filter(([name]) => !said.includes(name))) : value;
    setMember(left, key, rest);
  }
  return left;
}

/** The members that say something, and mean nothing else in `response_metadata`. */
function takeFrom(holder: unknown, envelope: MutableJsonObject): readonly string[] {
  if (!isJsonObject(holder)) return [];
  const names = Object.keys(holder).filter(
    name => holder[name] !== null && !isHeadName(name) && !Object.hasOwn(envelope, name),
  );
  for (const name of names) setMember(envelope, name, holder[name] ?? null);
  return names;
}
