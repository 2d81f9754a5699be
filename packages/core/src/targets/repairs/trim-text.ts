import { tellDenials } from "./answer-calls.ts";
import type { Draft } from "./draft.ts";
import { faultsOf, faultyItems, without } from "./faults.ts";

/** Texts that say nothing, and messages in which nothing is left. */
export function trimText(draft: Draft): void {
  // White space that is taken beside other content may be alone once an empty text is gone.
  for (let round = 0; round < 2; round++) {
    const blank = faultyItems(faultsOf(draft, "text-not-empty"));
    if (blank.size === 0) break;
    draft.mapItems(item => {
      if (!blank.has(item)) return item.part;
      const sealed = item.part.seal ? ", and its seal with it" : "";
      draft.changed("trim-text", item.path, `a text without words is left out${sealed}`);
      return undefined;
    });
  }
  if (faultsOf(draft, "message-not-empty").length > 0) tellDenials(draft);
  const empty = new Set(faultsOf(draft, "message-not-empty").map(({ message }) => message));
  if (empty.size === 0) return;
  for (const { path } of empty) draft.changed("trim-text", path, "a message without content is left out");
  draft.messages = draft.messages.filter(message => !empty.has(message));
}

/** An answer that is to be gone on with does not end in white space. */
export function trimPrefill(draft: Draft): void {
  for (;;) {
    const [fault] = faultsOf(draft, "prefill-trimmed");
    const item = fault?.item;
    if (item?.part.type !== "text") return;
    const { part, path } = item;
    const text = part.text.trimEnd();
    draft.changed("trim-prefill", path, "white space at the end of what is to be gone on with is cut");
    if (text === "") {
      draft.mapItems(each => (each === item ? undefined : each.part));
      continue;
    }
    const cited = part.citations?.map(citation =>
      (citation.end ?? 0) > text.length
        ? { ...citation, end: text.length, start: Math.min(citation.start ?? 0, text.length) }
        : citation,
    );
    draft.mapItems(each =>
      each === item ? { ...without(part, "citations"), text, ...(cited && { citations: cited }) } : each.part,
    );
    return;
  }
}
