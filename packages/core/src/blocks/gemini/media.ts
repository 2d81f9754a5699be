/** Media types that Google takes: of a file whose kind alone is known the nearest that there is. */

import { typeOfData } from "../data-urls.ts";

const byExtension: { readonly [extension: string]: string } = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  heic: "image/heic",
  gif: "image/gif",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};
/** What a file of a kind is where nothing tells more. */
const usual: { readonly [kind: string]: string } = {
  "image/*": "image/jpeg",
  "audio/*": "audio/wav",
  "video/*": "video/mp4",
};

/** Whether only the kind is said: `image/*`. */
export const isKind = (mediaType: string | undefined): mediaType is string => mediaType?.endsWith("/*") === true;

/** The type of bytes of which the kind is known. */
export function typeOfBytes(mediaType: string, data: string): string {
  const told = typeOfData(mediaType, data);
  return told === mediaType ? (usual[mediaType] ?? mediaType) : told;
}

/** The type of what an address leads to, of which the kind is known. */
export function typeOfAddress(mediaType: string, url: string): string {
  const [, extension = ""] = /\.(\w+)(?:[?#]|$)/.exec(url.slice(-200)) ?? [];
  const named = Object.hasOwn(byExtension, extension.toLowerCase()) ? byExtension[extension.toLowerCase()] : undefined;
  const isOfKind = named?.startsWith(mediaType.slice(0, -1)) === true;
  return (isOfKind ? named : undefined) ?? usual[mediaType] ?? mediaType;
}
