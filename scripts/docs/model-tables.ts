import { checkCodes } from "../../packages/core/src/model/check-codes.ts";
import { eventShapes } from "../../packages/core/src/model/event-shapes.ts";
import { nodeMembers, partMembers, partShapes } from "../../packages/core/src/model/part-shapes.ts";
import type { Members, Shape } from "../../packages/core/src/model/shape.ts";
import { nodeShapes } from "../../packages/core/src/model/shapes.ts";
import { code, table } from "./markdown.ts";

/**
 * The member tables of docs/model.md: `model-node`, `model-part` (what all parts have), `model-<part type>` (the rest of each),
 * `model-conversation` and the other nodes by name, `model-events`, `model-check-codes`.
 */
export function modelTables(): Record<string, string> {
  const nodes = Object.entries(nodeShapes).map(([name, members]) => [
    `model-${name.toLowerCase()}`,
    memberTable(without(members, nodeMembers)),
  ]);
  const parts = Object.entries(partShapes).map(([type, members]) => [
    `model-${type}`,
    memberTable(without(members, { type: members.type, ...partMembers })),
  ]);
  return {
    "model-node": memberTable(nodeMembers),
    "model-part": memberTable(without(partMembers, nodeMembers)),
    ...Object.fromEntries([...nodes, ...parts]),
    "model-events": table(["event", "member", "type", "meaning"], Object.entries(eventShapes).flatMap(eventRows)),
    "model-check-codes": table(
      ["code", "severity", "meaning"],
      Object.entries(checkCodes).map(([id, [severity, sentence]]) => [code(id), severity, sentence]),
    ),
  };
}

const without = (members: Members, others: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(others, name)));

const memberTable = (members: Members): string => table(["member", "type", "meaning"], memberRows(members));

/** A row a member; those of an object that has no name of its own follow it, under a dotted name. */
function memberRows(members: Members, above = ""): string[][] {
  return Object.entries(members).flatMap(([name, { shape, required, doc }]) => {
    const below = inlineObjects(shape).flatMap(inner => memberRows(inner, `${above}${name}.`));
    return [[code(`${above}${name}${required ? "" : "?"}`), code(typeText(shape)), doc], ...below];
  });
}

function inlineObjects(shape: Shape): readonly Members[] {
  if (shape.kind === "object") return [shape.members];
  if (shape.kind === "list") return inlineObjects(shape.of);
  return shape.kind === "union" ? shape.of.flatMap(inlineObjects) : [];
}

/** Without the numbers of message and part, which nearly all have. */
function eventRows([type, members]: [string, Members]): string[][] {
  const own = Object.entries(members).filter(([name, { shape }]) => name !== "type" && shape.kind !== "index");
  const rows = memberRows(Object.fromEntries(own));
  return rows.length === 0
    ? [[code(type), "", "", ""]]
    : rows.map((row, index) => [index === 0 ? code(type) : "", ...row]);
}

/** Shapes that the types have no own name for. */
const typeNames: Readonly<Record<string, string>> = { MessageSet: "Partial<MessageHead>", PartSet: "PartMembers" };

/** A shape as TypeScript would write it. */
function typeText(shape: Shape): string {
  switch (shape.kind) {
    case "json":
      return "Json";
    case "count":
    case "index":
      return "number";
    case "enum":
      return [...shape.values.map(value => `"${value}"`), ...(shape.open ? ["string"] : [])].join(" | ");
    case "list":
      return shape.of.kind === "union" ? `(${typeText(shape.of)})[]` : `${typeText(shape.of)}[]`;
    case "record":
      return `{ [name]: ${typeText(shape.of)} }`;
    case "object":
      return `{ ${Object.entries(shape.members)
        .map(([name, { required }]) => `${name}${required ? "" : "?"}`)
        .join(", ")} }`;
    case "ref":
      return typeNames[shape.to] ?? shape.to;
    case "union":
      return shape.of.map(typeText).join(" | ");
    default:
      return shape.kind;
  }
}
