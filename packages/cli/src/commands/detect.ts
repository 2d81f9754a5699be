import { type Detected, detect as detectValue } from "translogue";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { type Container, ContainerScout, containers } from "../input/container.ts";
import { FormatScout } from "../input/format.ts";
import { Lookahead } from "../input/lookahead.ts";
import { inputName, openSource } from "../input/source.ts";
import { readJson, readText } from "../input/text.ts";
import { interruptible } from "../interruption.ts";
import type { Io } from "../io.ts";
import { writeText } from "../output/sink.ts";
import { table } from "../output/table.ts";

interface Found {
  readonly file: string;
  readonly input: Container;
  readonly detected: readonly Detected[];
}

export const detect = defineCommand({
  name: "detect",
  summary: "Say which format a file is in",
  details: [
    "Without FILE, or for -, standard input is read. Of JSON Lines and server-sent events only the first values are looked at. Several formats may fit: the surest stands first.",
    "Exit code: 0 a format fits every file, 1 none fits one of them, 3 input that cannot be read.",
  ],
  operands: { value: "FILE", many: true },
  options: {
    input: {
      type: "string",
      value: "KIND",
      choices: containers,
      summary: "json, jsonl, sse or coded (default: told by content)",
    },
    json: { type: "boolean", summary: "One JSON object a file" },
  },
  examples: [
    { does: "What is this?", line: "translogue detect request.json" },
    { does: "The surest format alone", line: "translogue detect --json request.json | head -n 1" },
  ],
  async run({ values, operands, io }) {
    const files = operands.length > 0 ? operands : ["-"];
    let fits = true;
    for (const file of files) {
      const found = await interruptible(signal => lookAt(file, { io, signal, container: values.input }));
      fits &&= found.detected.length > 0;
      await writeText(io.stdout, values.json ? `${JSON.stringify(found)}\n` : asTable(found, files.length > 1, io));
    }
    return fits ? exitCodes.fine : exitCodes.lossy;
  },
});

interface Look {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly container: Container | undefined;
}

async function lookAt(file: string, { io, signal, container }: Look): Promise<Found> {
  const source = await openSource(file, { io });
  const lookahead = new Lookahead(source.bytes);
  signal.addEventListener("abort", () => source.stop());
  try {
    const input = container ?? (await lookahead.scan(new ContainerScout()));
    return { file, input, detected: await readings(input, lookahead, inputName(file)) };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await lookahead.close();
  }
}

async function readings(input: Container, lookahead: Lookahead, file: string): Promise<readonly Detected[]> {
  if (input !== "json") return (await lookahead.scan(new FormatScout(input, undefined, file))).detected;
  const chunks: Buffer[] = [];
  for await (const chunk of lookahead.bytes()) chunks.push(chunk);
  return detectValue(readJson(readText(Buffer.concat(chunks), { file }), { file }).value);
}

function asTable({ file, input, detected }: Found, isOneOfMany: boolean, io: Io): string {
  const title = isOneOfMany ? `${inputName(file)} (${input})\n` : "";
  if (detected.length === 0) return `${title}no format fits\n`;
  const rows = detected.map(({ format, dialect, shape, confidence, keys }) => [
    format,
    dialect ?? "-",
    shape,
    `${Math.round(confidence * 100)}%`,
    keys.join(","),
  ]);
  return title + table(["FORMAT", "DIALECT", "SHAPE", "CONFIDENCE", "KEYS"], rows, io.colors.stdout);
}
