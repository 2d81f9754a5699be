import { passage } from "@translogue/testkit/matrix";
import { corpus } from "@translogue/testkit/wire-samples";
import { type FormatId, formats } from "translogue";
import { expect, test } from "vitest";

const ids = formats.map(({ id }) => id as FormatId); // formats are the registered ones
const pairs = ids.flatMap(from => ids.filter(to => to !== from).map(to => [from, to] as const));

test.each(pairs)("from %s to %s the report names every difference, and with carry all comes back", (from, to) => {
  const faults = corpus.flatMap(([name, conversation]) => {
    const { fault } = passage(from, to, conversation);
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
  expect(faults).toEqual([]);
});
