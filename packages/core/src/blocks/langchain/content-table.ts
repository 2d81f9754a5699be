/** Who reads and writes which block. */

import { rowOf } from "../../codec/reader.ts";
import type { Part } from "../../model/parts.ts";
import { anthropicBlocks, hostedResult, isResultType } from "./content-anthropic.ts";
import { bedrockBlocks } from "./content-bedrock.ts";
import {
  type BlockFamily,
  one,
  type ReadBlock,
  single,
  type WriteBlock,
  type WriteFrom,
  type WrittenBlock,
} from "./content-block.ts";
import { readFile, writeFile } from "./content-files.ts";
import { googleBlocks } from "./content-google.ts";
import { chatBlocks, openaiBlocks } from "./content-openai.ts";
import { readReasoning, readRefusal, readText, writeReasoning, writeRefusal, writeText } from "./content-text.ts";
import { readCall, readResult, readTextCall, writeCall, writeResult } from "./content-tools.ts";

const call: ReadBlock = (reader, { made }) => one(readCall(reader, made));
const textCall: ReadBlock = (reader, { made }) => one(readTextCall(reader, made));
const result: ReadBlock = (reader, { made, readOutput }) => one(readResult(reader, made, readOutput));
const file: ReadBlock = reader => one(readFile(reader));

/** LangChain's own blocks by their type. */
export const ownReaders: { readonly [type: string]: ReadBlock } = {
  text: reader => one(readText(reader)),
  reasoning: reader => one(readReasoning(reader)),
  refusal: reader => one(readRefusal(reader)),
  image: file,
  audio: file,
  video: file,
  file,
  "text-plain": file,
  tool_call: call,
  server_tool_call: call,
  tool_call_chunk: textCall,
  server_tool_call_chunk: textCall,
  invalid_tool_call: textCall,
  server_tool_result: result,
  server_tool_call_result: result,
};

/** The block of LangChain's own that says the part. */
export function writeOwn(from: WriteFrom): WrittenBlock | undefined {
  const part = from.parts[from.index] as Part; // the writer's own
  const { about, report, writeOutput } = from;
  switch (part.type) {
    case "text":
      return single(writeText(part, about, report));
    case "reasoning":
      return single(writeReasoning(part, about, report));
    case "refusal":
      return single(writeRefusal(part, about));
    case "file":
      return single(writeFile(part, about, report));
    case "tool-call":
      return single(writeCall(part, about, report));
    case "tool-result":
      return single(writeResult(part, about, { report, writeOutput }));
    default:
      report.lose("no-block", report.path, part.type);
      return undefined;
  }
}

const families: readonly BlockFamily[] = [chatBlocks, openaiBlocks, anthropicBlocks, googleBlocks, bedrockBlocks];

/** Providers' blocks by their type, which may be that of several. */
export function providerReaders(type: string): readonly ReadBlock[] {
  const readers = families.map(({ read }) => rowOf(read, type)).filter(read => read !== undefined);
  return isResultType(type) ? [...readers, hostedResult] : readers;
}

/** Providers' blocks by `$block`, with the family of their nodes. */
export const providerWriters: { readonly [block: string]: { readonly family: string; readonly write: WriteBlock } } =
  Object.fromEntries(
    families.flatMap(({ family, write }) =>
      Object.entries(write).map(([block, each]) => [block, { family, write: each }]),
    ),
  );

export { untyped } from "./content-bedrock.ts";
