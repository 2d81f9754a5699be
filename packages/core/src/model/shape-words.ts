/** Shapes and values in the words of messages. */

import type { Shape } from "./shape.ts";
import { compiled } from "./shape-match.ts";

/** A shape in words. */
export function expected(shape: Shape): string {
  switch (shape.kind) {
    case "string":
      return "a string";
    case "number":
      return "a number";
    case "count":
    case "index":
      return "a whole number from 0 on";
    case "boolean":
      return "true or false";
    case "true":
      return "true";
    case "null":
      return "null";
    case "json":
      return "a JSON value";
    case "enum":
      return shape.open ? "a string" : shape.values.map(value => `"${value}"`).join(" or ");
    case "list":
      return "a list";
    case "record":
      return "an object";
    case "ref":
      return `an object (${shape.to})`;
    case "object":
      return `an object with ${
        compiled(shape.members)
          .required.map(name => `\`${name}\``)
          .join(" and ") || "members"
      }`;
    case "union":
      return shape.of.map(expected).join(", or ");
  }
}

/** A value in words; nothing of it is called. */
export function shown(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `the string ${JSON.stringify(shortened(value))}`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  try {
    if (Array.isArray(value)) return "a list";
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === "string" && name !== "Object" ? `a ${name}` : "an object";
  } catch {
    return "an object";
  }
}

export const shortened = (text: string): string =>
  text.length > 80 ? `${text.slice(0, 60)}…${text.slice(-15)}` : text;
