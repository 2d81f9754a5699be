import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { wantsColor } from "../src/io.ts";
import { fileSink, isFolder } from "../src/output/file.ts";
import { Progress, progressLine, size, wantsProgress } from "../src/output/progress.ts";
import { table } from "../src/output/table.ts";
import { folder } from "./program.ts";

describe("a file", () => {
  test("is in its place only once it is whole", async () => {
    const at = await folder();
    const path = join(at, "out.json");
    const sink = await fileSink(path, { force: false });
    await sink.write("one\n");
    expect(existsSync(path)).toBe(false);
    await sink.write("two\n");
    await sink.finish();
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(at)).toEqual(["out.json"]);
  });

  test("that is given up leaves nothing behind", async () => {
    const at = await folder();
    const sink = await fileSink(join(at, "out.json"), { force: false });
    await sink.write("half");
    await sink.discard();
    expect(readdirSync(at)).toEqual([]);
  });

  test("that is there is replaced only by force", async () => {
    const at = await folder({ "out.json": "old" });
    const path = join(at, "out.json");
    await expect(fileSink(path, { force: false })).rejects.toThrow(
      `\`${path}\` is there already; \`--force\` replaces it`,
    );
    const sink = await fileSink(path, { force: true });
    await sink.write("new");
    expect(readFileSync(path, "utf8")).toBe("old");
    await sink.finish();
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("that came to be meanwhile is not replaced", async () => {
    const at = await folder();
    const path = join(at, "out.json");
    const sink = await fileSink(path, { force: false });
    await sink.write("ours");
    writeFileSync(path, "theirs");
    await expect(sink.finish()).rejects.toThrow("is there already");
    expect(readFileSync(path, "utf8")).toBe("theirs");
    expect(readdirSync(at)).toEqual(["out.json"]);
  });

  test("that is a link or a device stays one", async () => {
    const at = await folder({ "real.json": "old" });
    symlinkSync("real.json", join(at, "link.json"));
    const sink = await fileSink(join(at, "link.json"), { force: true });
    await sink.write("new");
    await sink.finish();
    expect(lstatSync(join(at, "link.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(at, "real.json"), "utf8")).toBe("new");
    const device = await fileSink("/dev/null", { force: false });
    await device.write("gone");
    await device.finish();
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  test("in a folder that is not there cannot be written", async () => {
    const path = join(await folder(), "no", "out.json");
    await expect(fileSink(path, { force: false })).rejects.toMatchObject({
      code: "output/unwritable",
      message: `\`${path}\` cannot be written: there is no folder \`${dirname(path)}\``,
    });
  });
});

test("a folder is one that is there, or a path that ends like one", async () => {
  const at = await folder({ file: "" });
  expect([
    await isFolder(at),
    await isFolder(join(at, "file")),
    await isFolder(`${at}/new/`),
    await isFolder(`${at}/new`),
  ]).toEqual([true, false, true, false]);
});

describe("progress", () => {
  const half = { bytes: 21e6, total: 50e6, messages: 1234, elapsed: 2000 };

  test.for<readonly [state: Parameters<typeof progressLine>[0], columns: number, line: string]>([
    [half, 120, ` 42% ${"████████████▌".padEnd(30)}  21.0 MB of 50.0 MB · 1,234 messages · 10.5 MB/s · 3 s left`],
    [half, 75, ` 42% ${"████▏".padEnd(10)}  21.0 MB of 50.0 MB · 1,234 messages · 10.5 MB/s · 3 s left`],
    [half, 66, " 42%  21.0 MB of 50.0 MB · 1,234 messages · 10.5 MB/s · 3 s left"],
    [half, 20, " 42%  21.0 MB of 50."],
    [{ bytes: 999, total: undefined, messages: 1, elapsed: 0 }, 80, "999 B · 1 message"],
    [{ bytes: 5e9, total: 5e9, messages: 7, elapsed: 1e6 }, 50, "100%  5.0 GB of 5.0 GB · 7 messages · 5.0 MB/s"],
    [
      { bytes: 1e6, total: 1e10, messages: 7, elapsed: 1000 },
      66,
      "  0%  1.0 MB of 10.0 GB · 7 messages · 1.0 MB/s · 2 h 46 min left",
    ],
    [
      { bytes: 1e6, total: 1e8, messages: 7, elapsed: 1000 },
      66,
      "  1%  1.0 MB of 100.0 MB · 7 messages · 1.0 MB/s · 1 min 39 s left",
    ],
  ])("%j on %i columns", ([state, columns, line]) => {
    const drawn = progressLine(state, columns);
    expect(drawn).toBe(line);
    expect(drawn.length).toBeLessThanOrEqual(columns);
  });

  test("is drawn ten times a second, and goes away for other lines", () => {
    let [now, written] = [0, ""];
    const screen = Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          written += chunk;
          done();
        },
      }),
      { columns: 80 },
    );
    const progress = new Progress(screen, 100, () => now);
    for (; now < 1000; now += 10) progress.read(1);
    expect(written.split("\r\u001b[2K").length - 1).toBe(10);
    written = "";
    progress.clear();
    progress.clear();
    expect(written).toBe("\r\u001b[2K");
  });

  test.for<readonly [quiet: boolean, stderr: boolean, output: boolean, shown: boolean]>([
    [false, true, false, true],
    [false, true, true, false],
    [false, false, false, false],
    [true, true, false, false],
  ])("quiet %s, a terminal for stderr %s and for the output %s: %s", ([quiet, stderr, output, shown]) => {
    expect(wantsProgress({ quiet, stderr: { isTTY: stderr }, output: { isTTY: output } })).toBe(shown);
  });

  test.for<readonly [bytes: number, text: string]>([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [1.5e9, "1.5 GB"],
    [1e15, "1000.0 TB"],
  ])("%d bytes are %s", ([bytes, text]) => {
    expect(size(bytes)).toBe(text);
  });
});

test.for<readonly [when: "auto" | "always" | "never", isTTY: boolean, env: Record<string, string>, color: boolean]>([
  ["auto", true, {}, true],
  ["auto", false, {}, false],
  ["auto", true, { NO_COLOR: "1" }, false],
  ["auto", true, { NO_COLOR: "" }, true],
  ["auto", true, { TERM: "dumb" }, false],
  ["always", false, { NO_COLOR: "1" }, true],
  ["never", true, {}, false],
])("colour %s, on a terminal %s, with %j: %s", ([when, isTTY, env, color]) => {
  expect(wantsColor(when, { isTTY }, env)).toBe(color);
});

test("a table is as wide as its widest cells", () => {
  expect(table(["A", "LONG"], [["wide", "x"], ["y"]], false)).toBe("A     LONG\nwide  x\ny\n");
});
