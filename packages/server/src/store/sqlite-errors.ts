import { TranslogueError } from "translogue";

/** How long a statement waits for another process's lock. */
export const busyMs = 5000;

/** What SQLite's result codes mean for whoever runs the server (https://www.sqlite.org/rescode.html, 2026-12-01). */
const causes: { readonly [code: number]: readonly [code: string, words: string] } = {
  5: [
    "store/locked",
    `is locked by another process for longer than ${busyMs / 1000} s: end that one, or give this one another file`,
  ],
  8: ["store/not-writable", "may only be read: let this process write to the file and to its folder"],
  10: ["store/not-readable", "can't be read or written on its disk: look after the disk"],
  11: ["store/damaged", "is damaged: put a copy in its place"],
  13: ["store/full", "has no room left on its disk: make room, then try again"],
  14: [
    "store/not-opened",
    "can't be opened: it is a folder, or this process may not open the file or make it in its folder",
  ],
  26: ["store/not-a-database", "is no SQLite database: name another file, or move this one away"],
};

/** An error of SQLite's in words that say what to do; any other as it is. */
export function inWords(error: unknown, path: string): unknown {
  const [code, words] = causes[resultCode(error) & 0xff] ?? [];
  if (code === undefined || words === undefined) return error;
  return new TranslogueError(code, `the database \`${path}\` ${words}`, { cause: error, data: { path } });
}

/** 0 where it is none of SQLite's. Extended codes have the primary one in their lowest byte. */
function resultCode(error: unknown): number {
  const isOfSqlite = error instanceof Error && "errcode" in error && typeof error.errcode === "number";
  return isOfSqlite ? (error.errcode as number) : 0; // just looked at
}

/** What `run` returns; SQLite's errors in words. */
export function speaking<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw inWords(error, path);
  }
}
