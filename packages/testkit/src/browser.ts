import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** As in a container without a display, a user of its own or a graphics card. Web security stays on. */
const args = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-domain-reliability",
  "--no-pings",
  "--font-render-hinting=none",
];

/** A real browser: on Linux the Chromium from npm, elsewhere the Chrome that is installed. Close it when done. */
export async function launchBrowser(): Promise<Browser> {
  if (process.platform !== "linux" || process.arch !== "x64") return chromium.launch({ channel: "chrome" });
  const folder = await unpacked();
  // Libraries that a small system lacks stand behind its own.
  const libraries = [process.env["LD_LIBRARY_PATH"], join(folder, "al2023", "lib")].filter(path => path).join(":");
  const env = { ...definedEnv(), LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, fontsFile) };
  return chromium.launch({ executablePath: join(folder, "chromium"), args, env });
}

const definedEnv = (): { [name: string]: string } =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/**
 * The folder with the browser, unpacked once a version. Several test processes may come for it at once: each unpacks into
 * a folder of its own, and one of them gives it its name.
 */
async function unpacked(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const root = dirname(dirname(entry));
  const { version } = createRequire(import.meta.url)(join(root, "package.json")) as { version: string }; // npm's manifest
  const folder = join(tmpdir(), `translogue-chromium-${version}-fonts-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return folder;
  await mkdir(tmpdir(), { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  await inflateInto(own, join(root, "bin"));
  await writeFile(join(own, fontsFile), fontsOf(folder));
  await rename(own, folder).catch(() => rm(own, { recursive: true }));
  return folder;
}

const fontsFile = "translogue-fonts.conf";

/** The package's own list names other folders, and a browser without any font dies of a text field. */
const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, "fonts")}</dir>
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;

/** The package unpacks beside its archives' names into the folder for temporary files, wherever that is. */
async function inflateInto(folder: string, archives: string): Promise<void> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const names = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
    await Promise.all(names.map(name => inflate(join(archives, name))));
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
