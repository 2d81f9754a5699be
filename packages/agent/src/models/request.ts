import type { Event, ExactText, Issue, JsonObject, Loss } from "translogue";
import { type Codec, encode, reads } from "translogue/convert";
import type { Change } from "translogue/targets";
import { failure } from "../errors.ts";
import type { ModelRequest } from "../model.ts";
import { withCacheMarks } from "./cache-marks.ts";
import type { Compaction } from "./compactions.ts";
import type { Endpoint } from "./endpoints.ts";

/** Whom a request is written for. */
export interface Addressee {
  readonly endpoint: Endpoint;
  /** As the provider calls it. */
  readonly model: string;
  readonly codec: Codec;
  readonly dialect: string | undefined;
  /** The host is to keep the conversation. */
  readonly keeps?: boolean | undefined;
}

export interface HostRequest {
  /** Without the endpoint's own members. */
  readonly value: JsonObject;
  /** Source texts for `stringifyJson`. */
  readonly exact?: ExactText;
  /** Our tools by the names that this request gives them, where the host does not take theirs. */
  readonly ownNames: ReadonlyMap<string, string>;
}

/** A call's conversation as its host takes it; what was repaired, what got lost and what it may still refuse is reported. */
export async function requestFor(addressee: Addressee, request: ModelRequest): Promise<HostRequest> {
  const { endpoint, model, codec, dialect } = addressee;
  const { promptCache, report } = request;
  const kept = membersOf(addressee, request);
  const marked = endpoint.cacheMarks && promptCache ? withCacheMarks(request.conversation, promptCache) : undefined;
  const conversation = { ...(marked ?? request.conversation), model };
  const spoken = dialect === undefined ? {} : { dialect };
  const known = await knownOf(addressee, request);
  if (!known) {
    const { value, exact, losses } = encode(codec, conversation, {
      shape: "request",
      recipient: "provider",
      ...spoken,
    });
    report?.({ losses });
    return { value: { ...(value as JsonObject), ...kept }, ...(exact && { exact }), ownNames: new Map() }; // a request is an object
  }
  const { value, exact, changes, home, ...found } = known.prepareWith(codec, conversation, known.target, spoken);
  const homed = <Found extends Loss | Issue>(each: Found): Found => ({ ...each, path: home(each.path) });
  report?.({ losses: found.losses.map(homed), changes, requestIssues: found.issues.map(homed) });
  return { value: { ...(value as JsonObject), ...kept }, ...(exact && { exact }), ownNames: ownNames(changes) }; // a request is an object
}

/** Whether a compaction comes through to the host. */
export async function isReadAt(addressee: Addressee, compaction: Compaction): Promise<boolean> {
  const { model, codec, dialect } = addressee;
  if (!reads(codec, { dialect, model })(compaction)) return false;
  const known = await knownOf(addressee, {});
  return known ? known.readsPrepared(codec, known.target, { dialect, model })(compaction) : true;
}

/** What says that the host keeps the answer, and with which conversation it goes on. Throws `model/unknown-conversation`. */
function membersOf({ endpoint, keeps }: Addressee, { conversationId, background }: ModelRequest): JsonObject {
  const { stored, title } = endpoint;
  if (conversationId !== undefined && !stored) {
    const message = `the conversation \`${conversationId}\` is kept elsewhere: ${title} keeps none, so send the whole history`;
    throw failure("model/unknown-conversation", message, { data: { conversationId } });
  }
  return {
    ...(keeps && stored?.kept),
    ...(conversationId !== undefined && stored?.after(conversationId)),
    ...(background && stored?.background),
  };
}

/**
 * What is known of the host; nothing where it keeps the conversation itself, for then the calls of a result may be there. Loaded with
 * the first request: what providers take is as large as the rest of an agent.
 */
async function knownOf({ endpoint, codec }: Addressee, { conversationId }: Pick<ModelRequest, "conversationId">) {
  if (endpoint.target === undefined || conversationId !== undefined) return undefined;
  const { findTarget, prepareWith, readsPrepared } = await import("translogue/targets");
  const target = findTarget(endpoint.target);
  return target.format === codec.id ? { target, prepareWith, readsPrepared } : undefined;
}

const ownNames = (changes: readonly Change[]): HostRequest["ownNames"] =>
  new Map(
    changes.flatMap(({ path: [root], was, now }) =>
      root === "tools" && was !== undefined && now !== undefined ? [[now, was]] : [],
    ),
  );

/** What a model calls by the names that it was given, by our own. */
export function withOwnNames(events: readonly Event[], names: HostRequest["ownNames"]): readonly Event[] {
  if (names.size === 0) return events;
  return events.map((event): Event => {
    if (event.type !== "part" && event.type !== "part-start") return event;
    const { value } = event;
    const own = value.type === "tool-call" ? names.get(value.name) : undefined;
    return own === undefined ? event : ({ ...event, value: { ...value, name: own } } as Event); // a call with another name
  });
}
