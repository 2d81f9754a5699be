import { encode, type FormatRef, findFormat } from "translogue";
import { shownMessages } from "../chat/questions.ts";
import type { SessionBody, SessionInFormat, SessionRow, StopAnswer } from "../contract.ts";
import { HttpError } from "../http-error.ts";
import { branchTo, conversationOf, type LoadedSession, loadSession } from "../sessions/history.ts";
import type { StoredSession } from "../store/store.ts";
import { type Call, success } from "./call.ts";
import { chatFormat, streamResponse } from "./ui-stream.ts";

const page = { default: 50, most: 200 };

/** `GET /api/v1/sessions?limit&before` */
export async function listSessions({ services, owner, url }: Call): Promise<Response> {
  const before = url.searchParams.get("before");
  const time = before === null ? undefined : Date.parse(before);
  if (Number.isNaN(time)) throw new HttpError(400, "`before` is no time; give the `updatedAt` of a session");
  const limit = limitOf(url.searchParams.get("limit"));
  const sessions = await services.store.list(owner, { limit, ...(time !== undefined && { before: time }) });
  return success({ sessions: sessions.map(rowOf) });
}

function limitOf(text: string | null): number {
  if (text === null) return page.default;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= page.most) return limit;
  throw new HttpError(400, `\`limit\` is ${JSON.stringify(text)}; give a whole number from 1 to ${page.most}`);
}

/** `GET /api/v1/sessions/{id}?format` */
export async function readSession(call: Call): Promise<Response> {
  const loaded = await load(call);
  const session = rowOf(loaded.session);
  const conversation = conversationOf(call.id, loaded.history);
  const format = call.url.searchParams.get("format");
  if (format === null) return success({ session, conversation } satisfies SessionBody);
  findFormat(format);
  const messages = branchTo(conversation.messages, loaded.history.head).map(({ parent, ...message }) => message);
  const { value, losses } = encode(
    { id: call.id, messages: shownMessages(messages) },
    { to: format as FormatRef, recipient: "client" },
  ); // found above
  return success({ session, format, value, losses } satisfies SessionInFormat);
}

/** `DELETE /api/v1/sessions/{id}` */
export async function deleteSession({ services, owner, id }: Call): Promise<Response> {
  if (!(await services.store.remove({ owner, id }))) throw noSession(id);
  return success({ deleted: true });
}

/** `POST /api/v1/chat/{id}/stop`: stops the run; what it has said is kept. */
export async function stopChat({ services, owner, id }: Call): Promise<Response> {
  const run = await services.runs.of({ owner, id });
  run?.stop();
  await run?.done;
  return success({ stopped: run !== undefined, ...(run && { run: run.id }) } satisfies StopAnswer);
}

/** `GET /api/v1/chat/{id}/stream`: the run under way, from its start; 204 where there is none. */
export async function resumeChat(call: Call): Promise<Response> {
  const run = await call.services.runs.of({ owner: call.owner, id: call.id });
  if (!run) return new Response(null, { status: 204 });
  if (call.request.method === "HEAD") return new Response(null);
  return streamResponse(run.followAnew(chatFormat(call)));
}

async function load({ services, owner, id }: Call): Promise<LoadedSession> {
  const loaded = await loadSession(services.store, { owner, id });
  if (!loaded) throw noSession(id);
  return loaded;
}

const noSession = (id: string): HttpError => new HttpError(404, `there is no session \`${id}\``);

const rowOf = (session: StoredSession): SessionRow => ({
  id: session.key.id,
  ...(session.title !== undefined && { title: session.title }),
  createdAt: new Date(session.createdAt).toISOString(),
  updatedAt: new Date(session.updatedAt).toISOString(),
  ...(session.run !== undefined && { run: session.run }),
});
