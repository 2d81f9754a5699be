export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Bytes that are looked at: a JPEG's size stands behind its thumbnail and profiles. */
const most = 96 * 1024;

/** Size of a picture in base64, from its first bytes: PNG, GIF, WebP, JPEG. Undefined where they do not tell. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = bytesOf(base64.slice(0, (Math.min(base64.length, (most / 3) * 4) >> 2) << 2));
  if (!bytes || bytes.length < 12) return undefined;
  const view = new DataView(bytes.buffer);
  const size = isPng(view)
    ? pngSize(view)
    : isGif(view)
      ? gifSize(view)
      : isWebp(view)
        ? webpSize(view)
        : jpegSize(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const isPng = (view: DataView): boolean => view.getUint32(0) === 0x89504e47 && view.byteLength >= 24;
const isGif = (view: DataView): boolean => view.getUint32(0) === 0x47494638;
const isWebp = (view: DataView): boolean =>
  view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250 && view.byteLength >= 30;

const pngSize = (view: DataView): ImageSize => ({ width: view.getUint32(16), height: view.getUint32(20) });

const gifSize = (view: DataView): ImageSize => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) });

function webpSize(view: DataView): ImageSize | undefined {
  const chunk = view.getUint32(12);
  const read24 = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (chunk === 0x56503858) return { width: read24(24) + 1, height: read24(27) + 1 };
  if (chunk === 0x56503820) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (chunk !== 0x5650384c) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** Segments up to the frame that says the size: SOF0–SOF15 without the tables DHT, JPG and DAC. */
function jpegSize(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
