// Types only: shared code would become a third file in a page's own build.
import type { Client } from "./client-type.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";

/** Functions that a loop requires of its client. */
export interface LoopSupport {
  /** Returns an error of this topic. */
  readonly toError: (code: string, message: string) => SluiceError;
  /** Returns a copy of the message with `gapBefore`. */
  readonly behindGap: (message: Message, gapBefore: string) => Message;
  /** Reports an error that does not end the loop. */
  readonly report: (error: SluiceError) => void;
}

/** Iterates over the messages of one subscription, which starts and ends with the loop. */
export async function* iterate(
  client: Client,
  topic: string,
  options: MessagesOptions,
  { toError, behindGap, report }: LoopSupport,
): AsyncGenerator<Message, void, undefined> {
  const { buffer = 1_000, overflow, signal } = options;
  const waiting: Message[] = [];
  // An object, because the compiler does not track assignments in callbacks.
  const state = {
    hasEnded: false,
    hasDropped: false,
    failure: undefined as SluiceError | undefined,
  };
  let wake = (): void => undefined;

  const end = (error?: SluiceError): void => {
    if (!state.hasEnded) state.failure = error;
    state.hasEnded = true;
    wake();
  };
  const onMessage = (message: Message): void => {
    if (state.hasEnded) return;
    if (waiting.length < buffer) {
      waiting.push(message);
    } else if (overflow === "drop-oldest") {
      waiting.shift();
      waiting.push(message);
      state.hasDropped = true;
    } else {
      const message = `the loop is too slow: its buffer of ${String(buffer)} messages is full`;
      end(toError("buffer-full", message));
      subscription();
    }
    wake();
  };
  const onError = (error: SluiceError): void => {
    if (error.code.endsWith("-payload")) report(error);
    else end(error);
  };
  const subscription = client.subscribe(topic, { onMessage, onError }, options);
  const stopListening = client.on("state", (now) => {
    if (now.status === "closed") end(now.error);
  });
  const onAbort = (): void => {
    waiting.length = 0;
    end();
  };
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort);
  try {
    for (;;) {
      const message = waiting.shift();
      if (message) {
        const isBehindGap = state.hasDropped;
        state.hasDropped = false;
        yield isBehindGap ? behindGap(message, "buffer-full") : message;
      } else if (state.failure) {
        throw state.failure;
      } else if (state.hasEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    subscription();
    stopListening();
    signal?.removeEventListener("abort", onAbort);
  }
}
