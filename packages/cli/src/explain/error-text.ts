import { type Json, parseJson } from "translogue";

/**
 * What an error says: of a body its messages, else the text itself. Bodies have them as `error.message`, `message`, `detail`
 * (one or a list), and some hosts have the provider's own body as a string in theirs.
 */
export function errorTextsOf(text: string): readonly string[] {
  const texts: string[] = [];
  collect(valueIn(text), texts, 0);
  return texts.length > 0 ? [...texts, text] : [text];
}

const wanted: ReadonlySet<string> = new Set(["message", "detail", "msg", "raw", "error", "errors", "error_message"]);
const deepest = 8;

function collect(value: Json | undefined, texts: string[], depth: number): void {
  if (typeof value !== "object" || value === null || depth > deepest) return;
  const members: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map(item => ["error", item] as const)
    : Object.entries(value);
  for (const [name, member] of members) {
    if (typeof member === "string") {
      if (!wanted.has(name)) continue;
      texts.push(member);
      collect(valueIn(member), texts, depth + 1);
    } else collect(member, texts, depth + 1);
  }
}

/** The JSON that a text is, or that stands in it: logs put words before a body. */
function valueIn(text: string): Json | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return parseJson(text.slice(start, end + 1)).value;
  } catch {
    return undefined;
  }
}
