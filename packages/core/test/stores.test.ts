import { convert, encode, type FormatId, type FormatRef, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";

const asked = (fileUri: string) => ({
  contents: [{ role: "user", parts: [{ text: "read it" }, { fileData: { mimeType: "application/pdf", fileUri } }] }],
});
const targets: readonly FormatId[] = [
  "anthropic-messages",
  "bedrock-converse",
  "cohere",
  "gemini",
  "gemini-interactions",
  "mistral",
  "openai-chat",
  "openai-responses",
];

describe("a file that is cited goes to who keeps it", () => {
  test.each<[to: FormatId, own: string, other: string]>([
    ["anthropic-messages", "file_1", "file-1"],
    ["openai-responses", "file-1", "file_1"],
  ])("to %s by the form of its id, where it was not read there", (to, own, other) => {
    const at = { unit: "char", start: 0, end: 1, document: 0 } as const;
    const citations = [own, other].map(fileId => ({ fileId, at }));
    const parts: Part[] = [{ type: "text", text: "a", citations }];
    const messages: Message[] = [{ role: "assistant", parts }];
    const { value, losses } = encode({ model: "m", messages }, { to, shape: "request" });
    expect([own, other].map(id => JSON.stringify(value).includes(`"${id}"`))).toEqual([true, false]);
    expect(losses.some(({ path }) => path.join(".").startsWith("messages.0.parts.0.citations.1"))).toBe(true);
  });
});

describe("an address in a maker's own store goes to that maker alone", () => {
  test.each(
    ["gs://bucket/a.pdf", "https://generativelanguage.googleapis.com/v1beta/files/abc"].flatMap(address =>
      targets.map(target => [address, target] as const),
    ),
  )("%s to %s", (address, to) => {
    const { value, losses } = convert(asked(address), { from: "gemini", to, shape: "request" });
    const isHome = to.startsWith("gemini");
    expect(JSON.stringify(value).includes(address)).toBe(isHome);
    expect(losses.some(({ code }) => code === "foreign-state")).toBe(!isHome);
  });

  test("Vertex has no files of the Gemini API, and no other host of Chat than Google's opens its stores", () => {
    const file = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    const sent = (to: FormatRef) =>
      JSON.stringify(convert(asked(file), { from: "gemini", to, shape: "request" }).value);
    const homes = (["gemini", "gemini-interactions"] as const).map(to => sent(to).includes(file));
    const others = (
      ["gemini:vertex", "gemini-interactions:vertex", "openai-chat:groq", "openai-chat:openrouter"] as const
    ).map(to => sent(to).includes(file));
    expect([homes, others]).toEqual([
      [true, true],
      [false, false, false, false],
    ]);
  });

  test("and one in Amazon's not to Google", () => {
    const content = [{ document: { name: "a", format: "pdf", source: { s3Location: { uri: "s3://bucket/a.pdf" } } } }];
    const body = { messages: [{ role: "user", content: [{ text: "read it" }, ...content] }] };
    for (const to of ["gemini", "openai-responses", "bedrock-converse"] as const) {
      const { value } = convert(body, { from: "bedrock-converse", to, shape: "request" });
      expect(JSON.stringify(value).includes("s3://")).toBe(to === "bedrock-converse");
    }
  });
});
