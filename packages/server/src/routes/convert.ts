import type { Shape } from "translogue";
import { encode, encodeAs } from "translogue/convert";
import { isStreamBody } from "../body.ts";
import type { ConvertAnswer } from "../contract.ts";
import { bareAnswer, codesOf, exactAnswer, formatHeader, textOf } from "../histories/answer.ts";
import { atInput, formatNamed, read, readGiven, recipientIn, refuseLossy, required } from "../histories/given.ts";
import { convertStream } from "../histories/stream.ts";
import { refuse } from "../members.ts";
import type { Call } from "./call.ts";

/** `POST /api/v1/convert` */
export async function convertHistory(call: Call): Promise<Response> {
  if (isStreamBody(call.request)) return convertStream(call);
  const given = await readGiven(call, "to");
  const { options, isBare } = given;
  const to = required(options, "to", "name a format, or a format and its dialect: `openai-chat`, `ai-sdk-ui:v7`");
  const carry = options.boolean("carry");
  const isStrict = options.boolean("strict") ?? false;
  const recipient = recipientIn(options);
  const shape = options.oneOf("shape", shapes) as Shape | undefined; // one of `shapes`
  options.refuseOthers(["input", "from"]);
  refuse(options.faults);
  const { codec, dialect: asked } = formatNamed(to, "to");
  const { format: detected, ...from } = read(given);
  const dialect = asked ?? (codec.id === detected.format ? from.dialect : undefined);
  const writing = {
    ...(dialect !== undefined && { dialect }),
    ...(carry !== undefined && { carry }),
    ...(recipient !== undefined && { recipient }),
    ...(from.strictTools !== undefined && { strictTools: from.strictTools }),
  };
  const encoded = atInput(isBare, () =>
    shape === undefined ? encodeAs(codec, from, writing) : encode(codec, from.conversation, { ...writing, shape }),
  );
  const issues = [...from.issues, ...encoded.issues];
  const written = isBare ? textOf({ codec, ...encoded }) : undefined;
  const losses = [...from.losses, ...encoded.losses, ...(written?.losses ?? [])];
  if (isStrict) refuseLossy({ losses, issues });
  if (written) {
    const remarks = { "x-losses": codesOf(losses), "x-issues": codesOf(issues) };
    return bareAnswer(written.text, { "x-detected": formatHeader(detected), ...remarks });
  }
  const answer: ConvertAnswer = { output: encoded.value, losses, issues, detected };
  return exactAnswer(answer, encoded.exact);
}

const shapes: readonly string[] = ["request", "answer", "messages", "message"] satisfies Shape[];
