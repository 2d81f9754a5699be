import type { Client } from "@translogue/server/client";
import type { SessionRow } from "@translogue/server/contract";
import { useCallback, useEffect, useRef, useState } from "react";

export interface Sessions {
  readonly rows: readonly SessionRow[];
  /** The one that is about to be deleted, and can be taken back. */
  readonly leaving: SessionRow | undefined;
  readonly remove: (row: SessionRow) => void;
  readonly undo: () => void;
}

/** How long a deleted conversation can be taken back. */
const undoMs = 6000;

/** The stored conversations, read anew whenever `moment` changes. */
export function useSessions(client: Client, moment: string): Sessions {
  const [rows, setRows] = useState<readonly SessionRow[]>([]);
  const [leaving, setLeaving] = useState<SessionRow>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `moment` says when, not what
  useEffect(() => {
    client.sessions().then(setRows, () => undefined); // without the list the chat works as well
  }, [client, moment]);

  const remove = useCallback(
    (row: SessionRow) => {
      setLeaving(before => {
        if (before) void client.deleteSession(before.id).catch(() => undefined);
        return row;
      });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        void client.deleteSession(row.id).catch(() => undefined);
        setRows(before => before.filter(({ id }) => id !== row.id));
        setLeaving(undefined);
      }, undoMs);
    },
    [client],
  );
  const undo = useCallback(() => {
    clearTimeout(timer.current);
    setLeaving(undefined);
  }, []);
  return { rows: leaving ? rows.filter(({ id }) => id !== leaving.id) : rows, leaving, remove, undo };
}
