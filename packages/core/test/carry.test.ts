import { convert, decode, encode, type FormatRef, type Json, stringifyJson } from "translogue";
import { describe, expect, test } from "vitest";

const asText = (value: unknown): Json => JSON.parse(stringifyJson(value as Json)) as Json; // codecs write JSON

/** From one format to another with carry, as text, and back. */
function thereAndBack(value: Json, from: FormatRef, to: FormatRef): Json {
  const carried = convert(value, { from, to, recipient: "store", carry: true });
  return asText(convert(asText(carried.value), { from: to, to: from, recipient: "store", carry: false }).value);
}

describe("what is carried", () => {
  test("does not hold what stands elsewhere in the value", () => {
    const request = { model: "gpt-5", instructions: "Be brief.", input: [{ role: "user", content: "hi" }] };
    const stored = convert(request, { from: "openai-responses", to: "openai-responses", recipient: "store" });
    const { value } = convert(asText(stored.value), { from: "openai-responses", to: "openai-chat", as: "messages" });
    expect(value).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ]);
  });

  test("is not put into a message that is read as a whole", () => {
    const removed = [
      { content: "a", additional_kwargs: {}, response_metadata: {}, type: "human", id: "h" },
      { content: [], additional_kwargs: {}, response_metadata: {}, type: "remove", id: "x" },
    ];
    const [, remove] = thereAndBack(removed, "langchain:js-flat", "langchain:python") as readonly Json[];
    expect(remove).toMatchObject({ additional_kwargs: {}, type: "remove", id: "x" });
  });

  test("does not take in an item of a list that is no message", () => {
    const list = [{ role: "user", content: "a" }, null, { role: "tool", tool_call_id: "c", content: "r" }];
    expect(thereAndBack(list, "langchain:openai", "langchain:python-lc")).toEqual(list);
  });
});

test.each<readonly [name: string, edit: (message: { [member: string]: unknown }) => unknown, kept: object]>([
  ["metadata", message => Object.assign(message, { response_metadata: { foo: 1 } }), { response_metadata: { foo: 1 } }],
  [
    "arguments for the application",
    message => Object.assign(message["additional_kwargs"] as object, { mine: "x" }),
    { additional_kwargs: { mine: "x" } },
  ],
  [
    "members of a block",
    message => Object.assign(message, { content: [{ type: "text", text: "hi", zz: 1 }] }),
    { content: [{ type: "text", text: "hi", zz: 1 }] },
  ],
])("%s that the application added since stand beside what is carried", (_, edit, kept) => {
  const given = [
    {
      role: "assistant",
      contents: [{ $type: "text", text: "hi", additionalProperties: { a: 1 } }],
      additionalProperties: { b: 2 },
    },
  ];
  const { value } = convert(given, { from: "maf", to: "langchain", carry: true, recipient: "store" });
  const [message] = asText(value) as { [member: string]: unknown }[];
  if (!message) throw new Error("no message was written");
  edit(message);
  const { conversation } = decode([message], "langchain");
  expect(encode(conversation, { to: "langchain", recipient: "store", carry: false }).value).toMatchObject([kept]);
  const back = encode(conversation, { to: "maf", recipient: "store", carry: false }).value;
  expect(back).toMatchObject([{ additionalProperties: { b: 2 } }]);
});
