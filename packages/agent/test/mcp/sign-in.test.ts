import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { listening, modernToy, olderToy } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";
import { newJournal } from "./toy-server.ts";

const add = [calls(["add", { a: 1, b: 1 }]), { text: "done" }];

/** A toy behind an authorization server of its own: the token that counts is the last given. */
async function guarded(toy: (request: Request) => Response | Promise<Response>) {
  const asked: string[] = [];
  let tokens = 0;
  const url = await listening(async request => {
    const { pathname, origin } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    }
    if (pathname.startsWith("/.well-known/")) {
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    }
    if (pathname === "/register") {
      return Response.json({ ...(await request.json()), client_id: "c1" }, { status: 201 });
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(await request.text());
      asked.push(`${form.get("grant_type")} ${form.get("code") ?? form.get("refresh_token")}`);
      tokens++;
      return Response.json({ access_token: `t${tokens}`, refresh_token: `r${tokens}`, token_type: "Bearer" });
    }
    if (tokens > 0 && request.headers.get("authorization") === `Bearer t${tokens}`) return toy(request);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return new Response("who are you?", {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
    });
  });
  return { url: `${url}/mcp`, asked, expire: () => tokens++ };
}

/** As an application would keep it. */
function provider(): OAuthClientProvider & { readonly sentTo: URL[] } {
  const kept: {
    tokens?: OAuthTokens;
    client?: OAuthClientInformationMixed;
    found?: OAuthDiscoveryState;
    verifier: string;
  } = { verifier: "" };
  const sentTo: URL[] = [];
  return {
    sentTo,
    redirectUrl: "http://localhost/callback",
    clientMetadata: { client_name: "test", redirect_uris: ["http://localhost/callback"] },
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization: url => void sentTo.push(url),
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState(found) {
      kept.found = found;
    },
    discoveryState: () => kept.found,
  };
}

test.each([
  ["2026-07-28", modernToy],
  ["older", (journal: ReturnType<typeof newJournal>) => olderToy(journal).fetch],
])("over HTTP, %s, a person signs in once, and a token that is over is made new", async (_, toy) => {
  const { url, asked, expire } = await guarded(toy(newJournal()));
  const authProvider = provider();
  const mcp = await joined({ toy: { url, authProvider } });
  expect(mcp.failures).toMatchObject([{ server: "toy", error: { code: "mcp/unauthorised" } }]);
  expect(authProvider.sentTo.map(({ pathname }) => pathname)).toEqual(["/authorize"]);
  expect(authProvider.sentTo[0]?.searchParams.get("code_challenge_method")).toBe("S256");

  await mcp.finishAuth("toy", new URLSearchParams({ code: "code-1" }));
  expect(mcp.failures).toEqual([]);
  expect(wordsOf((await ran(mcp, add)).results[0])).toBe("2");

  expire();
  expect(wordsOf((await ran(mcp, add)).results[0])).toBe("2");
  expect(asked).toEqual(["authorization_code code-1", "refresh_token r1"]);
});

test("headers and a fetch of one's own go with every request", async () => {
  const keys: (string | null)[] = [];
  const urls: string[] = [];
  const toy = modernToy(newJournal());
  const url = await listening(request => {
    keys.push(request.headers.get("x-key"));
    return toy(request);
  });
  const mcp = await joined({
    toy: {
      url,
      headers: { "x-key": "k" },
      fetch: (to, init) => {
        urls.push(String(to));
        return fetch(to, init);
      },
    },
  });
  await ran(mcp, add);
  expect(new Set(keys)).toEqual(new Set(["k"]));
  expect(urls).toHaveLength(keys.length);
});
