/** What a client may call its request by: nothing that could break a header or a log line. */
const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;
const base36 = 36;

/** The id a request is found by in answers and logs: the client's own where it is well formed, else a new one. */
export function correlationIdOf(request: Request, made: { readonly now: number; readonly random: string }): string {
  const given = request.headers.get("x-correlation-id");
  if (given !== null && wellFormed.test(given)) return given;
  const digits = Number.parseInt(made.random.replaceAll("-", "").slice(0, 12), 16);
  return `req-${made.now}-${digits.toString(base36).padStart(7, "0").slice(-7)}`;
}
