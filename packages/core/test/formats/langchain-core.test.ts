import { difference } from "@translogue/testkit";
import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import { arbitraryConstruction, realForms, reloaded } from "@translogue/testkit/langchain-messages";
import fc from "fast-check";
import { decode, encode, isJsonObject, type Json, readText, writeText } from "translogue";
import { describe, expect, test } from "vitest";

const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 200) };

type Dialect = "js-lc" | "js-stored" | "js-flat";

/** The value through our model and back, in the same dialect. */
function again(value: Json, dialect: Dialect): Json {
  const from = `langchain:${dialect}` as const;
  const { conversation } = decode(value, { from, shape: "message" });
  const written = encode(conversation, { to: from, shape: "message", recipient: "store", carry: false });
  return written.value as Json; // the codec writes JSON
}

describe("what @langchain/core writes of a message", () => {
  test.each<[form: "serialised" | "stored" | "flat", dialect: Dialect]>([
    ["serialised", "js-lc"],
    ["stored", "js-stored"],
    ["flat", "js-flat"],
  ])("comes back equal and in its order, %s", (form, dialect) => {
    fc.assert(
      fc.property(arbitraryConstruction, ({ name, fields }) => {
        const value = realForms(name, fields)?.[form];
        if (value === undefined) return;
        expect(JSON.stringify(again(value, dialect))).toBe(JSON.stringify(value));
      }),
      share,
    );
  });

  test("comes back byte for byte as its text", () => {
    fc.assert(
      fc.property(arbitraryConstruction, ({ name, fields }) => {
        const text = realForms(name, fields)?.text;
        if (text === undefined) return;
        const { value, exact } = readText(text, "langchain");
        const { conversation } = decode(value, { from: "langchain:js-lc", shape: "message", exact });
        const written = encode(conversation, {
          to: "langchain:js-lc",
          shape: "message",
          recipient: "store",
          carry: false,
        });
        const spelled = written.exact ? { exact: written.exact } : {};
        expect(writeText(written.value, "langchain", { dialect: "js-lc", ...spelled })).toBe(text);
      }),
      share,
    );
  });
});

test("what we write of a conversation is loaded by @langchain/core, and written by it as we wrote it", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryConversation, async ({ messages }) => {
      const { value } = encode(
        { messages },
        { to: "langchain:js-lc", shape: "messages", recipient: "store", carry: false },
      );
      for (const message of value as readonly Json[]) {
        if (!isSerialised(message)) continue; // a piece that was no message is written as it was read
        const text = JSON.stringify(message);
        if (/__proto__|Infinity/.test(text)) continue; // its loader drops such members
        expect(difference(withoutView(JSON.parse(await reloaded(text)) as Json), message)).toBeUndefined(); // JSON is Json
      }
    }),
    { ...share, numRuns: Math.ceil(share.numRuns / 2) },
  );
});

/** LangChain writes the blocks of an answer of version v1 twice. */
function withoutView(message: Json): Json {
  if (!isJsonObject(message) || !isJsonObject(message["kwargs"])) return message;
  const { content_blocks: view, ...kwargs } = message["kwargs"];
  return view !== undefined && difference(view, kwargs["content"] ?? null) === undefined
    ? { ...message, kwargs }
    : message;
}

const isSerialised = (message: Json): boolean => typeof message === "object" && message !== null && "lc" in message;
