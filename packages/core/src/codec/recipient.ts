import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Citation, FileSource, Part, Seal } from "../model/parts.ts";
import type { Codec, EncodeContext } from "./codec.ts";
import type { Report } from "./narrow.ts";
import { refine } from "./provenance.ts";
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
    const unsealed = this.#unseal(part, path);
    if (unsealed !== part && isEmpty(unsealed)) return undefined;
    switch (unsealed.type) {
      case "text": {
        if (!unsealed.citations) return unsealed;
        const citations = refine(unsealed.citations, (citation, index) =>
          this.citation(citation, [...path, "citations", index]),
        );
        return citations === unsealed.citations ? unsealed : { ...unsealed, citations };
      }
      case "tool-result":
        return this.#result(unsealed, path);
      case "file":
        return this.#isOutOfReach(unsealed.source, path) ? undefined : unsealed;
      default:
        return unsealed;
    }
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

  #result(part: Part & { readonly type: "tool-result" }, path: Path): Part {
    const output = part.output && this.#parts(part.output, [...path, "output"]);
    if (part.structured === undefined && part.display === undefined && output === part.output) return part;
    const { structured, display, ...rest } = part;
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
    return output ? { ...rest, output } : rest;
  }

  #unseal<T extends { readonly seal?: Seal }>(node: T, path: Path): T {
    if (!node.seal || this.#facts.isHome(node.seal)) return node;
    const { seal, ...rest } = node;
    this.#report("foreign-seal", [...path, "seal"], `a seal of ${seal.maker ?? "an unknown maker"} stays home`);
    return rest as T; // T without a member that is optional in it
  }
}

/** Nothing in the part is for one reader alone: what almost every part is, so that it costs no path and no copy. */
function isOpen(part: Part): boolean {
  if ("seal" in part) return false;
  switch (part.type) {
    case "text":
      return part.citations === undefined;
    case "tool-result":
      return part.structured === undefined && part.display === undefined && (part.output?.every(isOpen) ?? true);
    case "file":
      return !("url" in part.source) || storeOf(part.source.url) === undefined;
    default:
      return true;
  }
}

/** Nothing is left of a part that was only a seal. */
function isEmpty(part: Part): boolean {
  if (part.type === "reasoning" || part.type === "text") return part.text === undefined || part.text === "";
  return part.type === "compaction" && part.summary === undefined;
}
