import { refine } from "../../codec/provenance.ts";
import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { bareDenials, tellDenials } from "./answer-calls.ts";
import { type Draft, placeIn } from "./draft.ts";
import { faultsOf, innerPlaces, piecesAt, without, withoutPieces } from "./faults.ts";
import { fixedTexts } from "./policies.ts";

/** Texts that say nothing, and messages in which nothing is left. */
export function trimText(draft: Draft): void {
  sayErrors(draft);
  const tell = ({ seal }: Part, path: Path): void =>
    draft.changed("trim-text", path, `a text without words is left out${seal ? ", and its seal with it" : ""}`);
  // White space that is taken beside other content may be alone once an empty text is gone.
  for (let round = 0; round < 2; round++) {
    const pieces = piecesAt(
      faultsOf(draft, "text-not-empty").flatMap(({ item, inner }) => (item ? [{ item, inner: ofText(inner) }] : [])),
    );
    if (pieces.size === 0) break;
    draft.mapItems(item => (pieces.has(item) ? withoutPieces(item, { pieces, tell }) : item.part));
  }
  if (faultsOf(draft, "message-not-empty").length > 0) tellDenials(draft, bareDenials(draft));
  const empty = new Set(faultsOf(draft, "message-not-empty").map(({ message }) => message));
  if (empty.size === 0) return;
  for (const { path } of empty) draft.changed("trim-text", path, "a message without content is left out");
  draft.messages = draft.messages.filter(message => !empty.has(message));
}

/** An error that says nothing is said in words: that a tool failed is not to be left out. */
function sayErrors(draft: Draft): void {
  const faults = faultsOf(draft, "text-not-empty").filter(({ inner }) => inner.at(-1) === "message");
  const wordless = innerPlaces(faults, "output");
  if (wordless.size === 0) return;
  draft.mapItems(item => {
    const places = wordless.get(item);
    const { part } = item;
    if (!places || part.type !== "tool-result" || !part.output) return part;
    const output = refine(part.output, (piece, place): Part => {
      if (!places.has(place) || piece.type !== "error") return piece;
      draft.changed("trim-text", placeIn(item, ["output", place]), "an error without words says that the tool failed");
      return { ...piece, message: fixedTexts.failed };
    });
    return { ...part, output };
  });
}

/** The part whose text it is. */
const ofText = (inner: Path): Path => inner.slice(0, inner.at(-2) === "source" ? -2 : -1);

/** An answer that is to be gone on with does not end in white space. */
export function trimPrefill(draft: Draft): void {
  for (;;) {
    const [{ item, inner } = {}] = faultsOf(draft, "prefill-trimmed");
    if (!item || !inner) return;
    draft.changed(
      "trim-prefill",
      placeIn(item, inner.slice(0, -1)),
      "white space at the end of what is to be gone on with is cut",
    );
    draft.mapItems(each => (each === item ? trimmedAt(each.part, inner) : each.part));
  }
}

/** The part without white space at the end of the text there; none where that was all. */
function trimmedAt(part: Part, [, place, ...inner]: Path): Part | undefined {
  if (part.type === "compaction") {
    const summary =
      part.summary && refine(part.summary, (each, index) => (index === place ? trimmedAt(each, inner) : each));
    return summary?.length === 0 ? undefined : { ...part, ...(summary && { summary }) };
  }
  if (part.type !== "text" && part.type !== "refusal") return part;
  const text = part.text.trimEnd();
  if (text === "") return undefined;
  const cited = (part.type === "text" ? part.citations : undefined)?.map(citation =>
    (citation.end ?? 0) > text.length
      ? { ...citation, end: text.length, start: Math.min(citation.start ?? 0, text.length) }
      : citation,
  );
  return { ...without(part, "citations"), text, ...(cited && { citations: cited }) };
}
