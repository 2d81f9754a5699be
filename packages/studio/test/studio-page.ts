import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const fonts = dirname(require.resolve("@fontsource/noto-sans-sc/400.css"));

export interface StudioPage {
  readonly page: Page;
  /** What the page complained about: errors of scripts, refused requests, warnings of the console. */
  readonly complaints: readonly string[];
  say(words: string): Promise<void>;
  /** The answer is complete. */
  settled(): Promise<void>;
  /** What axe finds, as `rule: place`. */
  findings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A page of the studio, in a browser of its own as far as storage goes. */
export async function openStudio(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<StudioPage> {
  const context = await browser.newContext({
    locale: "en-US",
    viewport: { width: 1200, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on("pageerror", error => complaints.push(error.message));
  page.on("console", message => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await addChineseFont(page);
  await page.goto(url);
  const field = page.getByRole("textbox", { name: /^(Message|消息)$/ });
  await page.getByRole("textbox").first().waitFor();
  return {
    page,
    complaints,
    say: async words => {
      await field.fill(words);
      await field.press("Enter");
    },
    settled: () => page.getByRole("button", { name: /^(Send|发送)$/ }).waitFor(),
    findings: async () => findings(page),
    close: () => context.close(),
  };
}

/** The browser of the tests has no Chinese glyphs; a person's system has. */
async function addChineseFont(page: Page): Promise<void> {
  const css = readFileSync(join(fonts, "400.css"), "utf8").replaceAll("./files/", "/test-fonts/");
  const nameOf = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "";
  await page.route("**/test-fonts/*.css", route => route.fulfill({ contentType: "text/css", body: css }));
  await page.route("**/test-fonts/*.woff*", route =>
    route.fulfill({ path: join(fonts, "files", nameOf(route.request().url())) }),
  );
  await page.route(
    url => !/\.\w+$|\/api\//.test(url.pathname),
    async route => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        "<head>",
        '<head><link rel="stylesheet" href="/test-fonts/all.css">',
      );
      await route.fulfill({ response, body });
    },
  );
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe}; 0`);
  // What axe makes of the page: its own type is not loaded here.
  const { violations } = (await page.evaluate("axe.run(document)")) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
