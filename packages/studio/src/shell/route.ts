import { useMemo, useSyncExternalStore } from "react";

/** The studio's addresses: `/` is a new conversation, `/s/{id}` a stored one, `/inspect` the inspector. */
export interface Route {
  readonly session?: string;
}

export const inspectPath = "/inspect";
export const isInspector = (path: string): boolean => path === inspectPath;

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
  if (path !== location.pathname) move(path, how);
}

/** Goes to the inspector; with a session, to see that one. */
export function inspect(session?: string): void {
  move(session === undefined ? inspectPath : `${inspectPath}?${new URLSearchParams({ session })}`, "push");
}

function move(address: string, how: "push" | "replace"): void {
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  dispatchEvent(new Event(moved));
}

/** Sets parameters of the address, or takes them out, without a step back. */
export function setParameters(parameters: { readonly [name: string]: string | undefined }): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) search.delete(name);
    else search.set(name, value);
  }
  move(search.size === 0 ? location.pathname : `${location.pathname}?${search}`, "replace");
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

/** The parameters of the page's address, as they change. */
export function useParameters(): URLSearchParams {
  const search = useSyncExternalStore(subscribe, () => location.search);
  return useMemo(() => new URLSearchParams(search), [search]);
}
