import { isJsonObject, type Json, type JsonObject } from "translogue";

/** One spelling for what clients write to Google in several. */

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const objects = (value: unknown): readonly JsonObject[] => list(value).filter(isJsonObject);

/**
 * The system's texts are one, whoever they are of; results stand under one name; schemas under one name, functions in one
 * list; one candidate need not be asked for.
 */
export function geminiRequest(request: JsonObject): JsonObject {
  const { systemInstruction, contents, tools, generationConfig, ...others } = request;
  return {
    ...others,
    ...(systemInstruction !== undefined && { systemInstruction: systemOf(systemInstruction) }),
    ...(contents !== undefined && { contents: turns(objects(contents)) }),
    ...(tools !== undefined && { tools: toolsOf(objects(tools)) }),
    ...(isJsonObject(generationConfig) && { generationConfig: configOf(generationConfig) }),
  };
}

const systemOf = (system: Json): Json =>
  isJsonObject(system)
    ? objects(system["parts"])
        .map(({ text }) => text ?? "")
        .join("")
    : system;

function configOf({ candidateCount, ...config }: JsonObject): JsonObject {
  return candidateCount === 1 || candidateCount === undefined ? config : { ...config, candidateCount };
}

function turns(contents: readonly JsonObject[]): readonly Json[] {
  return contents.map(content => {
    const role = content["role"] === "function" ? "user" : (content["role"] ?? "user");
    return { ...content, role, parts: objects(content["parts"]).map(partOf) };
  });
}

function partOf(part: JsonObject): JsonObject {
  const { functionResponse } = part;
  if (!isJsonObject(functionResponse) || !isJsonObject(functionResponse["response"])) return part;
  const { response, ...others } = functionResponse;
  return { ...part, functionResponse: { ...others, response: resultOf(response as JsonObject) } }; // just looked at
}

/** What a function gave stands under `output`, `result` or `content`, or alone. */
function resultOf({ name: _, ...response }: JsonObject): JsonObject {
  const [key, ...others] = Object.keys(response);
  const isHeld = others.length === 0 && ["output", "result", "content"].includes(key ?? "");
  return isHeld ? { output: response[key ?? ""] ?? null } : { output: response };
}

function toolsOf(tools: readonly JsonObject[]): Json {
  const functions = tools.flatMap(tool => objects(tool["functionDeclarations"])).map(functionOf);
  const hosted = tools.flatMap(({ functionDeclarations: _, ...tool }) => (Object.keys(tool).length > 0 ? [tool] : []));
  return [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...hosted];
}

function functionOf({ parametersJsonSchema: schema, ...declaration }: JsonObject): JsonObject {
  return schema === undefined ? declaration : { ...declaration, parameters: schema };
}
