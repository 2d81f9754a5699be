/** A block of an answer between fences, as Markdown has them (https://spec.commonmark.org/0.31.2/#fenced-code-blocks). */
export interface Fenced {
  /** What its first line says, in lower case; "" for nothing. */
  readonly language: string;
  readonly body: string;
  /** Nothing but white space stands around it. */
  readonly isAll: boolean;
}

/** Languages of what is only wrapped: any other is a part of what is said. */
const wrappers = new Set(["", "json", "markdown", "md", "plaintext", "text", "txt"]);
const marks = /^ {0,3}(`{3,}|~{3,})/;
/** Characters: a longer line opens no fence. */
const longestLine = 200;

export const isWrapper = (language: string): boolean => wrappers.has(language);

interface Opening {
  readonly fence: string;
  readonly language: string;
}

function openedBy(line: string): Opening | undefined {
  const [all = "", fence] = line.length > longestLine ? [] : (marks.exec(line) ?? []);
  if (fence === undefined) return undefined;
  const info = line.slice(all.length).trim();
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  return { fence, language: info.split(/\s/, 1)[0]?.toLowerCase() ?? "" };
}

/** The blocks of a text that are closed, first to last. */
export function* fencedIn(text: string): Generator<Fenced, void, undefined> {
  if (!/`{3}|~{3}/.test(text)) return;
  const lines = text.split(/\r?\n/);
  let open: (Opening & { readonly at: number }) | undefined;
  let isFirst = true;
  for (const [at, line] of lines.entries()) {
    if (!open) {
      const opening = openedBy(line);
      if (opening) open = { ...opening, at };
      else if (line.trim() !== "") isFirst = false;
    } else if (closes(line, open.fence)) {
      const body = lines.slice(open.at + 1, at).join("\n");
      const isAll = isFirst && lines.slice(at + 1).every(other => other.trim() === "");
      yield { language: open.language, body, isAll };
      open = undefined;
      isFirst = false;
    }
  }
}

function closes(line: string, fence: string): boolean {
  const marks = line.trim();
  const mark = fence.charAt(0);
  return marks.length >= fence.length && [...marks].every(each => each === mark);
}

/** What the one fence around all of a text holds; undefined where there is none, or it says what language that is. */
export function unwrapped(text: string): string | undefined {
  const [first] = fencedIn(text);
  return first?.isAll && isWrapper(first.language) ? first.body : undefined;
}

/** The beginning of a text without the line that wraps it: undefined while that may still come. `isWrapped`: it was there. */
export function begun(text: string): { readonly text: string; readonly isWrapped: boolean } | undefined {
  const first = text.trimStart();
  const end = first.indexOf("\n");
  if (end === -1) {
    const mayOpen = first.length < 3 ? /^(?:`*|~*)$/.test(first) : openedBy(first) !== undefined;
    return mayOpen ? undefined : { text, isWrapped: false };
  }
  const opening = openedBy(first.slice(0, end));
  const isWrapped = opening !== undefined && isWrapper(opening.language);
  return { text: isWrapped ? first.slice(end + 1) : text, isWrapped };
}

/** A text that is not over without what may become the end of its fence. */
export function withoutEnd(text: string): string {
  let end = text.trimEnd().length;
  while (text[end - 1] === "`" || text[end - 1] === "~") end--;
  const said = text.slice(0, end).trimEnd();
  return said === "" || /^\s*\n/.test(text.slice(said.length)) ? said : text;
}
