/** Headers that help to find a request again or to keep to a limit. */
const worthKeeping =
  /^(?:x-request-id|request-id|openai-processing-ms|openai-version|(?:x|anthropic)-ratelimit-.*|retry-after|cf-ray)$/;

/** Those of an answer that are kept, in lower case. */
export function keptHeaders(headers: Iterable<readonly [name: string, value: string | undefined]>) {
  const kept: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (value !== undefined && worthKeeping.test(name)) kept[name] = value;
  }
  return kept;
}
