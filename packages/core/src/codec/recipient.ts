import type { ReadsCompaction } from "../model/context.ts";
import type { Message } from "../model/conversation.ts";
import type { PartMembers } from "../model/events.ts";
import type { Path } from "../model/issue.ts";
import type { Citation, FileSource, Part, PartOf, Seal } from "../model/parts.ts";
import { type Child, everyChild } from "../model/walk.ts";
import type { Codec, EncodeContext, Shape } from "./codec.ts";
import { encodeContext } from "./context.ts";
import type { Report } from "./narrow.ts";
import { refine, refineInside } from "./provenance.ts";
import { storeOf } from "./stores.ts";

/** What the codec says of the provider that is written for. */
export interface ProviderFacts {
  isHome(seal: Seal): boolean;
  fetches(maker: string): boolean;
}

/** A seal is at home nowhere, and an address is open to all, where the codec says nothing. */
export const factsOf = (codec: Codec, context: EncodeContext): ProviderFacts => ({
  isHome: seal => codec.isHome?.(seal, context) ?? false,
  fetches: maker => codec.fetches?.(maker, context) ?? true,
});

/** Which compactions the provider can read: in words, or by a seal of its own that has a place in the format. */
export function readsOf(codec: Codec, context: EncodeContext): ReadsCompaction {
  const { isHome } = factsOf(codec, context);
  const held = codec.holds(context).parts.compaction;
  // A format without compactions does not even say their words.
  if ("unsupported" in held) return () => false;
  const takesSeals = held.includes("seal");
  return part => isReadable(part, seal => takesSeals && isHome(seal));
}

/** Which compactions a provider can read of what is written for it in the format: for `context`. */
export function readsWith(
  codec: Codec,
  { dialect = codec.dialects[0], model, shape = "request" }: ReadsOptions = {},
): ReadsCompaction {
  const kind = { shape, dialect, recipient: "provider", ...(model !== undefined && { model }) } as const;
  return readsOf(codec, encodeContext(codec, kind, []));
}

export interface ReadsOptions {
  readonly dialect?: string | undefined;
  /** That is asked. */
  readonly model?: string | undefined;
  readonly shape?: Shape;
}

/** Whether a compaction says anything to whom these seals are at home; one of its maker's that has no seal is as it says. */
export const isReadable = (part: PartOf<"compaction">, isHome: (seal: Seal) => boolean): boolean =>
  part.seal === undefined || (part.summary ?? []).some(saysOpenly) || isHome(part.seal);

/** What a provider may read (R14): none but its own seals, no file that it cannot open, and no face of a result that is for programs or people. */
export class ProviderView {
  readonly #facts: ProviderFacts;
  readonly #report: Report;

  constructor(facts: ProviderFacts, report: Report) {
    this.#facts = facts;
    this.#report = report;
  }

  message(message: Message, path: Path): Message {
    if (message.parts.every(isOpen)) return message;
    const parts = this.#parts(message.parts, [...path, "parts"]);
    return parts === message.parts ? message : { ...message, parts };
  }

  /** The part as the provider may see it; undefined where nothing of it is left. */
  part(part: Part, path: Path): Part | undefined {
    const seen = this.begun(part, path);
    return seen && says(part) && !says(seen) ? undefined : seen;
  }

  /** The same of a part that a stream begins: what it says is still to come. */
  begun(part: Part, path: Path): Part | undefined {
    if (part.type === "file" && this.#isOutOfReach(part.source, path)) return undefined;
    return this.#inside(this.#unseal(part, path), path);
  }

  /** Members of a part that become known later, in a stream. */
  members(type: Part["type"], set: PartMembers, path: Path): PartMembers {
    const known = { ...set, type } as Part; // lacks what it had at its start
    const seen = this.#inside(this.#unseal(known, path), path);
    const isGone = seen.type === "file" && seen.source && this.#isOutOfReach(seen.source, path);
    if (seen === known && !isGone) return set;
    const { type: _, ...members } = seen;
    if (!isGone) return members;
    const { source: __, ...others } = members as PartOf<"file">; // of a file
    return others;
  }

  citation(citation: Citation, path: Path): Citation {
    return this.#unseal(citation, path);
  }

  #isOutOfReach(source: FileSource, path: Path): boolean {
    const maker = "url" in source ? storeOf(source.url) : undefined;
    if (maker === undefined || this.#facts.fetches(maker)) return false;
    this.#report("foreign-state", [...path, "source"], `an address in a store of ${maker}'s, which no other opens`);
    return true;
  }

  #parts(parts: readonly Part[], path: Path): readonly Part[] {
    return refine(parts, (part, index) => this.part(part, [...path, index]));
  }

  /** The part with all that stands in it, at any depth, as the provider may see it. */
  #inside(part: Part, path: Path): Part {
    const told = part.type === "tool-result" ? this.#told(part, path) : part;
    return refineInside(told, path, {
      part: (inner, at) => this.part(inner, at),
      citation: (citation, at) => this.citation(citation, at),
      tool: tool => tool,
    });
  }

  #told(part: PartOf<"tool-result">, path: Path): PartOf<"tool-result"> {
    if (part.structured === undefined && part.display === undefined) return part;
    const { structured, display, ...told } = part;
    if (structured !== undefined) {
      this.#report(
        "tool-result.structured",
        [...path, "structured"],
        "this face of a result is for programs, not for a model",
      );
    }
    if (display !== undefined) {
      this.#report("tool-result.display", [...path, "display"], "this face of a result is for people, not for a model");
    }
    return told;
  }

  #unseal<T extends { readonly seal?: Seal }>(node: T, path: Path): T {
    if (!node.seal || this.#facts.isHome(node.seal)) return node;
    const { seal, ...rest } = node;
    this.#report("foreign-seal", [...path, "seal"], `a seal of ${seal.maker ?? "an unknown maker"} stays home`);
    return rest as T; // T without a member that is optional in it
  }
}

/** Nothing in the part, or in what stands in it, is for one reader alone: what almost every part is, so that it costs no path and no copy. */
function isOpen(node: Child): boolean {
  if ("seal" in node) return false;
  if ("type" in node) {
    if (node.type === "tool-result" && (node.structured !== undefined || node.display !== undefined)) return false;
    if (node.type === "file" && "url" in node.source && storeOf(node.source.url) !== undefined) return false;
  }
  return everyChild(node, isOpen);
}

/** Whether a part says anything, be it to its maker alone. */
const says = (part: Part): boolean => part.seal !== undefined || saysOpenly(part);

/** Whether there is more of a part than its seal. */
export function saysOpenly(part: Part): boolean {
  if (part.type === "reasoning" || part.type === "text") return part.text !== undefined && part.text !== "";
  return part.type !== "compaction" || (part.summary ?? []).length > 0;
}
