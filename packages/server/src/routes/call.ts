import type { Services } from "../services.ts";

/** A request on its way through a route. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  /** The `{id}` of the path, decoded. */
  readonly id: string;
  readonly correlationId: string;
  /** Whose sessions it may see. */
  readonly owner: string;
  readonly services: Services;
}

/** The answer of the API that is no error. */
export function success(data: unknown, headers: { readonly [name: string]: string } = {}): Response {
  return new Response(JSON.stringify({ success: true, data }), {
    headers: { "content-type": "application/json", ...headers },
  });
}
