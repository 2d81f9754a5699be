import { present } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import { type DataUri, hasTopLevelMediaType, readDataUri } from "./text-uris.ts";
import { givenOf } from "./update-members.ts";

/** Neighbours of one text file: the same text type, spelt alike, and the same name. */
export function joinsData(item: JsonObject, next: JsonObject): boolean {
  const [first, second] = [dataOf(item), dataOf(next)];
  return (
    hasTopLevelMediaType(first?.mediaType, "text") &&
    first?.mediaType === second?.mediaType &&
    givenOf(item["name"]) === givenOf(next["name"])
  );
}

/** One file of the bytes of all; of what else the pieces have only the name stays. */
export function joinedData(pieces: readonly JsonObject[]): JsonObject {
  const files = pieces.map(dataOf);
  const bytes = files.map(file => atob(file?.base64 ?? "")).join("");
  return {
    $type: "data",
    uri: `data:${files[0]?.mediaType ?? ""};base64,${btoa(bytes)}`,
    ...present({ name: givenOf(pieces[0]?.["name"]) }),
  };
}

function dataOf({ uri }: JsonObject): DataUri | undefined {
  const data = typeof uri === "string" ? readDataUri(uri) : undefined;
  return typeof data === "object" ? data : undefined;
}
