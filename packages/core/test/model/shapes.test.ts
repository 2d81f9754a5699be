import { describe, expect, it } from "vitest";
import { streamShapes } from "../../src/model/event-shapes.ts";
import type { Seal } from "../../src/model/parts.ts";
import { type Members, type MembersOf, may, must, number, record, type Shape, string } from "../../src/model/shape.ts";
import { isVariants } from "../../src/model/shape-match.ts";

const table = (members: MembersOf<Seal>): MembersOf<Seal> => members;
const seal = {
  maker: may(string, ""),
  model: may(string, ""),
  route: may(string, ""),
  values: must(record(string), ""),
} satisfies MembersOf<Seal>;
const { route: _, ...tooFew } = seal;

// Seen by the type check: each line must be an error, or the comment above it is one.
export const refused = [
  // @ts-expect-error a member of another type
  table({ ...seal, maker: may(number, "") }),
  // @ts-expect-error a member that is required here, optional in the interface
  table({ ...seal, maker: must(string, "") }),
  // @ts-expect-error a member that is optional here, required in the interface
  table({ ...seal, values: may(record(string), "") }),
  // @ts-expect-error a member too few
  table(tooFew),
  // @ts-expect-error a member too many
  table({ ...seal, extra: may(string, "") }),
];

/** All shapes in a shape. */
function within(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case "list":
    case "record":
      return [shape, ...within(shape.of)];
    case "union":
      return [shape, ...shape.of.flatMap(within)];
    case "object":
      return [shape, ...Object.values(shape.members).flatMap(member => within(member.shape))];
    default:
      return [shape];
  }
}

describe("The table of shapes", () => {
  const tables = Object.entries(streamShapes).flatMap(([name, named]): [string, Members][] =>
    isVariants(named)
      ? Object.entries(named.variants).map(([type, members]) => [`${name} ${type}`, members])
      : [[name, named]],
  );

  it.each(tables)("says of every member of %s what it is, and refers only to shapes that there are", (_, members) => {
    for (const [name, member] of Object.entries(members)) {
      expect(name).toMatch(/^[a-z][A-Za-z]*$/);
      expect(member.doc).toMatch(/^.{3,160}[.…`]$/);
      for (const shape of within(member.shape)) if (shape.kind === "ref") expect(streamShapes).toHaveProperty(shape.to);
    }
  });
});
