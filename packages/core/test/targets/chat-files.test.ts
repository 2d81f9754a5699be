import type { Conversation, FilePart } from "translogue";
import { checkTarget, explain, prepare } from "translogue/targets";
import { describe, expect, it } from "vitest";
import { assistant, call, result, text } from "./samples.ts";

/** "hello" in UTF-8. */
const hello = "aGVsbG8=";
const shown = (file: Omit<FilePart, "type">): Conversation => ({
  messages: [{ role: "user", parts: [text("Look:"), { type: "file", ...file }] }],
});
const refused = (conversation: Conversation, target = "openai-chat"): readonly string[] =>
  checkTarget(conversation, target).map(({ code }) => code);

describe("OpenAI's Chat API takes PDF as its only file", () => {
  it.each<[string, Omit<FilePart, "type">, string[], string | undefined]>([
    ["a PDF", { mediaType: "application/pdf", name: "a.pdf", source: { data: "JVBE" } }, [], undefined],
    ["bytes", { mediaType: "application/octet-stream", source: { data: "AAAA" } }, ["media"], "document omitted"],
    ["bytes of no type", { source: { data: "AAAA" } }, ["media"], "document omitted"],
    ["a Word document", { name: "a.docx", source: { data: "UEsD" } }, ["media"], "document omitted"],
    ["text by its bytes", { mediaType: "text/markdown", source: { data: hello } }, ["media-source"], "hello"],
    ["JSON by its bytes", { mediaType: "application/json", source: { data: "e30=" } }, ["media"], "{}"],
    [
      "what is no text by its bytes",
      { mediaType: "text/plain", source: { data: "//79" } },
      ["media-source"],
      "omitted",
    ],
    ["text as text", { mediaType: "text/plain", source: { text: "hello" } }, [], "hello"],
    ["JSON as text", { mediaType: "application/json", source: { text: "{}" } }, [], "{}"],
    ["an uploaded PDF", { mediaType: "application/pdf", source: { id: "file-1" } }, [], undefined],
    ["an uploaded file of unknown type", { source: { id: "file-1" } }, [], undefined],
    ["an uploaded text", { name: "a.txt", source: { id: "file-1" } }, ["media-source"], "text file omitted"],
    ["a picture", { mediaType: "image/png", source: { data: "iVBORw0KGgo=" } }, [], undefined],
  ])("%s", (_, file, codes, words) => {
    for (const target of ["openai-chat", "azure-openai-chat"]) {
      const conversation = shown(file);
      expect(refused(conversation, target)).toEqual(codes);
      expect(refused({ ...conversation, model: "gpt-5.2" }, target)).toEqual(codes);
      const { value, issues, changes, losses } = prepare(conversation, target);
      expect(issues).toEqual([]);
      expect(changes.map(({ repair }) => repair)).toEqual(codes.length > 0 ? ["replace-media"] : []);
      const sent = JSON.stringify((value as { messages: unknown[] }).messages[0]); // of the Chat API
      if (words === undefined) expect(sent).toMatch(/"type":"(?:file|image_url)"/);
      else expect(JSON.parse(sent).content[1]).toMatchObject({ type: "text", text: expect.stringContaining(words) });
      expect(losses.filter(({ kind, code }) => kind === "dropped" && code !== "file-member")).toEqual([]);
    }
  });

  it("bytes that a tool gives are told in words, not sent as a file", () => {
    const bytes: FilePart = { type: "file", mediaType: "application/octet-stream", source: { data: "AAAA" } };
    const { value, issues } = prepare(
      {
        messages: [
          { role: "user", parts: [text("Go")] },
          assistant(call("c1")),
          { role: "tool", parts: [result("c1", { output: [bytes] })] },
        ],
        tools: [{ name: "weather" }],
      },
      "openai-chat",
    );
    expect(issues).toEqual([]);
    expect(JSON.stringify(value)).not.toContain("octet-stream");
    expect(JSON.stringify(value)).toContain("document omitted");
  });

  it.each([
    "Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'text/markdown'.",
    "Invalid file data: 'file_id'. Expected a file with an application/pdf MIME type, but got unsupported MIME type 'text/markdown'.",
  ])("its refusal is explained: %s", error => {
    const markdown = shown({ mediaType: "text/markdown", source: { data: hello } });
    const explained = explain(error, { target: "openai-chat", conversation: markdown });
    expect(explained).toMatchObject({ rule: "media", path: ["messages", 0, "parts", 1] });
  });
});

it("text is taken as text by whoever takes text, whatever its type is said to be", () => {
  const json = shown({ mediaType: "application/json", source: { text: "{}" } });
  for (const target of ["anthropic-messages", "openai-chat"]) {
    expect(refused(json, target)).toEqual([]);
    expect(JSON.stringify(prepare(json, target).value)).toContain("{}");
  }
});
