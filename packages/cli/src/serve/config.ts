import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isError } from "translogue";
import { unreadable, wrongUse } from "../failure.ts";
import { reasonOf } from "../input/source.ts";
import { readJson, readText } from "../input/text.ts";
import { type Check, complaint, either, listOf, mapOf, objectOf, oneOf, text, textOf, whole } from "./checked.ts";

import { isPostgres } from "./sessions.ts";

const modelRef = textOf("`provider/model`", /^[^/\s]+\/\S+$/);
const modelOrDemo = textOf("`provider/model` or `demo`", /^(?:demo|[^/\s]+\/\S+)$/);
const url = textOf("a URL that begins with http:// or https://", /^https?:\/\/\S+$/);
const day = 86_400;

const settings = objectOf({
  host: text,
  port: whole(0, 65_535),
  /** What answers where a request names no model; the demo model without it. */
  model: modelOrDemo,
  /** Others that requests may name. */
  models: listOf(modelRef),
  /** Hosts that speak OpenAI's Chat API, by the name that models of theirs begin with. Keys stay in the environment. */
  providers: mapOf(objectOf({ baseUrl: url, keyVariable: text }, ["baseUrl"])),
  instructions: text,
  store: text,
  studio: text,
  generation: oneOf(5, 6, 7),
  clientSystem: oneOf("allow", "refuse"),
  keys: listOf(
    objectOf({ name: text, sha256: textOf("the 64 hexadecimal digits of a SHA-256", /^[0-9a-f]{64}$/i) }, [
      "name",
      "sha256",
    ]),
  ),
  cors: objectOf({ origins: either(oneOf("*"), listOf(text)), maxAge: whole(0, day * 365) }, ["origins"]),
  promptTypes: listOf(
    objectOf({ id: text, description: text, prompt: text, tools: listOf(text) }, ["id", "description"]),
  ),
  maxBodyBytes: whole(1, 2 ** 31),
  drainMs: whole(0, day * 1000),
});

/** What a configuration file may say. */
export type ServeConfig = Exclude<ReturnType<typeof settings>, undefined>;

/** Reads a configuration file; paths in it are beside it. Throws `command/wrong-use` with everything that is wrong in it. */
export function readConfig(file: string): ServeConfig {
  const { value } = jsonOf(file);
  const wrong: string[] = [];
  const config = (settings satisfies Check<unknown>)(value, [], (path, message) =>
    wrong.push(complaint(path, message)),
  );
  if (!config || wrong.length > 0)
    throw wrongUse(`\`${file}\` is no configuration:\n${wrong.map(line => `  ${line}`).join("\n")}`);
  const beside = (path: string): string => resolve(dirname(file), path);
  return {
    ...config,
    ...(config.store !== undefined &&
      config.store !== ":memory:" &&
      !isPostgres(config.store) && { store: beside(config.store) }),
    ...(config.studio !== undefined && { studio: beside(config.studio) }),
  };
}

function jsonOf(file: string): ReturnType<typeof readJson> {
  try {
    return readJson(readText(readFileSync(file), { file }), { file });
  } catch (error) {
    if (isError(error)) throw error;
    throw unreadable(reasonOf(error), { file }, error);
  }
}
