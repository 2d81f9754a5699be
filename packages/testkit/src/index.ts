export { deepFreeze, difference } from "./difference.ts";
export { oracles } from "./oracles.ts";
