import { buildPackage } from "../build.ts";

const builds = new Map<string, Promise<string | undefined>>();

/** Builds a package once a run, for every check that looks at what it ships; what went wrong, if anything did. */
export function built(name: string): Promise<string | undefined> {
  const build = builds.get(name) ?? buildPackage(name).then(nothing, reason);
  builds.set(name, build);
  return build;
}

const nothing = () => undefined;
const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A sentence for each of the packages that does not build, for checks other than the one that tells why. */
export async function unbuilt(names: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const name of names) if (await built(name)) problems.push(`packages/${name} is not built`);
  return problems;
}
