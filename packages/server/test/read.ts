export type Reader = ReadableStreamDefaultReader<string>;

export function readerOf({ body }: Response): Reader {
  if (!body) throw new Error("the answer has no body");
  return body.pipeThrough(new TextDecoderStream()).getReader();
}

/** Reads on until there are some words. Throws where the stream ends before. */
export async function until(reader: Reader, sought: string): Promise<string> {
  let seen = "";
  while (!seen.includes(sought)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended without ${sought}: ${seen}`);
    seen += value;
  }
  return seen;
}
