import type { Codec, Shape } from "./codec.ts";

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
  const found = codecs.flatMap(codec =>
    codec.sniff(value).map(sniff => ({ format: codec.id, ...sniff, confidence: weigh(codec, sniff.confidence, hint) })),
  );
  const likely = found.filter(({ confidence }) => confidence > 0);
  const fitting = hint.shape ? likely.filter(({ shape }) => shape === hint.shape) : likely;
  return fitting.sort((a, b) => b.confidence - a.confidence || (a.format < b.format ? -1 : 1));
}

/** A format that claims the host or path is likelier by half of what is missing to certainty. */
function weigh(codec: Codec, confidence: number, hint: DetectHint): number {
  const ends = (text: string | undefined): boolean => codec.places?.some(place => text?.endsWith(place)) ?? false;
  const named = ends(hint.host) || ends(hint.path);
  return named ? confidence + (1 - confidence) / 2 : confidence;
}
