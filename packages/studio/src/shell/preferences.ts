import { useSyncExternalStore } from "react";

/** What a person chose, kept by the browser. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly language: "system" | "en" | "zh";
  /** Whether single keys do something outside of text fields. */
  readonly keys: "on" | "off";
  /** `provider/model`; "" = the server's default. */
  readonly model: string;
  /** The last format looked at, as `format:dialect`. */
  readonly format: string;
  readonly sessions: "open" | "closed";
}

const defaults: Preferences = {
  theme: "system",
  language: "system",
  keys: "on",
  model: "",
  format: "",
  sessions: "closed",
};
const options: { readonly [Name in keyof Preferences]?: readonly string[] } = {
  theme: ["system", "light", "dark"],
  language: ["system", "en", "zh"],
  keys: ["on", "off"],
  sessions: ["open", "closed"],
};
const prefix = "translogue.";
const listeners = new Set<() => void>();
let current: Preferences = read();

function read(): Preferences {
  const stored = Object.keys(defaults).flatMap(name => {
    const value = storedValue(name);
    const allowed = options[name as keyof Preferences]; // a key of `defaults`
    return value === null || (allowed && !allowed.includes(value)) ? [] : [[name, value]];
  });
  return { ...defaults, ...Object.fromEntries(stored) };
}

function storedValue(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null; // The browser keeps nothing for this page.
  }
}

export function prefer<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  current = { ...current, [name]: value };
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // It holds as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = (): void => {
    current = read();
    listener();
  };
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);
export const preferences = (): Preferences => current;
