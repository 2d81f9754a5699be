import type { Codec } from "./codec.ts";
import { type DecodeOptions, decodeWith } from "./decode.ts";
import { type Encoded, type EncodeOptions, encodeAs, encodeWith } from "./encode.ts";

/** Options of both halves; `shape` and `dialect` are those of the value read, `as` and `toDialect` those of the one written. */
export interface ConvertOptions extends Omit<DecodeOptions, "newId">, Pick<EncodeOptions, "recipient" | "carry"> {
  readonly newId?: () => string;
  /** Shape to write. Default: the shape read, or the nearest the format has; for one message that becomes several, `messages`. */
  readonly as?: EncodeOptions["shape"];
  readonly toDialect?: string;
}

/** `issues`: what is wrong with the value read, and what will be refused of the one written. */
export type Converted<Wire = unknown> = Encoded<Wire>;

/** A wire value of one format as one of another, with everything that could not come along. */
export function convertWith<Wire>(
  value: unknown,
  formats: { readonly from: Codec; readonly to: Codec<Wire> },
  options: ConvertOptions = {},
): Converted<Wire> {
  const { recipient, carry, as, toDialect, ...reading } = options;
  const decoded = decodeWith(formats.from, value, reading);
  const dialect = toDialect ?? (formats.from.id === formats.to.id ? decoded.dialect : undefined);
  const writing = {
    ...(dialect !== undefined && { dialect }),
    ...(recipient !== undefined && { recipient }),
    ...(carry !== undefined && { carry }),
  };
  const { strictTools } = decoded;
  const encoded =
    as === undefined
      ? encodeAs(formats.to, decoded, writing)
      : encodeWith(formats.to, decoded.conversation, {
          ...writing,
          shape: as,
          ...(strictTools !== undefined && { strictTools }),
        });
  return { ...encoded, losses: [...decoded.losses, ...encoded.losses], issues: [...decoded.issues, ...encoded.issues] };
}
