import { isJsonObject, type Json, type Message } from "translogue";
import { decode, encode, writeText } from "translogue/convert";
import { dotnetString, maf } from "translogue/maf";
import {
  type CarriedRun,
  type ContinuationToken,
  carriedBy,
  invalidToken,
  toBase64,
  tokenText,
  tokenWith,
} from "../token.ts";

/** The word by which a `ChatClientAgent` knows its tokens. */
const type = "chatClientAgentContinuationToken";

/** The Microsoft Agent Framework's form, as base64 text: the input and the answer so far are inside. Throws `token/invalid` for a token that was read from ours. */
export const encodeMafToken = (token: ContinuationToken): string => toBase64(mafTokenText(token));

export function mafTokenText(token: ContinuationToken): string {
  const run = carriedBy(token);
  if (!run) throw invalidToken("it only names its run; the Microsoft Agent Framework's form has the run inside");
  const { continuation, input, answer } = run;
  const members = [
    ["type", type],
    ["innerToken", dotnetString(continuation, "default")],
    ...(input.length > 0 ? [["inputMessages", textOf(input, "messages")]] : []),
    ...(answer.length > 0 ? [["responseUpdates", textOf(answer, "stream")]] : []),
  ];
  return `{${members.map(([name = "", value = ""]) => `"${name}":${dotnetString(value, "default")}`).join(",")}}`;
}

function textOf(messages: readonly Message[], shape: "messages" | "stream"): string {
  const { value, exact } = encode(maf, { messages }, { shape, dialect: "chat", carry: true });
  return writeText(maf, value, { shape, dialect: "chat", ...(exact && { exact }) });
}

export const isMafToken = (given: string | Uint8Array): boolean => {
  try {
    return tokenText(given).includes(type);
  } catch {
    return false;
  }
};

/** Throws `token/invalid` for whatever .NET refuses. */
export function decodeMafToken(given: string | Uint8Array): ContinuationToken {
  const value = parsed(tokenText(given));
  if (!isJsonObject(value)) throw invalidToken("it is no object");
  const [first] = Object.keys(value);
  if (first !== "type" || value["type"] !== type) throw invalidToken(`its \`type\` is not \`${type}\``);
  const { innerToken, inputMessages, responseUpdates } = value;
  const continuation = typeof innerToken === "string" ? parsed(innerToken) : undefined;
  if (typeof continuation !== "string") throw invalidToken("it has no `innerToken`");
  const run: CarriedRun = {
    continuation,
    input: decode(maf, listIn(inputMessages, "inputMessages"), { shape: "messages" }).conversation.messages,
    answer: decode(maf, listIn(responseUpdates, "responseUpdates"), { shape: "stream", dialect: "chat" }).conversation
      .messages,
  };
  return tokenWith({ session: "", run: "", seq: 0 }, () => run);
}

function listIn(text: Json | undefined, name: string): readonly Json[] {
  if (text === undefined) return [];
  const list = typeof text === "string" ? parsed(text) : undefined;
  if (!Array.isArray(list)) throw invalidToken(`its \`${name}\` is no text of a list`);
  return list;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    throw invalidToken("a text in it is no JSON");
  }
}
