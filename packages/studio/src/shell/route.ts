import { useSyncExternalStore } from "react";

/** The studio's addresses: `/` is a new conversation, `/s/{id}` a stored one. */
export interface Route {
  readonly session?: string;
}

export function routeOf(path: string): Route {
  const [, id] = /^\/s\/([^/]+)\/?$/.exec(path) ?? [];
  if (id === undefined) return {};
  try {
    return { session: decodeURIComponent(id) };
  } catch {
    return { session: id };
  }
}

export const pathOf = ({ session }: Route): string =>
  session === undefined ? "/" : `/s/${encodeURIComponent(session)}`;

const moved = "translogue:moved";

/** Goes to an address; the page before it is one step back unless it is replaced. */
export function navigate(route: Route, how: "push" | "replace" = "push"): void {
  const path = pathOf(route);
  if (path === location.pathname) return;
  if (how === "push") history.pushState(null, "", path);
  else history.replaceState(null, "", path);
  dispatchEvent(new Event(moved));
}

function subscribe(onMove: () => void): () => void {
  addEventListener("popstate", onMove);
  addEventListener(moved, onMove);
  return () => {
    removeEventListener("popstate", onMove);
    removeEventListener(moved, onMove);
  };
}

/** The path of the page, as it changes. */
export const usePath = (): string => useSyncExternalStore(subscribe, () => location.pathname);
