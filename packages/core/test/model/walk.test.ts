import { describe, expect, it } from "vitest";
import { conversation, text, toolCall, toolResult, user } from "../../src/model/build.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import { formatPath, type Path } from "../../src/model/issue.ts";
import { partShapes } from "../../src/model/part-shapes.ts";
import type { Part } from "../../src/model/parts.ts";
import type { Member, Shape } from "../../src/model/shape.ts";
import { mapNodes, mapParts, walk } from "../../src/model/walk.ts";
import { everyPart } from "./doc-examples.ts";

/** What a path leads to. */
const at = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as { [step: string | number]: unknown })[step], root);

/** The paths of all objects that stand where the table of shapes has a node, found without `walk`. */
function nodesByShape(value: unknown, shape: Shape, path: Path): string[] {
  if (value === undefined) return [];
  if (shape.kind === "list")
    return (value as unknown[]).flatMap((item, index) => nodesByShape(item, shape.of, [...path, index]));
  if (shape.kind === "union")
    return shape.of.flatMap(option => (typeof value === "object" ? nodesByShape(value, option, path) : []));
  const members: { readonly [name: string]: Member } | undefined =
    shape.kind === "object" ? shape.members : shape.kind === "ref" ? membersOf(shape.to, value) : undefined;
  if (!members) return [];
  const below = Object.entries(members).flatMap(([name, member]) =>
    nodesByShape((value as { [name: string]: unknown })[name], member.shape, [...path, name]),
  );
  return shape.kind === "ref" && shape.to !== "Seal" ? [formatPath(path), ...below] : below;
}
const membersOf = (name: string, value: unknown) =>
  name === "Part" || name === "ToolCallPart" ? partShapes[(value as Part).type] : {};

const nested = (depth: number): Part => {
  let part: Part = text("deep");
  for (let level = 0; level < depth; level++) part = { type: "source", parts: [part] };
  return part;
};

describe("walk", () => {
  it("visits every node that the table of shapes knows of, at its path, before what is inside", () => {
    const visited: string[] = [];
    const note = (node: unknown, path: Path): void => {
      expect(at(everyPart, path)).toBe(node);
      visited.push(formatPath(path));
    };
    walk(everyPart, { message: note, tool: note, part: note, citation: note });
    const known = [
      ...everyPart.messages.flatMap(({ parts }, index) => [
        `messages[${index}]`,
        ...parts.flatMap((part, place) =>
          nodesByShape(part, { kind: "ref", to: "Part" }, ["messages", index, "parts", place]),
        ),
      ]),
      "tools[0]",
    ];
    expect(visited.toSorted()).toEqual(known.toSorted());
    for (const [index, path] of visited.entries()) {
      expect(visited.findIndex(other => path.startsWith(`${other}.`))).toBeLessThan(Math.max(index, 1));
    }
  });

  it("leaves out what is inside where the visitor says so", () => {
    const found: string[] = [];
    walk(everyPart, {
      message: (_, path) => (path[1] === 0 ? undefined : "skip"),
      part: (_, path) => {
        found.push(formatPath(path));
        return "skip";
      },
    });
    expect(found).toEqual(everyPart.messages[0]?.parts.map((_, index) => `messages[0].parts[${index}]`));
  });

  it("finds the parts of a message that has a type too, as some name theirs", () => {
    const typed = { ...user("a"), type: "message" };
    let count = 0;
    walk({ messages: [typed] }, { part: () => void count++ });
    expect(count).toBe(1);
  });

  it("goes to any depth", () => {
    let count = 0;
    walk(conversation(user(nested(2000))), { part: () => void count++ });
    expect(count).toBe(2001);
  });
});

describe("mapParts", () => {
  it("gives the same conversation where nothing changes", () => {
    expect(mapParts(everyPart, part => part)).toBe(everyPart);
  });

  it("maps inner parts first, at their path, and leaves all else the same object", () => {
    const paths: string[] = [];
    const mapped = mapParts(everyPart, (part, path) => {
      paths.push(formatPath(path));
      return part.type === "refusal" && path.length > 4 ? { ...part, text: "no" } : part;
    });
    expect(paths.indexOf("messages[1].parts[3].output[0]")).toBeLessThan(paths.indexOf("messages[1].parts[3]"));
    expect(mapped.messages[0]).toBe(everyPart.messages[0]);
    expect(mapped.tools).toBe(everyPart.tools);
    expect(mapped.messages[1]?.parts.map((part, index) => part === everyPart.messages[1]?.parts[index])).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    const refusals: [string, string][] = [];
    walk(mapped, { part: (part, path) => part.type === "refusal" && refusals.push([formatPath(path), part.text]) });
    expect(refusals.slice(0, 2)).toEqual([
      ["messages[0].parts[2]", "I cannot help with that."],
      ["messages[1].parts[0].source.parts[2]", "no"],
    ]);
    expect(refusals.map(([, words]) => words)).toEqual(["I cannot help with that.", "no", "no", "no", "no", "no"]);
  });

  it("removes a part for undefined, and puts several in its place for a list", () => {
    const before = conversation(user(["a", "b", "c"]), user([toolResult("c1", ["b", "d"])]));
    const after = mapParts(before, part => {
      if (part.type !== "text") return part;
      return part.text === "b" ? undefined : [part, text(`${part.text}!`)];
    });
    expect(after).toEqual(conversation(user(["a", "a!", "c", "c!"]), user([toolResult("c1", ["d", "d!"])])));
  });

  it("maps the call inside an approval to a call or to nothing, and refuses anything else", () => {
    const held: Conversation = conversation(
      user([{ type: "approval-request", requestId: "r", callId: "c", call: toolCall({ callId: "c", name: "f" }) }]),
    );
    const mapCall = (call: Part | readonly Part[] | undefined) =>
      mapParts(held, part => (part.type === "tool-call" ? call : part));
    expect(mapCall(toolCall({ callId: "c", name: "g" })).messages[0]?.parts[0]).toMatchObject({ call: { name: "g" } });
    expect(mapCall(undefined).messages[0]?.parts).toEqual([{ type: "approval-request", requestId: "r", callId: "c" }]);
    for (const wrong of [text("x"), [], [text("x")]])
      expect(() => mapCall(wrong)).toThrow("can only become another call");
  });

  it("refuses parts nested deeper than is sane, as an error of ours", () => {
    expect(() => mapParts(conversation(user(nested(5000))), part => part)).toThrow("parts nest deeper than 1000 steps");
  });
});

describe("mapNodes", () => {
  it("maps every node that walk visits, and the conversation itself", () => {
    const marked = mapNodes(everyPart, node => ({ ...node, native: { test: {} } }));
    let count = 0;
    const isMarked = (node: { readonly native?: object }): void => {
      count++;
      expect(node.native).toEqual({ test: {} });
    };
    isMarked(marked);
    walk(marked, { message: isMarked, tool: isMarked, part: isMarked, citation: isMarked });
    expect(count).toBeGreaterThan(100);
    expect(mapNodes(everyPart, node => node)).toBe(everyPart);
  });
});
