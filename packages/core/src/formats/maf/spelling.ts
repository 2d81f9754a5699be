/** Number texts that have no node to stand on: beside the objects themselves, like all exact text (R6). */

import { type ExactText, readNumber, setNumberText } from "../../model/exact-text.ts";

/** A number that stood under one name in a wire object stands under another in a node. */
export function moveText(
  exact: ExactText | undefined,
  from: { readonly holder: object; readonly key: string },
  to: { readonly holder: object; readonly key: string },
): void {
  const text = exact?.numbers.get(from.holder)?.get(from.key);
  if (exact && text !== undefined) setNumberText(exact, to, text);
}

const written = new WeakMap<object, Map<string | number, string>>();

/** Gives a number of a wire object that an encoder made the spelling that its node keeps, if it still reads as it (R1). */
export function spell(holder: object, key: string, text: string | undefined): void {
  if (text === undefined) return;
  const texts = written.get(holder);
  if (texts) texts.set(key, text);
  else written.set(holder, new Map([[key, text]]));
}

/** How a number of an object or list is to be written: as its source was, while that still reads as it. */
export function textOf(
  holder: { readonly holder: object; readonly key: string | number },
  value: number,
  exact: ExactText | undefined,
): string {
  const text =
    exact?.numbers.get(holder.holder)?.get(holder.key) ?? written.get(holder.holder)?.get(holder.key) ?? undefined;
  return text !== undefined && readNumber(text) === value ? text : String(value);
}
