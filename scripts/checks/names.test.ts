import { expect, test } from "vitest";
import { brokenName } from "./names.ts";

test.each([
  ["packages/core/src/utils.ts", "`utils` does not say what is in it"],
  ["packages/core/src/helpers/text.ts", "`helpers` does not say what is in it"],
  ["packages/server/src/session-manager.ts", "`manager` does not say what is in it"],
  ["packages/core/src/model/types.ts", "`types` does not say what is in it"],
  ["packages/studio/src/PartView.tsx", "a file is named in kebab-case"],
  ["packages/core/test/part_view.test.ts", "a test is named in kebab-case"],
])("%s: %s", (path, message) => {
  expect(brokenName(path)).toEqual([`${path}: ${message}`]);
});

test.each(["packages/core/src/media-types.ts", "packages/core/test/x.test.ts", "docs/decisions/001-Format.md"])(
  "%s has a name",
  path => {
    expect(brokenName(path)).toEqual([]);
  },
);
