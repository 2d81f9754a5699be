import type { Client } from "@translogue/server/client";
import type { ModelRow } from "@translogue/server/contract";
import { useEffect, useState } from "react";
import { usePreferences } from "../shell/preferences.ts";

export interface ModelList {
  readonly rows: readonly ModelRow[];
  readonly hasFailed: boolean;
  /** What is asked for: `provider/model`. Undefined as long as the list is not there. */
  readonly chosen: string | undefined;
  readonly isDemo: boolean;
}

/** The models of the server, and the one that a person chose of them. */
export function useModels(client: Client): ModelList {
  const [rows, setRows] = useState<readonly ModelRow[]>([]);
  const [hasFailed, setFailed] = useState(false);
  const { model } = usePreferences();
  useEffect(() => {
    client.models().then(setRows, () => setFailed(true));
  }, [client]);
  const chosen = rows.some(({ id }) => allows(id, model)) ? model : rows.find(({ id }) => !id.endsWith("/*"))?.id;
  const isDemo = rows.some(({ id, categories }) => id === chosen && categories.includes("demo"));
  return { rows, hasFailed, chosen, isDemo };
}

/** Whether a row is a model, or stands for all of its provider: `provider/*`. */
export const allows = (id: string, model: string): boolean =>
  id === model || (id.endsWith("/*") && model.startsWith(id.slice(0, -1)) && model.length >= id.length);
