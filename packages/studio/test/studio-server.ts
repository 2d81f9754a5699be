import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Agent, createModelRouter, type Model } from "@translogue/agent";
import { demoAgent, demoModel } from "@translogue/agent/demo";
import { createServer, type Listening, serve, sqliteStore } from "@translogue/server";
import type { Message } from "translogue";
import { tool } from "../../../scripts/workspace.ts";
import { stored } from "./gallery.ts";

/** The studio's files, built from the present sources into a folder of their own. */
export async function builtStudio(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "studio-"));
  // A process of its own: in that of the tests React would be the one for development.
  const env = { ...process.env, NODE_ENV: "production" };
  const cwd = join(import.meta.dirname, "..");
  await promisify(execFile)(process.execPath, [tool("vite"), "build", "--outDir", folder, "--emptyOutDir"], {
    cwd,
    env,
  });
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

export interface StudioServer extends Listening {
  /** Puts a conversation where the studio finds it. */
  keep(session: string, messages: readonly Message[]): Promise<void>;
}

interface StudioServerOptions {
  readonly studioDir: string;
  /** Milliseconds between two pieces of the demo's answers. */
  readonly paceMs?: number;
  /** Instead of the demo agent. */
  readonly agent?: Agent;
  /** Instead of the demo model. */
  readonly model?: Model;
  /** Those that may be asked for. */
  readonly models?: readonly string[];
}

/** The real server with the demo agent, on a port that is free. */
export async function studioServer({
  studioDir,
  paceMs = 0,
  agent = demoAgent({ paceMs }),
  model,
  models: refs = [],
}: StudioServerOptions): Promise<StudioServer> {
  const store = await sqliteStore({ path: ":memory:" });
  const models = createModelRouter({ models: refs, demo: ref => model ?? demoModel(ref, { paceMs }) });
  const server = createServer({ agent, models, store, studioDir });
  const listening = await serve(server, { signals: false });
  return {
    ...listening,
    keep: async (session, messages) => {
      const claim = await store.claim({ owner: "", id: session }, "kept");
      const entries = stored(messages, `${session}-`);
      await claim.append(
        [
          { kind: "messages", messages: entries },
          { kind: "title", title: session },
        ],
        "now",
      );
      await claim.release();
    },
  };
}
