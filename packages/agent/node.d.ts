/** The one builtin that the agent may use, in place of all of Node's types. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    getStore(): T | undefined;
    run<R>(store: T, callback: () => R): R;
    exit<R>(callback: () => R): R;
    static bind<Args extends readonly unknown[], R>(callback: (...args: Args) => R): (...args: Args) => R;
    static snapshot(): <R>(callback: () => R) => R;
  }
}
