/** Where the generated pieces of a document come from. */
export interface Pieces {
  /** Markdown by block name. */
  readonly blocks: Readonly<Record<string, string>>;
  /** The text of a file of the project; undefined where there is none. */
  file(path: string): string | undefined;
}

export interface Filled {
  readonly text: string;
  readonly problems: readonly string[];
}

const generated = /<!-- generated:(\S+) -->[\s\S]*?<!-- \/generated -->/g;
const snippet = /<!-- snippet:(\S+?)(?:#(\S+))? -->\s*```\w*\n(?:[\s\S]*?\n)??```/g;

/**
 * Fills what a document leaves to its sources: `<!-- generated:NAME -->…<!-- /generated -->` with a table, and the fenced
 * block after `<!-- snippet:path#region -->` with that region of the file. Whatever has no source stays, with a problem.
 */
export function fill(document: string, pieces: Pieces): Filled {
  const problems: string[] = [];
  const keep = (problem: string, old: string) => {
    problems.push(problem);
    return old;
  };
  const text = document
    .replace(generated, (old, name: string) => {
      const block = pieces.blocks[name];
      if (block === undefined) return keep(`no table is called \`${name}\``, old);
      return `<!-- generated:${name} -->\n\n${block.trim()}\n\n<!-- /generated -->`;
    })
    .replace(snippet, (old, path: string, region: string | undefined) => {
      const code = cut(pieces.file(path), region);
      const from = region === undefined ? path : `${path}#${region}`;
      if (code === undefined) return keep(`there is no \`${from}\``, old);
      return `<!-- snippet:${from} -->\n\`\`\`${path.split(".").at(-1)}\n${code}\n\`\`\``;
    });
  return { text, problems: [...problems, ...unread(document)] };
}

/** Markers that the patterns above did not understand, so that a typing error does not pass as prose. */
function unread(document: string): string[] {
  const count = (pattern: RegExp) => document.match(pattern)?.length ?? 0;
  const lost = count(/<!-- *(generated|snippet):/g) - count(generated) - count(snippet);
  return lost > 0 ? [`${lost} markers of generated text have no end or no fenced block after them`] : [];
}

const marker = /^\s*\/\/ #(end)?region\b/;

/** The lines between `// #region name` and its `// #endregion`, moved to the left; without a region the whole file. */
function cut(text: string | undefined, region: string | undefined): string | undefined {
  const lines = text?.split("\n");
  const start = region === undefined ? -1 : lines?.findIndex(line => line.trim() === `// #region ${region}`);
  if (lines === undefined || (region !== undefined && start === -1)) return undefined;
  const body = lines.slice((start ?? -1) + 1);
  const end = region === undefined ? body.length : endOf(body);
  return dedented(body.slice(0, end).filter(line => !marker.test(line)));
}

function endOf(lines: readonly string[]): number {
  let open = 1;
  const end = lines.findIndex(line => {
    const found = marker.exec(line);
    if (found) open += found[1] ? -1 : 1;
    return open === 0;
  });
  return end === -1 ? lines.length : end;
}

function dedented(lines: readonly string[]): string {
  const depths = lines.filter(line => line.trim() !== "").map(line => line.search(/\S/));
  const depth = Math.min(...depths);
  return lines
    .map(line => line.slice(depth))
    .join("\n")
    .trim();
}
