import type { Message } from "../model/conversation.ts";
import type { Part } from "../model/parts.ts";

interface Cutting {
  readonly strategy: "last" | "first";
  readonly textSplitter: ((text: string) => readonly string[]) | undefined;
  readonly fits: (message: Message) => boolean;
}

/**
 * The largest piece of a message that fits, from the side where it joins what stays: as many whole parts as fit; else pieces of
 * its first text. Calls and whatever else is no content stay. `fits` is asked a logarithmic number of times.
 */
export function piecesOf(message: Message, cutting: Cutting): Message | undefined {
  const { strategy, fits } = cutting;
  const content = message.parts.filter(isContent);
  const first = strategy === "first";
  const some = (count: number): Message => {
    const stays = new Set(first ? content.slice(0, count) : content.slice(content.length - count));
    return { ...message, parts: message.parts.filter(part => !isContent(part) || stays.has(part)) };
  };
  const whole = largest(content.length - 1, count => fits(some(count)));
  if (whole > 0) return some(whole);
  const text = content.find(part => part.type === "text" && part.text !== "");
  if (text?.type !== "text") return undefined;
  const pieces = (cutting.textSplitter ?? linesOf)(text.text);
  const shortened = (count: number): Message => {
    const kept = first ? pieces.slice(0, count) : pieces.slice(pieces.length - count);
    // Citations, seals and spellings are of the whole text.
    const part: Part = { type: "text", text: kept.join("") };
    return {
      ...message,
      parts: message.parts.flatMap(each => (each === text ? [part] : isContent(each) ? [] : [each])),
    };
  };
  const count = largest(pieces.length - 1, count => fits(shortened(count)));
  return count > 0 ? shortened(count) : undefined;
}

const isContent = ({ type }: Part): boolean =>
  type === "text" || type === "file" || type === "data" || type === "source";

/** The largest number up to `most` for which it holds, 0 where for none; it holds for all smaller ones too. */
function largest(most: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Each with its line break. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
