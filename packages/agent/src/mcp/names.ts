import { fnv1a } from "../fnv.ts";

/** When a tool is offered under its server's name too: `collision` where two tools would have one name, or `always`. */
export type ToolPrefix = "collision" | "always";

export interface NamedOn {
  readonly server: string;
  readonly tool: string;
}

const longest = 64;

/**
 * Names that every provider takes (1 to 64 of `A–Z a–z 0–9 _ -`, beginning with a letter or `_`), each once, in the order
 * of the tools. Of several that would have one name, or the name of one of `taken`, every one gets its server's before it:
 * none wins by its place in the list. What still does not differ gets a mark made of both names, the same in every run.
 */
export function toolNames(tools: readonly NamedOn[], prefix: ToolPrefix, taken: Iterable<string> = []): string[] {
  const reserved = new Set(taken);
  const plain = tools.map(({ tool }) => fitted(tool));
  const counts = counted(plain);
  const wanted = tools.map(({ server, tool }, index) => {
    const name = plain[index] ?? "";
    const isFree = prefix === "collision" && counts.get(name) === 1 && !reserved.has(name);
    return isFree ? name : fitted(`${server}_${tool}`);
  });
  const all = counted(wanted);
  const used = new Set(reserved);
  return tools.map((of, index) => {
    const name = wanted[index] ?? "";
    const unique = all.get(name) === 1 && !used.has(name) ? name : marked(name, of, used);
    used.add(unique);
    return unique;
  });
}

function marked(name: string, { server, tool }: NamedOn, used: ReadonlySet<string>): string {
  for (let round = 0; ; round++) {
    const found = `${name.slice(0, longest - 8)}_${mark(`${server}\0${tool}\0${round}`)}`;
    if (!used.has(found)) return found;
  }
}

function fitted(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const begun = /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
  return begun.length <= longest ? begun : `${begun.slice(0, longest - 8)}_${mark(name)}`;
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Seven characters of the text. */
const mark = (text: string): string => fnv1a(text).toString(36).padStart(7, "0");
