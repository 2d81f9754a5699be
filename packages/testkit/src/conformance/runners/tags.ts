import { isJsonObject, type Json } from "translogue";

/** Values that JSON cannot hold are tagged in some files: an explicit undefined, a date, a URL, bytes. As JSON would write them. */
export function untag(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => (isUndefined(item) ? null : untag(item)));
  if (!isJsonObject(value)) return value;
  for (const tag of ["$date", "$url"]) if (typeof value[tag] === "string") return value[tag];
  const bytes = value["$bytes"];
  if (typeof bytes === "string") return bytes;
  if ("$number" in value && Object.keys(value).length === 1) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isUndefined(member) ? [] : [[key, untag(member)]])),
  );
}

const isUndefined = (value: Json): boolean => isJsonObject(value) && value["$undefined"] === true;
