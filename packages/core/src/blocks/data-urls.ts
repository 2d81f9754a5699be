/** Data URLs of OpenAI's wires: a picture of which only the kind is known is told by its first bytes, for `image/*` is refused. */

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

const base64Url = /^data:([^,]+\/[^,]+);base64,/;

/** Type and base64 of a data URL that `dataUrlOf` writes back letter by letter. */
export function readDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const head = base64Url.exec(url.slice(0, 200));
  const mediaType = head?.[1];
  if (!head || mediaType === undefined) return undefined;
  const data = url.slice(head[0].length);
  return typeOfData(mediaType, data) === mediaType ? { mediaType, data } : undefined;
}
