import type { FilePart } from "translogue";

/** Bytes: with base64 and the history around it, it stays below what the server takes. */
export const maxFileBytes = 7_000_000;

/** A file of the person's, as a part. */
export async function filePart(file: File): Promise<FilePart> {
  const url = await dataUrl(file);
  return {
    type: "file",
    mediaType: file.type === "" ? "application/octet-stream" : file.type,
    ...(file.name !== "" && { name: file.name }),
    source: { data: url.slice(url.indexOf(",") + 1) },
  };
}

const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
