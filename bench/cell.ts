/** One contender of one row in a process of its own: `cell.ts <row> <contender> <size…>`; prints its cells as JSON. */
import { measure } from "./measure.ts";
import { rows } from "./rows.ts";

const [id, name, ...sizes] = process.argv.slice(2);
const row = rows.find(each => each.id === id);
const contender = row?.contenders.find(each => each.name === name);
if (!row || !contender) throw new Error(`no contender \`${name}\` in row \`${id}\``);
process.stdout.write(JSON.stringify(await measure(row, contender, sizes.map(Number))));
process.exit(0); // A peer may leave timers.
