import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type OutputChunk, rolldown } from "rolldown";
import { filesBelow } from "../sources.ts";
import { buildStudio, studioDist, studioIsFresh } from "../studio.ts";
import { formatIds, root } from "../workspace.ts";
import { unbuilt } from "./built.ts";
import type { Check, Outcome } from "./check.ts";

const kB = 1000;

/** Bytes. A format that needs more than the rest gets a line of its own, with the reason. */
const budgets = {
  /** All of dist: what an installation adds to a disk. */
  installed: 2600 * kB,
  /** One format alone in a browser, minified, gzip. */
  format: 12 * kB,
  /**
   * Over the goal: these keep every host's and generation's deviations, in both directions and in streams. They may not
   * grow from here; docs/decisions/004 says what would bring them down.
   */
  formats: {
    // With the UI messages that it converts from and to.
    "ai-sdk-model": 77 * kB,
    "ai-sdk-prompt": 42 * kB,
    "ai-sdk-ui": 54 * kB,
    "anthropic-messages": 42 * kB,
    // With the reader and writer of its binary frames.
    "bedrock-converse": 44 * kB,
    cohere: 37 * kB,
    gemini: 43 * kB,
    "gemini-interactions": 42 * kB,
    huajuan: 47 * kB,
    maf: 51 * kB,
    langchain: 113 * kB,
    "langchain-events": 77 * kB,
    mistral: 43 * kB,
    ollama: 31 * kB,
    "openai-chat": 54 * kB,
    "openai-responses": 53 * kB,
  } as Readonly<Record<string, number>>,
  /** What the studio loads before anything is clicked, gzip. */
  studio: 200 * kB,
};

/** What core costs whoever installs it or ships it to a browser, and what the studio's first view loads. */
export const bundles: Check = {
  name: "bundles",
  async run() {
    const outcomes = [await coreSizes(), await studioSize()];
    return {
      problems: outcomes.flatMap(({ problems }) => problems),
      notes: outcomes.flatMap(({ notes = [] }) => notes),
    };
  },
};

interface Size {
  readonly name: string;
  readonly bytes: number;
  /** None = only reported. */
  readonly budget?: number;
}

async function coreSizes(): Promise<Outcome> {
  const unknown = await unbuilt(["core"]);
  if (unknown.length > 0) return { problems: unknown };
  const formats = formatIds();
  if (formats.length === 0) return { problems: ["core has no format"] };
  const dist = join(root, "packages/core/dist");
  const sizes: Size[] = [
    { name: "core installed", bytes: installedSize(dist), budget: budgets.installed },
    { name: "core whole", bytes: await bundledSize(join(dist, "index.js")) },
    { name: "convert", bytes: await bundledSize(join(dist, "convert.js")) },
  ];
  for (const id of formats) {
    const bytes = await bundledSize(join(dist, `formats/${id}.js`));
    sizes.push({ name: id, bytes, budget: budgets.formats[id] ?? budgets.format });
  }
  return judged(sizes);
}

/** Every size as a note, those over their budget as problems too. */
export function judged(sizes: readonly Size[]): Outcome {
  const shown = (bytes: number) => `${(bytes / kB).toFixed(1)} kB`;
  return {
    problems: sizes.flatMap(({ name, bytes, budget }) =>
      budget !== undefined && bytes > budget ? [`${name}: ${shown(bytes)}, at most ${shown(budget)}`] : [],
    ),
    notes: sizes.map(({ name, bytes }) => `${name} ${shown(bytes)}`),
  };
}

const installedSize = (folder: string) =>
  filesBelow(folder, ".").reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

/** Bytes of all that an entry exports, bundled for a browser, minified, gzip. */
async function bundledSize(entry: string): Promise<number> {
  const bundle = await rolldown({ input: entry, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  return gzipSync(chunks.map(({ code }) => code).join("\n"), { level: 9 }).length;
}

async function studioSize(): Promise<Outcome> {
  if (!existsSync(join(root, "packages/studio/index.html"))) return { problems: ["packages/studio has no index.html"] };
  try {
    if (!studioIsFresh()) await buildStudio();
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
  const first = firstLoad(readFileSync(join(studioDist, "index.html"), "utf8"));
  const bytes = first.reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(studioDist, path)), { level: 9 }).length,
    0,
  );
  return judged([{ name: "studio's first load", bytes, budget: budgets.studio }]);
}

/** The scripts, preloads and styles that a page names, as paths from its folder. */
export function firstLoad(html: string): string[] {
  const tags = html.match(/<(script|link)\b[^>]*>/g) ?? [];
  return tags.flatMap(tag => {
    const path = /\b(?:src|href)="([^":]+\.(?:js|css))"/.exec(tag)?.[1];
    return path === undefined ? [] : [path.replace(/^\.?\//, "")];
  });
}
