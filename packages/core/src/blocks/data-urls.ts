/** Data URLs of the wires: a picture of which only the kind is known is told by its first bytes, for `image/*` is refused. */

const octets = "application/octet-stream";

/** First letters of the base64 of a picture → its type. */
const pictures: readonly (readonly [start: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["Qk", "image/bmp"],
  ["SUkqAA", "image/tiff"],
  ["TU0AKg", "image/tiff"],
  ["AAAAIGZ0eXBhdmlm", "image/avif"],
  ["AAAAIGZ0eXBoZWlj", "image/heic"],
];

/** The media type that a data URL of these bytes says. */
export function typeOfData(mediaType: string | undefined, data: string): string {
  const picture = mediaType === "image/*" ? pictures.find(([start]) => data.startsWith(start)) : undefined;
  return picture?.[1] ?? mediaType ?? octets;
}

export const dataUrlOf = (mediaType: string | undefined, data: string): string =>
  `data:${typeOfData(mediaType, data)};base64,${data}`;

/** The text that base64 says in UTF-8; undefined where it says none. */
export function textOfData(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a file of this type is text, so that it can be said as one. */
export const isTextType = (mediaType: string): boolean =>
  /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|javascript|typescript|sql|x-sh)\b)/i.test(mediaType);

const base64Url = /^data:([^,]+\/[^,]+);base64,/;

/** Type and base64 of a data URL that `dataUrlOf` writes back letter by letter. */
export function readDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const head = base64Url.exec(url.slice(0, 200));
  const mediaType = head?.[1];
  if (!head || mediaType === undefined) return undefined;
  const data = url.slice(head[0].length);
  return typeOfData(mediaType, data) === mediaType ? { mediaType, data } : undefined;
}

const chunk = 0x2000;

/** Type and base64 of any data URL, also of one whose data is percent-encoded text; undefined where it is none. */
export function bytesOfDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [head, type = ""] = /^data:([^,]*),/i.exec(url.slice(0, 1000)) ?? [];
  if (head === undefined) return undefined;
  const payload = url.slice(head.length);
  const mediaType = type.replace(/;base64$/i, "") || "text/plain"; // RFC 2397
  if (/;base64$/i.test(type)) return { mediaType, data: payload };
  try {
    const bytes = new TextEncoder().encode(decodeURIComponent(payload));
    let binary = "";
    for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
    return { mediaType, data: btoa(binary) };
  } catch {
    return undefined; // bytes that are no text
  }
}
