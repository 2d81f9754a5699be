import { basename } from "node:path";
import { filesBelow, isTest } from "../sources.ts";
import { root } from "../workspace.ts";
import type { Check } from "./check.ts";

/** Drawers: they say nothing of what is in them. */
const drawers = /^(utils?|helpers?|common|managers?|misc)$/;
const drawerFiles = /^types$/;

/** Names of files and folders: kebab-case, and of what they hold. */
export const names: Check = {
  name: "names",
  async run() {
    const folders = ["packages", "scripts", "examples", "bench", "docs"];
    return { problems: folders.flatMap(folder => filesBelow(root, folder)).flatMap(brokenName) };
  },
};

/** A sentence for a path whose file or folder has a name that the house does not use. */
export function brokenName(path: string): string[] {
  const parts = path.split("/");
  const stem = basename(path).replace(/\..*$/, "");
  const words = [...parts.slice(0, -1), stem].flatMap(part => part.split("-"));
  const drawer = words.find(word => drawers.test(word)) ?? (drawerFiles.test(stem) ? stem : undefined);
  if (drawer) return [`${path}: \`${drawer}\` does not say what is in it`];
  if (!/\.(ts|tsx|css)$/.test(path) || isKebab(stem)) return [];
  return [`${path}: ${isTest(path) ? "a test" : "a file"} is named in kebab-case`];
}

const isKebab = (stem: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem);
