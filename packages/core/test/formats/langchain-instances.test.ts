import * as core from "@langchain/core/messages";
import { decode, isError } from "translogue";
import { fromInstances, toInstances } from "translogue/langchain";
import { describe, expect, test } from "vitest";

const call = { name: "tide", args: { harbour: "Brest" }, id: "c1", type: "tool_call" } as const;
const counted = { content: "6", usage_metadata: { input_tokens: 4, output_tokens: 2, total_tokens: 6 } };
const piece = { name: "tide", args: '{"harbour": "Bre', id: "c2", index: 0, type: "tool_call_chunk" } as const;

/** One of every class, with the members that are its own. */
const instances = [
  new core.SystemMessage("Answer briefly."),
  new core.HumanMessage({ content: [{ type: "text", text: "High tide?" }], id: "h1", name: "Ann" }),
  new core.AIMessage({
    content: "I look.",
    tool_calls: [call],

    response_metadata: { finish_reason: "tool_calls" },
  }),
  new core.ToolMessage({
    content: "6:12",
    tool_call_id: "c1",
    name: "tide",
    artifact: { metres: 7.4 },
    status: "success",
  }),
  new core.ChatMessage("Hm.", "critic"),
  new core.FunctionMessage({ name: "tide", content: "{}" }),
  new core.RemoveMessage({ id: "h1" }),
  new core.AIMessage({ content: "6:12", additional_kwargs: { custom: [1, null] } }),
  new core.AIMessage(counted as never), // its types have no usage under these settings
  new core.AIMessageChunk({ content: "At ", id: "a1", tool_call_chunks: [piece] }),
  new core.SystemMessageChunk("a"),
  new core.HumanMessageChunk({ content: "b", id: "h2" }),
  new core.ToolMessageChunk({ content: "c", tool_call_id: "c1" }),
  new core.ChatMessageChunk("d", "critic"),
  new core.FunctionMessageChunk({ content: "e", name: "tide" }),
] as const;

describe("live messages of @langchain/core", () => {
  test.each(instances.map((instance, index) => [`${index} ${instance.constructor.name}`, instance] as const))(
    "go in and come out as they were: %s",
    (_, instance) => {
      const { conversation, issues } = fromInstances([instance]);
      const { messages, losses } = toInstances(conversation, core);
      expect(messages).toHaveLength(1);
      expect(messages[0]?.constructor).toBe(instance.constructor);
      expect(JSON.stringify(messages[0])).toBe(JSON.stringify(instance));
      expect([issues, losses]).toEqual([[], []]);
    },
  );

  test("are read as their own JSON is", () => {
    const json: unknown = JSON.parse(JSON.stringify(instances));
    expect(fromInstances(instances).conversation).toEqual(decode(json, "langchain").conversation);
  });

  test("bring what was set after they were made, which their JSON has not", () => {
    const message = new core.HumanMessage("Hi");
    message.id = "late";
    expect(fromInstances([message]).conversation.messages[0]?.id).toBe("late");
  });

  test("bring blocks with bytes, which their JSON has not either", () => {
    const image = { type: "image", data: new Uint8Array([104, 105]), mimeType: "image/png" } as const;
    const { conversation } = fromInstances([new core.HumanMessage({ contentBlocks: [image] })]);
    expect(conversation.messages[0]?.parts[0]).toMatchObject({ mediaType: "image/png", source: { data: "aGk=" } });
    const [message] = toInstances(conversation, core).messages;
    expect(message?.contentBlocks).toEqual([{ type: "image", data: "aGk=", mimeType: "image/png" }]);
  });

  test("say what in them is no data", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const message = new core.HumanMessage({
      content: "x",
      additional_kwargs: { run: () => 1, big: 1n, circle, at: new Date(0) },
    });
    const { conversation, issues } = fromInstances([message]);
    expect(issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([
      ["not-json", [0, "additional_kwargs", "run"]],
      ["not-json", [0, "additional_kwargs", "big"]],
      ["not-json", [0, "additional_kwargs", "circle", "self"]],
    ]);
    const [again] = toInstances(conversation, core).messages;
    expect(again?.additional_kwargs).toEqual({ big: "1", circle: { self: null }, at: "1970-01-01T00:00:00.000Z" });
  });

  test("leave data of users that looks like a serialised object what it is", () => {
    const data = { lc: 1, type: "secret", id: ["KEY"] };
    const { conversation } = fromInstances([new core.AIMessage({ content: "x", additional_kwargs: { data } })]);
    expect(toInstances(conversation, core).messages[0]?.additional_kwargs).toEqual({ data });
  });
});

test("what is no message, and a module without the class, are refused with what to do", () => {
  const codeOf = (run: () => unknown): string | undefined => {
    try {
      run();
    } catch (error) {
      return isError(error) ? error.code : "another error";
    }
    return undefined;
  };
  expect(codeOf(() => fromInstances([{} as core.HumanMessage]))).toBe("langchain/not-a-message");
  const { AIMessage: _, ...others } = core;
  const conversation = { messages: [{ role: "assistant", parts: [] }] };
  expect(codeOf(() => toInstances(conversation, others as typeof core))).toBe("langchain/no-such-class");
});
