import type { Health } from "../contract.ts";
import { failureFields } from "../log.ts";
import type { Call } from "./call.ts";

/** `GET /healthz`: the process lives. */
export const readHealth = (): Response => answer({ status: "ok" }, 200);

/** `GET /readyz`: it takes requests: its store answers, and it does not shut down. */
export async function readReadiness({ services, correlationId }: Call): Promise<Response> {
  if (services.runs.isDraining) return answer({ status: "draining" }, 503);
  try {
    await services.store.probe();
  } catch (error) {
    services.config.log({ level: "error", event: "failure", correlationId, ...failureFields(error) });
    return answer({ status: "failing" }, 503);
  }
  return answer({ status: "ok" }, 200);
}

const answer = (health: Health, status: number): Response =>
  new Response(JSON.stringify(health), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
