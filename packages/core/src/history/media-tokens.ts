import type { FilePart } from "../model/parts.ts";
import { type ImageSize, imageSize } from "./image-size.ts";

/** What a maker's models count for a file. Data only: `fileTokens` says what it means. */
export interface MediaRule {
  readonly source: string;
  readonly date: string;
  readonly image: ImageRule;
  /** Tokens of a file whose length is not known from the message: a second, a page, or the whole. */
  readonly audio: number;
  readonly video: number;
  readonly document: number;
}

export interface ImageRule {
  /** Sides that the picture is made smaller to fit: the long side, then the short one; area in pixels. */
  readonly long?: number;
  readonly short?: number;
  /** Pixels that are one token; or the side of a square that counts `unit`, of which there are `most`. */
  readonly pixels?: number;
  readonly square?: number;
  readonly unit?: number;
  readonly most?: number;
  /** Pictures whose sides are all within it count one unit. */
  readonly small?: number;
  readonly base?: number;
  /** Where little detail is asked for. */
  readonly low?: number;
  /** Where its size is not known. */
  readonly unknown: number;
}

const measured = "measured by resolution: huggingface.co/datasets/JOHNISKING/image-token-cost";

/** By a name for the way of counting: a maker, or its family of models. */
export const mediaRules = {
  tiles: {
    source: "platform.openai.com/docs/guides/images-vision, models of tiles (GPT-4o, GPT-4.1)",
    date: "2026-11-30",
    image: { long: 2048, short: 768, square: 512, unit: 170, base: 85, low: 85, unknown: 765 },
    audio: 600,
    video: 0,
    document: 1500,
  },
  patches: {
    source: `${measured}, models of patches (GPT-5.5, GPT-6)`,
    date: "2026-11-30",
    image: { square: 32, unit: 1.2, most: 2450, low: 77, unknown: 1229 },
    audio: 600,
    video: 0,
    document: 1500,
  },
  area: {
    source: "docs.anthropic.com/en/docs/vision: width × height / 750, long edge 1568, about 1,600 at most",
    date: "2026-11-30",
    image: { long: 1568, pixels: 750, most: 1600, unknown: 1600 },
    audio: 0,
    video: 0,
    document: 2250,
  },
  squares: {
    source: "ai.google.dev/gemini-api/docs/tokens: 258 a tile of 768; 32 a second of audio, 263 of video",
    date: "2026-11-30",
    image: { square: 768, unit: 258, small: 384, unknown: 258 },
    audio: 32 * 60,
    video: 263 * 60,
    document: 258,
  },
} as const satisfies { readonly [name: string]: MediaRule };

/** Tokens of a file by a maker's rule. A text file is its text; audio and video whose length is unknown are taken for a minute. */
export function fileTokens(part: FilePart, rule: MediaRule): number {
  const [medium = ""] = (part.mediaType ?? "").split("/");
  if (medium === "audio" || medium === "video") return rule[medium];
  if (medium === "image") return imageTokens(part, rule.image);
  return rule.document;
}

function imageTokens({ detail, source }: FilePart, rule: ImageRule): number {
  if (detail === "low" && rule.low !== undefined) return rule.low;
  const size = "data" in source ? imageSize(source.data) : undefined;
  if (!size) return rule.unknown;
  const { width, height } = shrunk(size, rule);
  if (rule.pixels !== undefined)
    return Math.min(Math.ceil((width * height) / rule.pixels), rule.most ?? Number.POSITIVE_INFINITY);
  const { square = 512, unit = 1, base = 0, small = 0 } = rule;
  const isSmall = Math.max(width, height) <= small;
  const squares = isSmall ? 1 : Math.ceil(width / square) * Math.ceil(height / square);
  return Math.ceil(base + Math.min(squares, rule.most ?? squares) * unit);
}

function shrunk(size: ImageSize, { long, short }: ImageRule): ImageSize {
  const fit = (most: number | undefined, side: number): number => (most === undefined ? 1 : Math.min(1, most / side));
  const first = fit(long, Math.max(size.width, size.height));
  const second = fit(short, Math.min(size.width, size.height) * first);
  const scale = first * second;
  return { width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
}
