/**
 * The client that the protocol's own suite is run against: an agent over `connectMcp`, which calls every tool that it is offered.
 * The suite gives the scenario and what belongs to it in the environment, and the server's address as the last argument.
 */
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import { createAgent } from "../../src/index.ts";
import { connectMcp, type McpClients } from "../../src/mcp/index.ts";
import { scripted } from "../scripted-model.ts";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const given: { readonly [name: string]: string } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const url = process.argv.at(-1) ?? "";

/** A person at a browser who agrees to everything: the address is visited, and what it comes back with is kept. */
class Person implements OAuthClientProvider {
  readonly redirectUrl = "http://localhost:3999/callback";
  readonly clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
  readonly clientMetadata: OAuthClientMetadata = { client_name: "translogue", redirect_uris: [this.redirectUrl] };
  readonly #client: OAuthClientInformationMixed | undefined;
  #registered: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";
  #found: OAuthDiscoveryState | undefined;
  /** What the last sign-in came back with, until it is used. */
  params: URLSearchParams | undefined;

  constructor(client?: OAuthClientInformationMixed) {
    this.#client = client;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client ?? this.#registered;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#registered = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#found;
  }

  saveDiscoveryState(found: OAuthDiscoveryState): void {
    this.#found = found;
  }

  async redirectToAuthorization(to: URL): Promise<void> {
    const response = await fetch(to, { redirect: "manual" });
    this.params = new URL(response.headers.get("location") ?? "", to).searchParams;
  }
}

const member = (name: string): string => given[name] ?? "";
const person = new Person(
  given["client_id"] === undefined
    ? undefined
    : { client_id: member("client_id"), client_secret: member("client_secret") },
);

/** Clients without a person get their tokens themselves. */
const providers: { readonly [scenario: string]: () => OAuthClientProvider } = {
  "auth/client-credentials-basic": () =>
    new ClientCredentialsProvider({ clientId: member("client_id"), clientSecret: member("client_secret") }),
  "auth/client-credentials-jwt": () =>
    new PrivateKeyJwtProvider({
      clientId: member("client_id"),
      privateKey: member("private_key_pem"),
      algorithm: member("signing_algorithm"),
    }),
  "auth/cross-app-access-complete-flow": () =>
    new CrossAppAccessProvider({
      clientId: member("client_id"),
      clientSecret: member("client_secret"),
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
          tokenEndpoint: member("idp_token_endpoint"),
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: member("idp_id_token"),
          clientId: member("idp_client_id"),
          ...(scope !== undefined && { scope }),
          fetchFn,
        });
        return jwtAuthGrant;
      },
    }),
};

const inputs: { readonly [tool: string]: object } = { add_numbers: { a: 5, b: 3 } };

/** Calls every tool once, as a model would. */
async function callAll(mcp: McpClients): Promise<void> {
  const model = scripted(({ conversation: { tools = [] } }, call) =>
    call === 0 && tools.length > 0
      ? { calls: tools.map(({ name }) => [name, name, JSON.parse(JSON.stringify(inputs[name] ?? {}))]) }
      : { text: "done" },
  );
  await createAgent({ model, tools: mcp.tools }).run("go");
}

/** A server may want the person again, for more than it wanted at first; a client gives up at some time. */
const mostSignIns = 3;

const mcp = await connectMcp(
  { server: { url, authProvider: (providers[scenario] ?? (() => person))() } },
  { questions: { form: () => ({ action: "accept", content: {} }) }, connectTimeoutMs: 20_000 },
);
for (let signIns = 0; ; signIns++) {
  await callAll(mcp);
  const { params } = person;
  if (!params || signIns === mostSignIns) break;
  person.params = undefined;
  await mcp.finishAuth("server", params);
}
for (const { error } of mcp.failures) {
  console.error(error);
  process.exitCode = 1;
}
await mcp.close();
