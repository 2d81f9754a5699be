/** What the Microsoft Agent Framework has of agents: its sessions and its continuation tokens. */
export { type MafSessionOptions, readMafSession, writeMafSession } from "./session.ts";
export { decodeMafToken, encodeMafToken } from "./token.ts";
