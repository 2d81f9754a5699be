import { convert, type FormatId } from "translogue";
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

  test("and one in Amazon's not to Google", () => {
    const content = [{ document: { name: "a", format: "pdf", source: { s3Location: { uri: "s3://bucket/a.pdf" } } } }];
    const body = { messages: [{ role: "user", content: [{ text: "read it" }, ...content] }] };
    for (const to of ["gemini", "openai-responses", "bedrock-converse"] as const) {
      const { value } = convert(body, { from: "bedrock-converse", to, shape: "request" });
      expect(JSON.stringify(value).includes("s3://")).toBe(to === "bedrock-converse");
    }
  });
});
