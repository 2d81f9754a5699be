import { type FormatRef, transcode } from "translogue";
import { expect, test } from "vitest";

const input = '{"n":9007199254740993,"f":1.0}';
const chunks = [
  { type: "start" },
  `{"type":"tool-input-available","toolCallId":"c","toolName":"w","input":${input}}`,
  '{"type":"tool-output-available","toolCallId":"c","output":{"x":2.50}}',
  { type: "finish" },
].map(chunk => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`);

const asText = JSON.stringify(input).slice(1, -1);

test.each<readonly [to: FormatRef, found: readonly string[]]>([
  ["ai-sdk-ui:v6", [input, '{"x":2.50}']],
  ["maf", [input, '{"x":2.50}']],
  ["openai-chat", [asText]],
  ["ai-sdk-prompt", [asText]],
])("numbers of a stream keep their spelling on the way to %s", (to, found) => {
  const machine = transcode("ai-sdk-ui:v7", to);
  const bytes = [...machine.push(new TextEncoder().encode(chunks.join(""))), ...machine.end()];
  const text = bytes.map(each => new TextDecoder().decode(each)).join("");
  for (const each of found) expect(text).toContain(each);
});
