/** What @langchain/core makes of OpenAI's answers: Chat's where the content is text, else those of Responses. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  callBlock,
  isBlock,
  isList,
  isText,
  joinTexts,
  nonStandard,
  objectOf,
  objectsOf,
  type ViewMessage,
  without,
} from "./content-blocks-message.ts";

export function openaiView(message: ViewMessage): Blocks {
  const { content } = message;
  return isText(content) ? chatView(content, message) : responsesView(content, message);
}

function chatView(content: string, { calls, kwargs }: ViewMessage): Blocks {
  const text: Blocks = content === "" ? [] : [{ type: "text", text: content }];
  return [...text, ...calls.map(callBlock), ...refusalBeside(kwargs)];
}

function refusalBeside({ refusal }: JsonObject): Blocks {
  return isText(refusal) && refusal !== "" ? [{ type: "refusal", refusal }] : [];
}

// Responses

/** A block, and the item of the raw output that it belongs to. */
interface Keyed {
  readonly block: Json;
  readonly key: string | undefined;
}

function responsesView(content: Blocks, message: ViewMessage): Blocks {
  const { calls, kwargs, metadata } = message;
  const output = isList(metadata["output"]) ? metadata["output"] : [];
  const { positions, textKey } = positionsOf(output);
  const refusals = content.filter(block => isBlock(block, "refusal") && isText(at(block, "refusal")));
  const keyed: Keyed[] = [
    ...reasoningItems(output, kwargs),
    ...content.filter(block => isBlock(block, "text")).map(block => ({ block: textBlock(block), key: textKey })),
    ...(refusals.length > 0 ? refusals.map(refusalBlock) : refusalBeside(kwargs)).map(block => ({
      block,
      key: textKey,
    })),
    ...calls.map(call => ({ block: callBlock(call), key: isText(call["id"]) ? `tool_call:${call["id"]}` : undefined })),
    ...toolOutputs(kwargs),
  ];
  const place = ({ key }: Keyed): number =>
    (key === undefined ? undefined : positions.get(key)) ?? Number.POSITIVE_INFINITY;
  const sorted = output.length === 0 ? keyed : sortedBy(keyed, place);
  return sorted.map(({ block }) => block);
}

/** Stable; two that have no place keep their order. */
const sortedBy = (list: readonly Keyed[], place: (item: Keyed) => number): readonly Keyed[] =>
  [...list].sort((left, right) => {
    const [a, b] = [place(left), place(right)];
    return a === b ? 0 : a - b;
  });

const callItems: readonly Json[] = ["function_call", "custom_tool_call", "computer_call"];

/** Where the items of the raw output stand. Texts have a place only where there is one message. */
function positionsOf(output: Blocks): { positions: ReadonlyMap<string, number>; textKey: string | undefined } {
  const positions = new Map<string, number>();
  const messages: number[] = [];
  output.forEach((item, index) => {
    const { type, id, call_id: callId } = objectOf(item);
    if (!isText(type)) return;
    if (type === "reasoning" && isText(id)) positions.set(`reasoning:${id}`, index);
    else if (callItems.includes(type) && isText(callId)) positions.set(`tool_call:${callId}`, index);
    else if (type === "message") messages.push(index);
    else if (isText(id)) positions.set(`other:${type}:${id}`, index);
  });
  const [only] = messages;
  const textKey = messages.length === 1 && only !== undefined ? `message:${only}` : undefined;
  if (textKey !== undefined && only !== undefined) positions.set(textKey, only);
  return { positions, textKey };
}

function reasoningItems(output: Blocks, kwargs: JsonObject): Keyed[] {
  const items: readonly JsonObject[] =
    output.length > 0 ? output.filter(item => isBlock(item, "reasoning")) : [objectOf(kwargs["reasoning"])];
  return items.flatMap(({ summary, id, encrypted_content: encrypted }) => {
    if (!isList(summary)) return [];
    const block = {
      type: "reasoning",
      reasoning: joinTexts(summary),
      ...(isText(id) && { id }),
      ...(isText(encrypted) && { encrypted_content: encrypted }),
    };
    return [{ block, key: isText(id) ? `reasoning:${id}` : undefined }];
  });
}

function textBlock(block: JsonObject): JsonObject {
  const { text, annotations, phase, extras: given } = block;
  const extras = { ...(isJsonObject(given) && given), ...(isText(phase) && { phase }) };
  return {
    ...without(block, "text", "annotations", "phase", "extras"),
    ...(Object.keys(extras).length > 0 && { extras }),
    type: "text",
    text: isText(text) ? text : `${JSON.stringify(text)}`, // the package writes the word "undefined" as well
    ...(isList(annotations) && { annotations: annotations.map(annotationOf) }),
  };
}

function annotationOf(annotation: Json): Json {
  const { type, url, title, start_index, end_index, file_id, filename, index } = objectOf(annotation);
  if (type === "url_citation") {
    return present({ type: "citation", url, title, startIndex: start_index, endIndex: end_index });
  }
  if (type !== "file_citation") return annotation;
  return present({ type: "citation", title: filename, startIndex: index, endIndex: index, fileId: file_id });
}

const refusalBlock = (block: Json): JsonObject => {
  const { refusal, id } = objectOf(block);
  return present({ type: "refusal", refusal, id: isText(id) ? id : undefined });
};

// tools that the provider ran

function toolOutputs({ tool_outputs: outputs }: JsonObject): Keyed[] {
  return objectsOf(outputs).flatMap(output => {
    const { type, id } = output;
    const key = isText(type) && isText(id) ? `other:${type}:${id}` : undefined;
    const read = isText(type) ? rowOf(tools, type) : undefined;
    return (read ? read(output) : [nonStandard(output)]).map(block => ({ block, key }));
  });
}

const callOf = (output: JsonObject, name: string, args: Json | undefined, extras?: JsonObject): JsonObject =>
  present({ id: output["id"], type: "server_tool_call", name, args, extras });

/** The result of an item that has ended. */
function endOf({ id, status }: JsonObject, output: JsonObject): Blocks {
  if (status !== "completed" && status !== "failed") return [];
  const toolCallId = isText(id) ? id : "";
  return [
    { type: "server_tool_call_result", toolCallId, status: status === "completed" ? "success" : "error", output },
  ];
}

const tools: { readonly [type: string]: (output: JsonObject) => Blocks } = {
  web_search_call: output => {
    const { action } = output;
    const query = at(action, "query");
    const call = callOf(output, "web_search", isText(query) ? { query } : {});
    return [call, ...endOf(output, isHolder(action) ? { action } : {})];
  },
  file_search_call: output => {
    const { queries, results } = output;
    const call = callOf(output, "file_search", { queries: isList(queries) ? queries : [] });
    return [call, ...endOf(output, isList(results) ? { results } : {})];
  },
  code_interpreter_call: codeOf,
  mcp_call: output => [callOf(output, "mcp_call", output["input"])],
  mcp_list_tools: output => [callOf(output, "mcp_list_tools", output["input"])],
  tool_search_call: output => {
    const { id, execution, status, call_id: callId, arguments: given } = output;
    const extras = present({ execution: textOf(execution), status: textOf(status), call_id: textOf(callId) });
    const args = isJsonObject(given) ? given : {};
    const named = { ...output, id: isText(id) ? id : "" };
    return [callOf(named, "tool_search", args, Object.keys(extras).length > 0 ? extras : undefined)];
  },
  tool_search_output: ({ id, execution, status, tools: found }) => [
    {
      type: "server_tool_call_result",
      toolCallId: isText(id) ? id : "",
      status: status === "failed" ? "error" : "success",
      output: { tools: isList(found) ? found : [] },
      extras: { name: "tool_search", ...(isText(execution) && { execution }) },
    },
  ],
  image_generation_call: output => {
    const { id, result, status } = output;
    if (!isText(result)) return [nonStandard(output)];
    const metadata = present({ status: textOf(status) });
    const image = present({ type: "image", mimeType: "image/png", data: result, id: textOf(id), metadata });
    return [image, nonStandard(output)];
  },
};

const textOf = (value: Json | undefined): string | undefined => (isText(value) ? value : undefined);
const isHolder = (value: Json | undefined): value is Json => typeof value === "object" && value !== null;

const returnCodes: { readonly [status: string]: number } = { completed: 0, incomplete: 127, failed: 1 };

function codeOf(output: JsonObject): Blocks {
  const { id, code, outputs, status } = output;
  const call = isText(code) ? [callOf(output, "code_interpreter", { code })] : [];
  if (!isList(outputs)) return call;
  const returnCode = (isText(status) ? rowOf(returnCodes, status) : undefined) ?? 0;
  const results = outputs
    .filter(item => isBlock(item, "logs"))
    .map((item): JsonObject => {
      const logs = at(item, "logs");
      const text = isText(logs) ? logs : `${JSON.stringify(logs)}`;
      return {
        type: "server_tool_call_result",
        toolCallId: id ?? "",
        status: "success",
        output: {
          type: "code_interpreter_output",
          returnCode,
          ...(returnCode === 0 ? { stdout: text } : { stderr: text }),
        },
      };
    });
  return [...call, ...results];
}
