/** Data URIs, URIs and media types as Microsoft.Extensions.AI takes them. */

import { mediaTypeOfExtension } from "./text-media-types.ts";

const token = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+";
const quoted = '"(?:[^"\\\\\\r\\n\\0]|\\\\[\\0-\\x7f])*"';
const space = "[ \\t]*";
const mediaTypePattern = new RegExp(
  `^${space}${token}${space}/${space}${token}${space}(?:;${space}${token}${space}(?:=${space}(?:${token}|${quoted})${space})?)*$`,
);

/** Whether .NET takes a text for a media type: parameters need no value, but a `;` needs one after it. */
export const isMediaType = (text: string): boolean => mediaTypePattern.test(text);

/** Whether a media type is of this top-level type: `image` of `Image/PNG`. */
export function hasTopLevelMediaType(mediaType: string | undefined, topLevel: string): boolean {
  const [type = ""] = mediaType?.split("/") ?? [];
  return type !== "" && type.trim().toLowerCase() === topLevel.toLowerCase();
}

export interface DataUri {
  readonly mediaType: string;
  readonly base64: string;
  /** As .NET writes it: as it was where it was base64, else written anew. */
  readonly uri: string;
}

/** Base64 as .NET takes it: padded, nothing between, no bits left over. */
export function isStrictBase64(text: string): boolean {
  if (text.length % 4 !== 0 || /(?:[^AQgw]==|[^AEIMQUYcgkosw048=]=)$/.test(text.slice(-4))) return false;
  const end = text.endsWith("==") ? -2 : text.endsWith("=") ? -1 : text.length;
  return !/[^A-Za-z\d+/]/.test(text.slice(0, end));
}

const noType = "text/plain;charset=US-ASCII"; // RFC 2397

/** A data URI as `new DataContent(uri, mediaType)` reads it, or in words why it refuses to. */
export function readDataUri(uri: string, given?: string): DataUri | string {
  if (!/^data:/i.test(uri)) return "it is no data URI";
  const comma = uri.indexOf(",");
  if (comma < 0) return "it has no comma between type and data";
  const head = uri.slice(5, comma);
  const isBase64 = /;base64$/i.test(head);
  const type = (isBase64 ? head.slice(0, -7) : head).trim();
  if (type !== "" && !isMediaType(type)) return "its media type is none";
  if (given !== undefined && !isMediaType(given)) return "the media type given is none";
  const payload = uri.slice(comma + 1);
  if (isBase64 && !isStrictBase64(payload)) return "its data is no base64";
  const base64 = isBase64 ? payload : toBase64(percentDecoded(payload));
  const own = type === "" ? noType : type;
  const mediaType = given ?? own;
  const isKept = isBase64 && mediaType === own;
  return { mediaType, base64, uri: isKept ? uri : `data:${mediaType};base64,${base64}` };
}

const encoder = new TextEncoder();

/** `%XX` is a byte, anything else its UTF-8; a `+` stays one. */
function percentDecoded(text: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  const pattern = /((?:%[\da-fA-F]{2})+)|[^%]+|%/g;
  for (const [found, bytes] of text.matchAll(pattern)) {
    chunks.push(
      bytes === undefined
        ? encoder.encode(found)
        : Uint8Array.from(found.slice(1).split("%"), byte => Number.parseInt(byte, 16)),
    );
  }
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let place = 0;
  for (const chunk of chunks) {
    all.set(chunk, place);
    place += chunk.length;
  }
  return all;
}

/** Base64 of bytes, or of the UTF-8 of a text. */
export function toBase64(data: Uint8Array | string): string {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  let text = "";
  const step = 0x8000; // more arguments overflow an engine's stack
  for (let start = 0; start < bytes.length; start += step) {
    text += String.fromCharCode(...bytes.subarray(start, start + step));
  }
  return btoa(text);
}

/** Schemes whose authority .NET reads as a host and its port. */
const hosted = /^\s*(?:https?|wss?|ftp|gopher|telnet|nntp):\/\/([^/\\?#]*)/i;

/** Whether `new Uri(text, UriKind.RelativeOrAbsolute)` takes a text: only a host or a port can be wrong. */
export function isUri(text: string): boolean {
  const [, authority] = hosted.exec(text) ?? [];
  if (authority === undefined) return true;
  const [, host = "", port] = /^(?:.*@)?(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/.exec(authority.trim()) ?? [];
  if (host === "" || /[\s<>"^`{}|%]/.test(host)) return false;
  return port === undefined || (/^\d*$/.test(port) && Number(port) <= 65_535);
}

/** The media type that `UriContent` infers from a URI. */
export function mediaTypeOfUri(uri: string): string {
  const none = "application/octet-stream";
  const [, scheme, rest = uri] = /^\s*([a-z][a-z\d+.-]+:)(.*?)\s*$/is.exec(uri) ?? [];
  if (scheme?.toLowerCase() === "mailto:") return none;
  const [whole = ""] = rest.split(/[?#]/);
  const path = scheme === undefined ? whole : unescaped(whole.replace(/^\/\/[^/\\]*/, ""));
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  // Without an extension the whole path is looked up as if it were one.
  const extension = dot < 0 ? path : name.slice(dot + 1);
  return mediaTypeOfExtension(extension) ?? none;
}

/** Letters, digits and marks that need no escape are decoded before anyone looks. */
const unescaped = (path: string): string =>
  path.replace(/%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
