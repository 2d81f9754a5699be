import { TranslogueError } from "../model/error.ts";
import type { Loss } from "../model/issue.ts";
import { type ExactText, type ParsedJson, parseJson, stringifyJson } from "../model/json-text.ts";
import type { Codec, Shape } from "./codec.ts";
import { declaredLoss } from "./context.ts";

export interface WriteTextOptions {
  /** Default: as the format sniffs the value. */
  readonly shape?: Shape;
  readonly dialect?: string;
  /** One of the format's ways to write (`indented`, …). Default: its first. */
  readonly style?: string;
  /** Source texts of the value, as `encode` and `parseJson` give them. */
  readonly exact?: ExactText;
  /** Told of what the text does not hold as the value does (.NET's has no half characters), by its `wirePath` in the value. */
  readonly onLoss?: (loss: Loss) => void;
}

/** Text of a format → its wire value, with the source text of what JavaScript cannot hold. Throws `SyntaxError` where it is no such text. */
export const readTextWith = (codec: Codec, text: string): ParsedJson => codec.text?.parse?.(text) ?? parseJson(text);

/** A wire value as the format's own text: byte for byte as its makers write it, where they fix bytes. */
export function writeTextWith(codec: Codec, value: unknown, options: WriteTextOptions = {}): string {
  const { text } = codec;
  const { style, exact, onLoss } = options;
  const styles: readonly [string, ...string[]] = text?.styles ?? ["plain"];
  if (style !== undefined && !styles.includes(style)) {
    const message = `\`${codec.id}\` has no style \`${style}\`; it has ${styles.join(", ")}`;
    throw new TranslogueError("encode/no-such-style", message, { data: { format: codec.id, style, known: styles } });
  }
  if (!text) return stringifyJson(value, exact) ?? "null"; // as JSON writes what it has no text for inside a list
  const sniffed = options.shape && options.dialect ? undefined : codec.sniff(value)[0];
  return text.stringify(value, {
    shape: options.shape ?? sniffed?.shape ?? "messages",
    dialect: options.dialect ?? sniffed?.dialect ?? codec.dialects[0],
    style: style ?? styles[0],
    ...(exact && { exact }),
    ...(onLoss && {
      lose: (code, wirePath) => onLoss({ ...declaredLoss(codec, { code, path: [], detail: undefined }), wirePath }),
    }),
  });
}
