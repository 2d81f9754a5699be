import {
  type Codec,
  type Conversation,
  encode,
  type FormatRef,
  findFormat,
  formats,
  isError,
  type Loss,
  type LossKind,
  type Recipient,
  type Shape,
  stringifyJson,
} from "translogue";
import { canonical } from "./canonical.ts";

export interface FormatOption {
  /** `canonical`, or `format:dialect`. */
  readonly ref: string;
  readonly title: string;
}

/** Every format in each of the dialects that it can be written in. */
export const formatOptions: readonly FormatOption[] = formats
  .flatMap(({ id, title, dialects }) =>
    dialects.map(dialect => ({
      ref: dialects.length === 1 ? id : `${id}:${dialect}`,
      title: dialects.length === 1 ? title : `${title} · ${dialect}`,
    })),
  )
  .filter(({ ref }) => "text" in conversionOf({ messages: [] }, ref, { recipient: "client" }));

export interface LossGroup {
  readonly code: string;
  readonly kind: LossKind;
  readonly message: string;
  readonly losses: readonly Loss[];
  readonly carried: number;
}

export type Conversion =
  | { readonly text: string; readonly losses: readonly LossGroup[]; readonly extension: "json" }
  | { readonly problem: string };

export interface ConversionOptions {
  readonly recipient: Recipient;
  /** Whether what is lost travels along hidden. Default: as the format does. */
  readonly carry?: boolean;
}

/** The conversation in a format, as text, with what it could not hold. */
export function conversionOf(conversation: Conversation, ref: string, options: ConversionOptions): Conversion {
  if (ref === canonical) {
    return { text: stringifyJson(conversation, undefined, 2) ?? "", losses: [], extension: "json" };
  }
  try {
    const { codec } = findFormat(ref);
    const to = ref as FormatRef; // found
    const { value, losses, exact } = encode(conversation, { to, shape: shapeOf(codec), ...options });
    return { text: stringifyJson(value, exact, 2) ?? "", losses: groupsOf(losses), extension: "json" };
  } catch (error) {
    if (isError(error)) return { problem: error.message };
    throw error;
  }
}

/** A conversation is a list of messages where the format has one; else what holds most of it. */
function shapeOf({ shapes }: Codec): Shape {
  return shapes.find(shape => shape === "messages") ?? shapes[0] ?? "messages";
}

function groupsOf(losses: readonly Loss[]): readonly LossGroup[] {
  const byCode = Map.groupBy(losses, ({ code, kind }) => `${code} ${kind}`);
  return [...byCode.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const { code, kind, message } = first;
    return [{ code, kind, message, losses: group, carried: group.filter(({ carried }) => carried).length }];
  });
}
