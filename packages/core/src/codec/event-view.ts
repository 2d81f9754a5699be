import type { At, Event, PartMembers } from "../model/events.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import { type Machine, pipe } from "../stream/machine.ts";
import type { Codec, EncodeContext } from "./codec.ts";
import { dropInto } from "./context.ts";
import { huskReport, isHusk, withoutHusksIn } from "./emptied.ts";
import { errorEvent } from "./error-words.ts";
import { Narrower, type Report } from "./narrow.ts";
import { originalPath, valueAt } from "./provenance.ts";
import { factsOf, ProviderView } from "./recipient.ts";
import { refusalEvents, refusalLoss, takesRefusals } from "./refusals.ts";

/**
 * For a stream what the passes before an encoder are for a whole: takes out of each event what the format or the
 * recipient does not take, and reports it. A part that is out stays out: its later events are not passed on.
 */
export function eventView(
  codec: Codec,
  context: EncodeContext,
  { losses, seen }: { readonly losses: Loss[]; readonly seen: SeenParts },
): Machine<Event, Event> {
  const report = dropInto(losses);
  const narrower = new Narrower(
    codec.holds(context),
    dropInto(losses, path => seen.original(path)),
  );
  const provider = context.recipient === "provider" ? new ProviderView(factsOf(codec, context), report) : undefined;
  const types = new PartTypes();
  const cited = new CitationCounts();

  /** `whole`: what came of the part. */
  const husks = (at: At, whole: object): Parameters<typeof withoutHusksIn>[2] => ({
    given: path => valueAt(whole, seen.original(path).slice(pathOf(at).length)),
    report: dropInto(losses, path => seen.original(path)),
  });

  const partOf = (event: Event & { readonly type: "part-start" | "part" }): Event[] => {
    const path = pathOf(event);
    const given = provider ? provider[event.type === "part" ? "part" : "begun"](event.value, path) : event.value;
    seen.set(event, given, event.value);
    const narrowed = given && narrower.part(given, path);
    seen.set(event, narrowed, event.value);
    const value = narrowed && withoutHusksIn(narrowed, path, husks(event, event.value));
    seen.set(event, value, event.value);
    if (!value) {
      types.set(event, undefined);
      return [];
    }
    types.set(event, value.type);
    cited.begin(event, event.value, value);
    return [errorEvent(value === event.value ? event : { ...event, value }, { codec, context }, losses)];
  };

  const setOf = (event: Event & { readonly type: "part-set" }, type: Part["type"]): Event[] => {
    const path = pathOf(event);
    const given = provider ? provider.members(type, event.set, path) : event.set;
    seen.add(event, given, event.set);
    const set = narrower.partMembers(type, given, path);
    seen.add(event, set, event.set);
    const known = { ...set, type } as Part; // lacks what it had at its start
    const { type: _, ...others } = withoutHusksIn(known, path, husks(event, event.set));
    const left = cited.replace(event, set, others);
    seen.add(event, left, left);
    return Object.keys(left).length > 0 ? [{ ...event, set: left }] : [];
  };

  const push = (event: Event): readonly Event[] => {
    switch (event.type) {
      case "error":
        return [errorEvent(event, { codec, context }, losses)];
      case "message-start": {
        const head = narrower.head(event.head, ["messages", event.message]);
        return [head === event.head ? event : { ...event, head }];
      }
      case "message-set": {
        const set = narrower.head(event.set, ["messages", event.message]);
        return set === event.set ? [event] : Object.keys(set).length > 0 ? [{ ...event, set }] : [];
      }
      case "part-start":
      case "part":
        return partOf(event);
      case "part-delta":
      case "part-end":
        return types.get(event) ? [event] : [];
      case "part-set": {
        const type = types.get(event);
        return type ? setOf(event, type) : [];
      }
      case "citation":
        return types.get(event) ? citationOf(event, cited, { narrower, provider, report }) : [];
      default:
        return [event];
    }
  };
  const view: Machine<Event, Event> = { push, end: () => [] };
  if (!provider || !takesRefusals(codec, context)) return view;
  return pipe(
    refusalEvents(path => losses.push(refusalLoss(path))),
    view,
  );
}

const pathOf = ({ message, part }: At): Path => ["messages", message, "parts", part];

/** Parts in which something was taken out: what is lost inside of them after that is named by what they were before. */
export class SeenParts {
  readonly #messages: { [message: number]: { readonly parts: { [part: number]: object | undefined } } } = {};

  /** A path into the parts as they were given, of one into what is left of them. */
  original(path: Path): Path {
    return originalPath({ messages: this.#messages }, path);
  }

  set({ message, part }: At, value: object | undefined, given: object): void {
    const known = this.#messages[message] ?? { parts: {} };
    this.#messages[message] = known;
    known.parts[part] = value === given ? undefined : value;
  }

  /** Members that came later. */
  add(at: At, members: object, given: object): void {
    const known = this.#messages[at.message]?.parts[at.part];
    if (known || members !== given) this.set(at, { ...known, ...members }, given);
  }
}

function citationOf(
  event: Event & { readonly type: "citation" },
  cited: CitationCounts,
  about: { readonly narrower: Narrower; readonly provider: ProviderView | undefined; readonly report: Report },
): Event[] {
  const { narrower, provider, report } = about;
  const path: Path = [...pathOf(event), "citations", cited.next(event)];
  const seen = provider ? provider.citation(event.citation, path) : event.citation;
  const citation = narrower.streamedCitation(seen, path);
  if (!citation) return [];
  if (isHusk(citation, event.citation)) {
    huskReport(report, path);
    return [];
  }
  cited.pass(event);
  return [citation === event.citation ? event : { ...event, citation }];
}

/** How many citations each part has, and in which some are passed on. */
class CitationCounts {
  readonly #counts = new Map<string, number>();
  readonly #passed = new Set<string>();

  /** `value`: what is passed on of the part. */
  begin(at: At, part: Part, value: Part): void {
    if (part.type === "text" && part.citations) this.#counts.set(keyOf(at), part.citations.length);
    else this.#counts.delete(keyOf(at));
    if (value.type === "text" && value.citations) this.pass(at);
    else this.#passed.delete(keyOf(at));
  }

  pass(at: At): void {
    this.#passed.add(keyOf(at));
  }

  /** A list of which nothing is left takes the place of what is out. */
  replace(at: At, set: PartMembers, left: PartMembers): PartMembers {
    if (!("citations" in set) || set.citations === undefined) return left;
    if ("citations" in left) this.pass(at);
    else if (this.#passed.has(keyOf(at))) return { ...left, citations: [] };
    return left;
  }

  /** The number of the one that comes next. */
  next(at: At): number {
    const count = this.#counts.get(keyOf(at)) ?? 0;
    this.#counts.set(keyOf(at), count + 1);
    return count;
  }
}

const keyOf = ({ message, part }: At): string => `${message}.${part}`;

/** Types of the parts that are passed on; asked for at every delta. */
class PartTypes {
  readonly #messages = new Map<number, Map<number, Part["type"] | undefined>>();

  get({ message, part }: At): Part["type"] | undefined {
    return this.#messages.get(message)?.get(part);
  }

  set({ message, part }: At, type: Part["type"] | undefined): void {
    const parts = this.#messages.get(message) ?? new Map<number, Part["type"] | undefined>();
    parts.set(part, type);
    this.#messages.set(message, parts);
  }
}
