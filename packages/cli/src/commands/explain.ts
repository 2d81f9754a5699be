import { existsSync } from "node:fs";
import { type Conversation, findFormat } from "translogue";
import { decode } from "translogue/convert";
import { defineCommand } from "../command.ts";
import { endpointFor, endpointOption, modelOption } from "../endpoints/endpoint.ts";
import { meaningsOf } from "../explain/explained.ts";
import { meaningText } from "../explain/meaning-text.ts";
import { exitCodes, wrongUse } from "../failure.ts";
import { formatOf } from "../input/format.ts";
import { inputName, openSource } from "../input/source.ts";
import { readJson, readText } from "../input/text.ts";
import { interruptible } from "../interruption.ts";
import type { Io } from "../io.ts";
import { writeText } from "../output/sink.ts";
import { readingOptions } from "../reading/options.ts";
import { atPlace } from "../reading/remark.ts";

export const explain = defineCommand({
  name: "explain",
  summary: "Say what a provider's error about messages means",
  details: [
    "ERROR is the text of the error, or a file with it; without it, or for -, standard input is read. A body in JSON is read for its message. It says the rule that was broken, whose endpoints say it so, the repair that mends it, and where the rule was learned.",
    "With --conversation, the request or history that was refused, it says the path of what is meant, too.",
    "Exit code: 0 it is known, 1 it is not, 2 wrong use, 3 input that cannot be read.",
  ],
  operands: { value: "ERROR" },
  options: {
    target: { ...endpointOption, summary: "Whose endpoint said it (default: all who are known to)" },
    model: { ...modelOption, summary: "The model that was asked (default: the one that the conversation names)" },
    conversation: {
      type: "string",
      short: "c",
      value: "FILE",
      completes: "file",
      summary: "The request or history that was refused",
    },
    from: { ...readingOptions.from, summary: "Format of the conversation (default: found by content)" },
    json: { type: "boolean", summary: "One JSON object a meaning; errors as JSON too" },
  },
  examples: [
    {
      does: "What is wrong with my request?",
      line: `translogue explain "messages: text content blocks must be non-empty"`,
    },
    {
      does: "And where?",
      line: "translogue explain -t openai-chat --conversation request.json error.json",
    },
  ],
  async run({ values, operands: [operand = "-"], io }) {
    const text = await errorText(operand, io);
    const { target, model, json } = values;
    const read =
      values.conversation === undefined ? undefined : await conversationIn(values.conversation, values.from, io);
    const asked = { model, conversation: read?.conversation };
    const own = meaningsOf(text, { ...asked, target: target ?? read?.endpoint });
    // A proxy may have sent it to another.
    const meanings = own.length > 0 || target !== undefined ? own : meaningsOf(text, asked);
    const texts = meanings.map(each => (json ? `${JSON.stringify(each)}\n` : meaningText(each, io.colors.stdout)));
    await writeText(io.stdout, texts.join(json ? "" : "\n"));
    if (meanings.length > 0) return exitCodes.fine;
    if (!json) {
      const whose = target === undefined ? "no endpoint says it" : `\`${target}\` says nothing of it`;
      const kinds = "It may be about something else: limits, keys, models, settings";
      await writeText(io.stderr, `nothing is known of this error: ${whose} about messages. ${kinds}.\n`);
    }
    return exitCodes.lossy;
  },
});

/** A file of this name, else the words themselves. */
async function errorText(operand: string, io: Io): Promise<string> {
  const text = operand !== "-" && !existsSync(operand) ? operand : await wholeText(operand, io);
  if (text.trim() === "") throw wrongUse("there is no error text", "name it, or a file with it");
  return text;
}

async function wholeText(file: string, io: Io): Promise<string> {
  return await interruptible(async signal => {
    const source = await openSource(file, { io });
    signal.addEventListener("abort", () => source.stop());
    const chunks: Buffer[] = [];
    for await (const chunk of source.bytes) chunks.push(chunk);
    return readText(Buffer.concat(chunks), { file: inputName(file) });
  });
}

interface Conversed {
  readonly conversation: Conversation;
  readonly endpoint?: string;
}

async function conversationIn(file: string, from: string | undefined, io: Io): Promise<Conversed> {
  const place = { file: inputName(file) };
  const given = from === undefined ? undefined : findFormat(from);
  const { value, exact } = readJson(await wholeText(file, io), place, given?.codec);
  const format = formatOf(value, { given }, place);
  return atPlace(place, () => {
    const { dialect: asked } = format;
    const { conversation, dialect } = decode(format.codec, value, {
      exact,
      ...(asked !== undefined && { dialect: asked }),
    });
    const endpoint = endpointFor({ codec: format.codec, dialect }, undefined);
    return { conversation, ...(endpoint && { endpoint: endpoint.id }) };
  });
}
