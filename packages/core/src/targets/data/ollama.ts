import type { Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const types = { source: "types of ollama 0.6.4", date } as const;
const texts = { source: "error texts of Ollama, as reported", date } as const;

export const ollama: Target = {
  id: "ollama",
  title: "Ollama",
  turns: "messages",
  system: "among",
  counts: "results",
  format: "ollama",
  rules: {
    ...everyHost,
    // No message at all loads the model.
    "history-not-empty": { ...everyHost["history-not-empty"], severity: "warning" },
    ...unpackedIds,
    roles: { allowed: ["system", "developer", "user", "assistant", "tool"], ...types },
    arguments: {
      shape: "object",
      ...texts,
      says: [
        "Value looks like object, but can't find closing '}' symbol",
        "json: cannot unmarshal string into Go struct field {field} of type",
      ],
    },
    media: { user: ["image/"], assistant: ["image/"], result: ["image/"], ...types },
    "media-source": { image: ["data"], ...types },
    "result-media-source": { image: ["data"], ...types },
    "message-name": { ...types, severity: "warning" },
    "seals-at-home": { makers: [], ...types, severity: "warning" },
  },
};
