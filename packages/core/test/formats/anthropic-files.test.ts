import { convert, decode, encode, type FormatRef } from "translogue";
import { describe, expect, test } from "vitest";

const request = {
  model: "m",
  max_tokens: 10,
  messages: [
    { role: "user", content: "Look." },
    {
      role: "assistant",
      content: [
        {
          type: "text",
          text: "Found.",
          citations: [
            {
              type: "char_location",
              cited_text: "c",
              document_index: 0,
              document_title: "t",
              start_char_index: 0,
              end_char_index: 1,
              file_id: "file_cited",
            },
          ],
        },
        { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: { command: "ls" } },
        {
          type: "bash_code_execution_tool_result",
          tool_use_id: "srvtoolu_1",
          content: {
            type: "bash_code_execution_result",
            stdout: "",
            stderr: "",
            return_code: 0,
            content: [{ type: "bash_code_execution_output", file_id: "file_made" }],
          },
        },
      ],
    },
    { role: "user", content: "And?" },
  ],
};
const citation = ["messages", 1, "parts", 0, "citations", 0, "fileId"];
const output = ["messages", 1, "parts", 2, "output", 1];

describe("ids of files in citations and in what a program left", () => {
  const written = (from: FormatRef, to: FormatRef) => {
    const { value, losses } = convert(request, { from, to });
    return { ids: JSON.stringify(value).match(/file_(cited|made)/g), losses };
  };

  test.each(["anthropic-messages:anthropic", "anthropic-messages:compatible"] as const)("go back to %s", format => {
    expect(written(format, format)).toEqual({ ids: ["file_cited", "file_made"], losses: [] });
  });

  test("stay home where the host is another's, and that is reported", () => {
    const { ids, losses } = written("anthropic-messages:anthropic", "anthropic-messages:compatible");
    expect(ids).toBeNull();
    expect(losses).toMatchObject([
      { code: "citation-member", path: citation },
      { code: "foreign-file", path: output },
    ]);
  });

  test("of a host of which nothing is known are not cited to Anthropic", () => {
    const { ids, losses } = written("anthropic-messages:compatible", "anthropic-messages:anthropic");
    expect(ids).toEqual(["file_made"]);
    expect(losses).toMatchObject([
      { code: "citation-member", path: citation },
      { code: "file-provider", path: [...output, "source", "provider"] },
    ]);
  });

  test("are all in a store's copy, whoever reads it", () => {
    const { conversation } = decode(request, { from: "anthropic-messages:anthropic" });
    const { value } = encode(conversation, { to: "anthropic-messages:compatible", recipient: "store" });
    expect(JSON.stringify(value)).toContain("file_cited");
  });
});
