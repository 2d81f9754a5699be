import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** The holders of this process: another process before it may have had its number. */
const holdersHere = new Set<string>();

/** A name for whoever holds things by a lease in this process, until `forgetHolder`. */
export function newHolder(): string {
  const holder = `${hostname()}/${process.pid}/${randomUUID()}`;
  holdersHere.add(holder);
  return holder;
}

export const forgetHolder = (holder: string): void => void holdersHere.delete(holder);

/** Whether the process of a holder is known to be gone, so that nobody waits for its lease after a crash. */
function isGone(holder: string): boolean {
  if (holdersHere.has(holder)) return false;
  const [host, pid] = holder.split("/");
  if (host !== hostname()) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

interface Lease {
  readonly holder: string | null;
  readonly lease_until: number | null;
}

/** Whether somebody holds it whose time is not over. */
export const isLeasedAt = (now: number, { holder, lease_until: until }: Lease): boolean =>
  holder !== null && until !== null && until > now;

/** As above, on one machine: a holder that is known to be gone holds nothing. */
export const isHeldAt = (now: number, lease: Lease): boolean => isLeasedAt(now, lease) && !isGone(lease.holder ?? "");
