import { createHash, timingSafeEqual } from "node:crypto";
import { HttpError } from "./http-error.ts";

/** Who a request is from. A session belongs to key and subject. */
export interface Identity {
  /** Name of the key, never the key. */
  readonly key: string;
  /** Whom the key's holder speaks for. */
  readonly subject?: string;
}

/** Says who a request is from, or that it is nobody's (undefined: 401). It may throw an `HttpError` of its own. */
export type Authenticate = (request: Request) => Identity | undefined | Promise<Identity | undefined>;

/** A bearer key by its SHA-256, in hexadecimal: what is stored cannot be used. */
export interface BearerKey {
  readonly name: string;
  readonly sha256: string;
}

export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Bearer keys, compared in constant time. Every key is looked at, so that time does not tell which one is near. */
export function bearerKeys(keys: readonly BearerKey[]): Authenticate {
  const hashes = keys.map(({ name, sha256 }) => ({ name, hash: Buffer.from(sha256, "hex") }));
  return request => {
    const token = bearerToken(request);
    const hash = createHash("sha256").update(token).digest();
    let found: Identity | undefined;
    for (const key of hashes) {
      if (key.hash.length === hash.length && timingSafeEqual(key.hash, hash)) found = { key: key.name };
    }
    return found;
  };
}

function bearerToken(request: Request): string {
  const header = request.headers.get("authorization");
  if (header === null) throw unauthorized("Missing authorization header");
  const [, token] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  if (token === undefined) throw unauthorized("Invalid authorization format. Use: Bearer <token>");
  return token;
}

export const unauthorized = (message: string): HttpError =>
  new HttpError(401, message, { headers: { "www-authenticate": "Bearer" } });

/** One string for key and subject: what a session's owner is in the store. No identity is the owner "". */
export const ownerOf = (identity: Identity | undefined): string =>
  identity ? JSON.stringify([identity.key, identity.subject ?? null]) : "";
