import type { Json, JsonObject } from "translogue";
import { type AgentResponse, type AgentResponseUpdate, agentResponse, type ResponseFacts } from "../response.ts";
import { type AgentSession, busy, recordOf, type SessionRecord } from "../session.ts";
import { UpdateWriter } from "../update.ts";
import { sumUsage } from "../usage.ts";
import { isWaiting } from "./answer.ts";
import { RunDriver, type RunTask } from "./drive.ts";
import { messagesOf } from "./snapshot.ts";

/**
 * A run in its session: one at a time, and whatever ends it, the session has all that came of it. The last update comes
 * once that is so: who answers a request in it finds the session ready.
 */
export async function* runInSession(
  session: AgentSession,
  begin: (record: SessionRecord) => RunTask,
): AsyncGenerator<AgentResponseUpdate, AgentResponse, undefined> {
  const record = recordOf(session);
  if (record.isRunning) throw busy(session);
  record.isRunning = true;
  let driver: RunDriver | undefined;
  let last: AgentResponseUpdate["events"] = [];
  let writer: UpdateWriter;
  try {
    const task = begin(record);
    const running = new RunDriver(task);
    driver = running;
    record.snapshot = () => running.snapshot();
    writer = new UpdateWriter({ agentId: task.agent.id, responseId: running.state.run });
    for await (const events of running.run()) {
      if (running.state.phase === "done") last = events;
      else yield writer.update(events);
    }
  } finally {
    if (driver) commit(record, driver);
    record.isRunning = false;
  }
  const facts = factsOf(driver);
  const { agentId: _, responseId: __, raw: ___, createdAt: ____, model: _____, ...ending } = facts;
  yield writer.update(last, ending);
  return agentResponse(driver.messages, facts);
}

function commit(record: SessionRecord, driver: RunDriver): void {
  const { run, made, step, errors, calls, served } = driver.state;
  record.messages = [...record.messages, ...messagesOf(driver.snapshot())];
  record.paused = calls.some(isWaiting) ? { run, made, step, errors, calls } : undefined;
  record.served = served;
  record.snapshot = undefined;
}

function factsOf(driver: RunDriver): ResponseFacts {
  const { state, report, messages, agentId } = driver;
  const usage = sumUsage(messages);
  const metadata = metadataOf(driver);
  const model = messages.findLast(message => message.model !== undefined)?.model;
  const createdAt = messages[0]?.createdAt;
  return {
    agentId,
    responseId: state.run,
    ...(model !== undefined && { model }),
    ...(createdAt !== undefined && { createdAt }),
    ...(state.finish && { finish: state.finish }),
    ...(usage && { usage }),
    ...(state.served && { conversationId: state.served.id }),
    ...(state.error && { error: state.error }),
    ...(metadata && { metadata }),
    ...(report.raw !== undefined && { raw: report.raw }),
  };
}

/** Plain JSON: what a reader of the whole run may want to know, beside what the messages say themselves. */
function metadataOf({ state, report, lost, issues }: RunDriver): JsonObject | undefined {
  const { headers, fallbacks } = report;
  const metadata = {
    ...state.model.metadata,
    ...(state.limit !== undefined && { limit: state.limit }),
    ...lost,
    ...(issues.length > 0 && { issues: issues as unknown as Json }), // plain JSON
    ...(fallbacks && { fallbacks: fallbacks as unknown as Json }), // plain JSON
    ...(headers && { headers }),
  };
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}
