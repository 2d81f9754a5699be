import { Readable } from "node:stream";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { type Json, runAll } from "translogue";
import { eventStreamEncoder, type SdkValue } from "translogue/bedrock-converse";

interface Sent {
  readonly path: string;
  readonly body: Json;
}

/** AWS's own client, whose network is a function: what it sends, and what it makes of an answer. */
function clientWith(answer: { readonly type: string; readonly body: Uint8Array }): {
  readonly client: BedrockRuntimeClient;
  readonly sent: Sent[];
} {
  const sent: Sent[] = [];
  const handle = async (request: unknown): Promise<unknown> => {
    const { path, body } = request as { readonly path: string; readonly body: string | Uint8Array }; // as the SDK makes it
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    sent.push({ path, body: JSON.parse(text) as Json }); // JSON.parse gives JSON
    const headers = { "content-type": answer.type, "x-amzn-requestid": "request-1" };
    return { response: { statusCode: 200, headers, body: Readable.from([answer.body]) } };
  };
  const client = new BedrockRuntimeClient({
    region: "us-east-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: { handle } as unknown as BedrockRuntimeClient["config"]["requestHandler"], // what the SDK calls of one
  });
  return { client, sent };
}

const anyAnswer: Json = { output: { message: { role: "assistant", content: [] } }, stopReason: "end_turn" };

/** The path and the JSON body that the SDK sends for a request in its own form. */
export async function sdkSends(request: SdkValue): Promise<Sent> {
  const body = new TextEncoder().encode(JSON.stringify(anyAnswer));
  const { client, sent } = clientWith({ type: "application/json", body });
  await client.send(new ConverseCommand(request as unknown as ConverseCommandInput)); // checked by what it sends
  return sent[0] ?? { path: "", body: null };
}

/** What the SDK makes of the JSON of an answer. */
export async function sdkReads(answer: Json): Promise<unknown> {
  const body = new TextEncoder().encode(JSON.stringify(answer));
  const { client } = clientWith({ type: "application/json", body });
  return await client.send(new ConverseCommand({ modelId: "any", messages: [] }));
}

/** The events that the SDK makes of a stream; an exception is what it throws. */
export const sdkStreams = (wireEvents: readonly Json[]): Promise<unknown[]> =>
  sdkStreamsBytes(runAll(eventStreamEncoder(), wireEvents));

/** The same of the bytes of a stream, however they are cut into pieces. */
export async function sdkStreamsBytes(pieces: readonly Uint8Array[]): Promise<unknown[]> {
  const body = new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer()); // made by us
  const { client } = clientWith({ type: "application/vnd.amazon.eventstream", body });
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: "any", messages: [] }));
  const events: unknown[] = [];
  try {
    for await (const event of stream ?? []) events.push(event);
  } catch (error) {
    const { name, message } = error as Error; // the SDK throws errors
    events.push({ [`${name[0]?.toLowerCase()}${name.slice(1)}`]: { message } });
  }
  return events;
}
