import type { Event } from "../model/events.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import { type Machine, pipe } from "../stream/machine.ts";
import type { Codec, EncodeContext } from "./codec.ts";
import { dropInto } from "./context.ts";
import { Narrower } from "./narrow.ts";
import { factsOf, ProviderView } from "./recipient.ts";
import { refusalEvents, refusalLoss, takesRefusals } from "./refusals.ts";

/**
 * For a stream what the passes before an encoder are for a whole: takes out of each event what the format or the
 * recipient does not take, and reports it. A part that is out stays out: its later events are not passed on.
 */
export function eventView(codec: Codec, context: EncodeContext, losses: Loss[]): Machine<Event, Event> {
  const report = dropInto(losses);
  const narrower = new Narrower(codec.holds(context), report);
  const facts = factsOf(codec, context);
  const provider = context.recipient === "provider" ? new ProviderView(facts, report) : undefined;
  const types = new Map<string, Part["type"]>();

  const partOf = (event: Event & { readonly type: "part-start" | "part" }): Event[] => {
    const path: Path = ["messages", event.message, "parts", event.part];
    const seen = provider ? provider.part(event.value, path) : event.value;
    const value = seen && narrower.part(seen, path);
    if (!value) {
      types.delete(keyOf(event));
      return [];
    }
    types.set(keyOf(event), value.type);
    return [value === event.value ? event : { ...event, value }];
  };

  const setOf = (event: Event & { readonly type: "part-set" }, type: Part["type"]): Event[] => {
    const path: Path = ["messages", event.message, "parts", event.part];
    const { seal, ...others } = event.set;
    const foreign = seal && provider && !facts.isHome(seal);
    if (foreign) report("foreign-seal", [...path, "seal"], "a seal of another maker stays home");
    const members = foreign ? others : event.set;
    const set = narrower.partMembers(type, members, path);
    return Object.keys(set).length > 0 ? [{ ...event, set }] : [];
  };

  const push = (event: Event): readonly Event[] => {
    switch (event.type) {
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
        return types.has(keyOf(event)) ? [event] : [];
      case "part-set": {
        const type = types.get(keyOf(event));
        return type ? setOf(event, type) : [];
      }
      case "citation":
        return types.has(keyOf(event)) ? citationOf(event, narrower, provider) : [];
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

function citationOf(
  event: Event & { readonly type: "citation" },
  narrower: Narrower,
  provider: ProviderView | undefined,
): Event[] {
  const path: Path = ["messages", event.message, "parts", event.part, "citations"];
  const seen = provider ? provider.citation(event.citation, path) : event.citation;
  const citation = narrower.streamedCitation(seen, path);
  if (!citation) return [];
  return [citation === event.citation ? event : { ...event, citation }];
}

const keyOf = (event: { readonly message: number; readonly part: number }): string => `${event.message}.${event.part}`;
