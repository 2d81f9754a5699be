import { useEffect, useRef, useState } from "react";
import type { Conversation, Recipient } from "translogue";
import { type Conversion, conversionOf } from "./conversion.ts";

export interface Wanted {
  readonly conversation: Conversation;
  readonly ref: string;
  readonly recipient: Recipient;
}

/** At most this share of the time goes into converting what still grows. */
const share = 0.1;
const shortest = 100;

/** The conversion of what is wanted: at once where something was chosen, now and then while an answer is written. */
export function useConversion({ conversation, ref, recipient }: Wanted): Conversion | undefined {
  const [conversion, setConversion] = useState<Conversion>();
  const state = useRef({ choice: "", next: 0 });
  useEffect(() => {
    const choice = `${ref} ${recipient}`;
    const convert = (): void => {
      const begun = performance.now();
      setConversion(conversionOf(conversation, ref, { recipient }));
      state.current = { choice, next: performance.now() + shortest };
      // Two frames later it is drawn too: what that took counts.
      requestAnimationFrame(() => {
        requestAnimationFrame(() => {
          const now = performance.now();
          state.current = { choice, next: now + Math.max(shortest, (now - begun) / share) };
        });
      });
    };
    const pause = choice === state.current.choice ? state.current.next - performance.now() : 0;
    if (pause <= 0) return convert();
    const timer = setTimeout(convert, pause);
    return () => clearTimeout(timer);
  }, [conversation, ref, recipient]);
  return conversion;
}
