/** The least that anyone could do with a file of JSON lines: read each and write it again. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const isFree = process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`);
  if (!isFree) await new Promise(resolve => process.stdout.once("drain", resolve));
}
