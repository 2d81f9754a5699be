import { homedir } from "node:os";
import { join } from "node:path";

/** Where this program keeps what it remembers. https://specifications.freedesktop.org/basedir-spec (read 2026-11-30): a relative path there is to be ignored. */
export function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" } = env;
  if (state.startsWith("/")) return join(state, "translogue");
  if (platform === "win32" && local !== "") return join(local, "translogue");
  return join(env["HOME"] || homedir(), ".local", "state", "translogue");
}
