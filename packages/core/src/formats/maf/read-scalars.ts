/** Single values as System.Text.Json reads them, in the spelling in which .NET writes them again. */

import type { Json } from "../../model/json.ts";
import { isBlank } from "./text-blank.ts";
import { dotnetDate } from "./text-dates.ts";
import { hasLoneSurrogate } from "./text-escape.ts";
import { isMediaType, isStrictBase64, isUri, readDataUri } from "./text-uris.ts";
import type { Scalar } from "./type-rows.ts";
import { enums } from "./type-table.ts";

/** A value in .NET's own spelling, with the exact text of a number; or why .NET refuses it. */
export type ScalarReading = { readonly value: Json; readonly text?: string } | { readonly refused: string };

const refused = (why: string): ScalarReading => ({ refused: why });

/** Reads one value that is not null. `text` is how a number was spelled. */
export function readScalar(value: Json, scalar: Scalar, text: string | undefined): ScalarReading {
  switch (scalar) {
    case "json":
      return text === undefined ? { value } : { value, text };
    case "bool":
      return typeof value === "boolean" ? { value } : refused("true or false is expected");
    case "long":
    case "int":
      return readInteger(value, text, scalar);
    case "float":
      return readFloat(value);
    case "ReasoningEffort":
    case "ReasoningOutput":
      return readEnum(value, enums[scalar], text);
    default:
      if (typeof value !== "string") return refused("a text is expected");
      if (hasLoneSurrogate(value)) return refused("half a surrogate pair is no text");
      return readText(value, scalar);
  }
}

function readText(value: string, scalar: Scalar): ScalarReading {
  switch (scalar) {
    case "author":
      return { value: isBlank(value) ? null : value };
    case "word":
      return isBlank(value) ? refused("it is blank") : { value };
    case "mediaType":
      return isMediaType(value) ? { value } : refused("it is no media type");
    case "uri":
      return isUri(value) ? { value } : refused("it is no URI");
    case "date": {
      const date = dotnetDate(value);
      return date === undefined ? refused("it is no date that .NET reads") : { value: date };
    }
    case "dataUri": {
      const read = readDataUri(value);
      return typeof read === "string" ? refused(read) : { value: read.uri };
    }
    case "token": {
      const base64 = value.replace(/[ \t\r\n]/g, "");
      return isStrictBase64(base64) ? { value: base64 } : refused("it is no base64");
    }
    default:
      return { value };
  }
}

const ranges = {
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
} as const;

/** Whole numbers, as such or as text; `1.0` and `1e2` are none. */
function readInteger(value: Json, text: string | undefined, type: keyof typeof ranges): ScalarReading {
  const digits = typeof value === "number" ? (text ?? String(value)) : value;
  if (typeof digits !== "string" || !/^[+-]?\d+$/.test(digits)) return refused("a whole number is expected");
  const number = BigInt(digits.replace("+", ""));
  const [least, most] = ranges[type];
  if (number < least || number > most) return refused("the number is too large for .NET's type");
  const exact = String(number);
  const near = Number(number);
  return String(near) === exact ? { value: near } : { value: near, text: exact };
}

function readFloat(value: Json): ScalarReading {
  if (typeof value === "number") return { value };
  if (typeof value !== "string") return refused("a number is expected");
  if (["NaN", "Infinity", "-Infinity"].includes(value)) return { value: Number(value) };
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  if (!isNumber || !Number.isFinite(Math.fround(Number(value)))) return refused("a number is expected");
  return { value: Number(value) };
}

/** Names in any case, numbers, and lists with commas, whose numbers are put together. */
function readEnum(value: Json, names: readonly string[], text: string | undefined): ScalarReading {
  if (typeof value === "number") {
    const read = readInteger(value, text, "int");
    return "refused" in read ? read : named(value, names);
  }
  if (typeof value !== "string" || isBlank(value)) return refused("a name is expected");
  let bits = 0;
  for (const word of value.split(",").map(each => each.trim())) {
    const place = names.findIndex(name => name.toLowerCase() === word.toLowerCase());
    const number = /^[+-]?\d+$/.test(word) ? Number(word) : place;
    if (place < 0 && number === place) return refused("it is no name of the enum");
    bits |= number;
  }
  return named(bits, names);
}

const named = (number: number, names: readonly string[]): ScalarReading => ({ value: names[number] ?? number });
