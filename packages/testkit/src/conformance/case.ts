import type { Loss } from "translogue";

/** A file below a folder of fixtures. */
export interface FixtureFile {
  readonly root: string;
  /** Path below the root, with `/`. */
  readonly path: string;
  /** Its first folder: recordings, exchanges, aisdk, … */
  readonly folder: string;
  /** Its member `kind`, where it has one. */
  readonly kind: string | undefined;
  read(): string;
}

export type Outcome =
  | { readonly status: "passed" }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "set-aside"; readonly rule: string };

/** What came of one case of a file. One case may have several results: it may pass in part and be set aside in part. */
export interface CaseResult {
  readonly format: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly losses?: readonly Loss[];
}

export interface World {
  /** Every folder given, then the project's neighbours: where a recording named by a case is looked up. */
  readonly roots: readonly string[];
}

/** Runs what applies to the files that it reads. */
export interface Runner {
  readonly name: string;
  reads(file: FixtureFile): boolean;
  run(file: FixtureFile, world: World): AsyncIterable<CaseResult> | Iterable<CaseResult>;
}

/** A rule that sets a case or a whole file aside, with its reason. */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  /** Files that are not read at all, by their kind; absent = the rule is for cases, which runners name. */
  matches?(file: FixtureFile): boolean;
  /** How many cases a file holds that is set aside whole. */
  readonly count?: (file: FixtureFile) => number;
}

/** Several claims about one case: the first that does not hold is its result. A claim that throws does not hold. */
export async function claims(
  about: { readonly format: string; readonly name: string },
  list: readonly (() => string | undefined | Promise<string | undefined>)[],
  losses: readonly Loss[] = [],
): Promise<CaseResult> {
  for (const claim of list) {
    try {
      const reason = await claim();
      if (reason !== undefined) return { ...about, outcome: { status: "failed", reason }, losses };
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return { ...about, outcome: { status: "failed", reason }, losses };
    }
  }
  return { ...about, outcome: { status: "passed" }, losses };
}
