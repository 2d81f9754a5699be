import fc from "fast-check";
import { encodeSse, type FormatId, formats, type Json } from "translogue";
import { mutated, survivesBytes, survivesEvents, survivesValue } from "./hostile.ts";
import { wireStreams, wireValues } from "./wire-samples.ts";

/** Throws damaged values, events and bytes at every format until the time is over: `npm run fuzz -- [seconds] [seed]`. */
const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
const end = Date.now() + seconds * 1000;
console.log(`fuzzing for ${seconds} s; seed ${seed}`);

const bytesOf = (stream: readonly Json[]): Uint8Array =>
  new TextEncoder().encode(stream.map(event => encodeSse({ data: JSON.stringify(event) })).join(""));

const checks = formats.flatMap(({ id }) => {
  const format = id as FormatId; // formats are the registered ones
  const streams = wireStreams(format);
  const value = {
    name: `${id} values`,
    property: fc.property(mutated(wireValues(format)), each => hold(survivesValue(format, each))),
  };
  if (streams.length === 0) return [value];
  const events = fc.property(mutated(streams), each =>
    hold(survivesEvents(format, Array.isArray(each) ? each : [each])),
  );
  const damage = fc.tuple(
    fc.constantFrom(...streams.map(bytesOf)),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
    fc.nat(),
  );
  const bytes = fc.property(damage, ([given, changes, cut]) => {
    const damaged = Uint8Array.from(given);
    for (const [place, byte] of changes) if (damaged.length > 0) damaged[place % damaged.length] = byte;
    hold(
      survivesBytes(format, [
        damaged.subarray(0, cut % (damaged.length + 1)),
        damaged.subarray(cut % (damaged.length + 1)),
      ]),
    );
  });
  return [value, { name: `${id} events`, property: events }, { name: `${id} bytes`, property: bytes }];
});

function hold(reason: string | undefined): void {
  if (reason !== undefined) throw new Error(reason);
}

let runs = 0;
let failed = false;
for (let round = 0; Date.now() < end && !failed; round++) {
  for (const { name, property } of checks) {
    const result = fc.check(property as fc.IProperty<unknown>, { seed: seed + round, numRuns: 200 }); // of one tuple each
    runs += result.numRuns;
    if (!result.failed) continue;
    failed = true;
    console.error(
      `${name} (seed ${seed + round}): ${JSON.stringify(result.counterexample)?.slice(0, 2000)}\n${String(result.errorInstance)}`,
    );
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${runs} inputs`);
}
console.log(`${runs} inputs, ${failed ? "and a fault" : "no fault"}`);
process.exitCode = failed ? 1 : 0;
