import { gemini } from "../../blocks/gemini/node.ts";

/** Family of this format's nodes, and its id. */
export const family = gemini;

/** Members of a message's `native` that are not its content's own: of its candidate, and of the answer. */
export const envelopeMembers = ["candidate", "response", "usage"] as const;

/** Where an application's carry stands in a content. */
export const carryMember = "translogue";

/** Hosts. A signature of one is refused by the other, so that of a host that is known says so (providers.md 4). */
const routes = { gemini: undefined, vertex: "vertex" } as const;
export const dialects = ["gemini", "vertex"] as const satisfies readonly [keyof typeof routes, keyof typeof routes];

/** What the signatures that this dialect reads say of their host. */
export const routeOf = (dialect: string): string | undefined => (dialect === "vertex" ? routes.vertex : routes.gemini);

/** Whether a signature of this host may go to this dialect's. One that tells no host is of Google's own API. */
export const isAtHome = (route: string | undefined, dialect: string): boolean =>
  route === routeOf(dialect) || (route === "ai-studio" && dialect !== "vertex");
