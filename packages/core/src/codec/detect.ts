import type { Codec, Shape } from "./codec.ts";
import { guardInput } from "./json-input.ts";

/** What a caller knows of where a value came from. */
export interface DetectHint {
  /** Host and path of the URL that it was sent to or came from. */
  readonly host?: string;
  readonly path?: string;
  readonly shape?: Shape;
}

export interface Detected {
  readonly format: string;
  readonly shape: Shape;
  readonly dialect?: string;
  /** 0–1; two formats near each other mean that the body alone does not tell. */
  readonly confidence: number;
  /** The members that told. */
  readonly keys: readonly string[];
}

/** The formats that a value may be, the surest first. Empty where none fits. */
export function detectWith(codecs: readonly Codec[], value: unknown, hint: DetectHint = {}): Detected[] {
  const isHosted = (codec: Codec): boolean => ends(codec, hint.host);
  const found = guardInput(value, () => codecs.flatMap(codec => codec.sniff(value).map(sniff => ({ codec, sniff }))));
  const isTaken = found.some(({ codec, sniff }) => sniff.confidence > 0 && isHosted(codec));
  const likely = found
    .filter(({ sniff }) => sniff.confidence > 0)
    .map(({ codec, sniff }): Detected => {
      const isOthers = isTaken && !isHosted(codec);
      return { format: codec.id, ...sniff, confidence: weigh(codec, sniff.confidence, hint) * (isOthers ? 0.5 : 1) };
    });
  const fitting = hint.shape ? likely.filter(({ shape }) => shape === hint.shape) : likely;
  return fitting.sort((a, b) => b.confidence - a.confidence || (a.format < b.format ? -1 : 1));
}

const ends = (codec: Codec, text: string | undefined): boolean =>
  codec.places?.some(place => text?.endsWith(place)) ?? false;

/**
 * A format that claims the host or path is likelier by half of what is missing to certainty. Hosts speak the paths of
 * others: where a format claims the host, the others are half as likely.
 */
function weigh(codec: Codec, confidence: number, hint: DetectHint): number {
  const named = ends(codec, hint.host) || ends(codec, hint.path);
  return named ? confidence + (1 - confidence) / 2 : confidence;
}
