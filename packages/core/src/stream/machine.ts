/**
 * A push machine: synchronous, one state object, no promises on the hot path. `push` gives what the input made certain,
 * `end` what only the end makes certain. After `end` a machine is spent.
 */
export interface Machine<Input, Output> {
  push(input: Input): readonly Output[];
  end(): readonly Output[];
  /** True where the input has told its own end: all is out, and the source need not be read on. */
  readonly isOver?: boolean;
}

/** One machine after another. */
export function pipe<A, B, C>(first: Machine<A, B>, second: Machine<B, C>): Machine<A, C> {
  const through = (items: readonly B[]): readonly C[] => {
    const only = items.length === 1 ? items[0] : undefined;
    if (only !== undefined) return second.push(only);
    return items.length === 0 ? [] : items.flatMap(item => second.push(item));
  };
  return {
    push: input => through(first.push(input)),
    end: () => [...through(first.end()), ...second.end()],
  };
}

/** The async face: outputs as they become certain, one batch of the source at a time. */
export async function* run<Input, Output>(
  machine: Machine<Input, Output>,
  source: Iterable<Input> | AsyncIterable<Input>,
): AsyncGenerator<Output, void, undefined> {
  for await (const input of source) {
    yield* machine.push(input);
    if (machine.isOver) break; // leaving the loop closes a source that would stay open
  }
  yield* machine.end();
}

/** The whole output of a whole input. */
export function runAll<Input, Output>(machine: Machine<Input, Output>, source: Iterable<Input>): Output[] {
  const outputs: Output[] = [];
  const add = (items: readonly Output[]): void => {
    for (const item of items) outputs.push(item);
  };
  for (const input of source) add(machine.push(input));
  add(machine.end());
  return outputs;
}

/** The `TransformStream` face, for `readable.pipeThrough(…)`. */
export function toTransformStream<Input, Output>(machine: Machine<Input, Output>): TransformStream<Input, Output> {
  const enqueue = (items: readonly Output[], controller: TransformStreamDefaultController<Output>): void => {
    for (const item of items) controller.enqueue(item);
  };
  return new TransformStream({
    transform: (input, controller) => {
      enqueue(machine.push(input), controller);
      if (!machine.isOver) return;
      enqueue(machine.end(), controller);
      controller.terminate(); // whoever reads until the end would wait for a source that stays open
    },
    flush: controller => enqueue(machine.end(), controller),
  });
}
