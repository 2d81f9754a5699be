import { streamShapes } from "./event-shapes.ts";
import type { JsonObject } from "./json.ts";
import type { Members, Shape } from "./shape.ts";
import { isVariants } from "./shape-match.ts";
import { conversationShapes, type NamedShapes, type Variants, variantName } from "./shapes.ts";

const draft = "https://json-schema.org/draft/2020-12/schema";

/** JSON Schema (2020-12) of a conversation: it refuses what `check` finds errors of shape in. Members that it does not know pass. */
export const jsonSchema = (): JsonObject => schemaOf("Conversation", conversationShapes);

/** JSON Schema (2020-12) of an event of a stream. */
export const eventJsonSchema = (): JsonObject => schemaOf("Event", streamShapes);

const schemaOf = (root: string, shapes: NamedShapes): JsonObject => ({
  $schema: draft,
  title: root,
  $ref: `#/$defs/${root}`,
  $defs: Object.fromEntries(
    Object.entries(shapes).map(([name, named]) => [
      name,
      isVariants(named) ? oneOfVariants(named, name) : objectSchema(named),
    ]),
  ),
});

const oneOfVariants = ({ variants }: Variants, name: string): JsonObject => ({
  oneOf: Object.keys(variants).map(type => ({
    $ref: `#/$defs/${variantName(type, name === "Event" ? "Event" : "Part")}`,
  })),
});

function objectSchema(members: Members): JsonObject {
  const entries = Object.entries(members);
  const required = entries.filter(([, member]) => member.required).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { shape, doc }]) => [name, { ...shapeSchema(shape), description: doc }]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function shapeSchema(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "string":
      return { type: "string", ...(shape.form === "base64" && { contentEncoding: "base64" }) };
    case "number":
    case "count":
      return { type: "number" };
    case "index":
      return { type: "integer", minimum: 0 };
    case "boolean":
    case "null":
      return { type: shape.kind };
    case "true":
      return { const: true };
    case "json":
      return {};
    case "enum":
      return enumSchema(shape.values, shape.open);
    case "list":
      return { type: "array", items: shapeSchema(shape.of) };
    case "record":
      return { type: "object", additionalProperties: shapeSchema(shape.of) };
    case "object":
      return objectSchema(shape.members);
    case "ref":
      return { $ref: `#/$defs/${shape.to}` };
    case "union":
      return { anyOf: shape.of.map(shapeSchema) };
  }
}

function enumSchema(values: readonly string[], open: true | undefined): JsonObject {
  if (open) return { type: "string", examples: values };
  const [only] = values;
  return values.length === 1 && only !== undefined ? { const: only } : { enum: values };
}
