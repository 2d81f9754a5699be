import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** Files of a folder, read once: what is not in the table is not served, whatever a path says. */
export interface StaticFiles {
  /** The answer for a path, or undefined where there is no such file. The app's own addresses get its page. */
  respond(request: Request): Promise<Response | undefined>;
}

interface File {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
  readonly isHashed: boolean;
}

const types: { readonly [extension: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

/** Addresses of the app, each with its page: a new conversation, a stored one, the inspector. */
const pages = /^\/(?:|s\/(?!(?:[^/]*%00))[^/]+|inspect)$/;

const compressible = /^(?:text\/|application\/json|application\/manifest|image\/svg)/;
/** A name that its build made from the content: `index-DK3f9a_x.js`. */
const hashedName = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

/** What a page may load and do: its own files and this server; pictures and sound also from where messages point. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: https:",
  "media-src 'self' data: blob: https:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const compress = promisify(gzip);

/** Serves a folder. Names with a hash are kept by browsers for good, the others are asked for again each time. */
export function staticFiles(folder: string): StaticFiles {
  let reading: Promise<ReadonlyMap<string, File>> | undefined;
  return {
    async respond(request) {
      reading ??= readFolder(folder);
      const files = await reading;
      const path = new URL(request.url).pathname;
      const file = files.get(decodePath(path)) ?? (pages.test(path) ? files.get("/index.html") : undefined);
      return file && fileResponse(file, request);
    },
  };
}

function fileResponse(file: File, request: Request): Response {
  const headers = new Headers({
    "content-type": file.type,
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  if (request.headers.get("if-none-match") === file.etag) return new Response(null, { status: 304, headers });
  const asGzip = file.gzipped && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (asGzip) headers.set("content-encoding", "gzip");
  return new Response(asGzip ? file.gzipped : file.bytes, { headers });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function readFolder(folder: string): Promise<ReadonlyMap<string, File>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const paths = all.filter(path => !isHidden(addressOf(folder, path)));
  const files = await Promise.all(paths.map(async path => [addressOf(folder, path), await read(path)] as const));
  return new Map(files);
}

/** `.git` and its like are no pages, should the folder have them; `.well-known` is meant for all. */
const isHidden = (address: string): boolean => /\/\.(?!well-known\/)/.test(address);

const addressOf = (folder: string, path: string): string => `/${relative(folder, path).split(sep).join("/")}`;

async function read(path: string): Promise<File> {
  const bytes = new Uint8Array(await readFile(path));
  const type = types[extname(path).toLowerCase()] ?? "application/octet-stream";
  const gzipped = compressible.test(type)
    ? new Uint8Array(await compress(bytes, { level: constants.Z_BEST_COMPRESSION }))
    : undefined;
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return { type, etag, bytes, gzipped, isHashed: hashedName.test(path) };
}
