import { fstatSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { unwritable, wrongUse } from "../failure.ts";
import { isFolder } from "../output/file.ts";

/** An output and the inputs that go there, one after another. */
export interface Output {
  readonly files: readonly string[];
  /** Absent = standard output. */
  readonly path?: string;
}

/** All inputs into one file or standard output, or each into a file of its name in a folder. */
export async function planOutputs(
  files: readonly string[],
  options: { readonly output?: string | undefined },
): Promise<Output[]> {
  const { output } = options;
  if (output === undefined || output === "-") return [{ files }];
  if (!(await isFolder(output))) {
    if (files.length > 1 && /\.json$/i.test(output)) {
      const hint = "name a folder (`out/`) for one file an input, or a file `.jsonl`";
      throw wrongUse(`${files.length} inputs are no one JSON value for \`${output}\``, hint);
    }
    return [{ files, path: output }];
  }
  const names = new Map<string, string>();
  for (const file of files) {
    if (file === "-") throw wrongUse(`standard input has no name in the folder \`${output}\``, "name a file in it");
    const name = basename(file).replace(/\.gz$/, "");
    const other = names.get(name);
    if (other !== undefined) throw wrongUse(`\`${other}\` and \`${file}\` would both be \`${join(output, name)}\``);
    names.set(name, file);
  }
  await mkdir(output, { recursive: true }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw unwritable(`the folder \`${output}\` cannot be made: ${why}`, error);
  });
  return [...names].map(([name, file]) => ({ files: [file], path: join(output, name) }));
}

/** Bytes of all inputs as they lie there; undefined where one is no file. */
export function totalSize(files: readonly string[]): number | undefined {
  let total = 0;
  for (const file of files) {
    const found = file === "-" ? fstatSync(0) : statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    total += found.size;
  }
  return total;
}
