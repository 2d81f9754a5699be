/** Members of what a hosted tool gave that only Anthropic reads: a seal of the data that they stand in. */

import { isJsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Part, PartOf, Seal } from "../../model/parts.ts";

const maker = "anthropic";
const sealedNames: readonly string[] = ["encrypted_stdout", "encrypted_content"];

/** The output, whose data have their sealed members in a seal. */
export const sealedOutput = (output: readonly Part[] | undefined): readonly Part[] | undefined => output?.map(sealed);

function sealed(part: Part): Part {
  if (part.type !== "data" || !isJsonObject(part.data) || part.seal) return part;
  const data: MutableJsonObject = {};
  const values: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(part.data)) {
    if (sealedNames.includes(name) && typeof value === "string" && value !== "") values[name] = value;
    else setMember(data, name, value);
  }
  return Object.keys(values).length === 0 ? part : { ...part, data, seal: { maker, values } };
}

/** The result with such members back in their data. */
export function unsealedResult(result: PartOf<"tool-result">): PartOf<"tool-result"> {
  const { output } = result;
  if (!output?.some(part => isOwn(part))) return result;
  return { ...result, output: output.map(unsealed) };
}

const isOwn = (part: Part): boolean =>
  part.type === "data" && part.seal !== undefined && isJsonObject(part.data) && isMemberSeal(part.seal);

const isMemberSeal = ({ maker: of, values, ...more }: Seal): boolean =>
  of === maker && Object.keys(more).length === 0 && Object.keys(values).every(name => sealedNames.includes(name));

function unsealed(part: Part): Part {
  if (part.type !== "data" || !isOwn(part) || !isJsonObject(part.data)) return part;
  const { seal, data, ...others } = part;
  return { ...others, data: { ...data, ...seal?.values } };
}
