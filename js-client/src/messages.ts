// Types only: what this shared with the client would become a third file of a page's own build.
import type { Client } from "./client-type.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";

/** What a loop needs of its client. */
export interface LoopSupport {
  /** An error of this topic. */
  readonly toError: (code: string, why: string) => SluiceError;
  /** A copy of the message that has `gapBefore`. */
  readonly behindGap: (message: Message, gapBefore: string) => Message;
  /** Tells of an error that does not end the loop. */
  readonly report: (error: SluiceError) => void;
}

/** The messages of one subscription, for one loop, which subscribes when it begins. */
export async function* iterate(
  client: Client,
  topic: string,
  options: MessagesOptions,
  { toError, behindGap, report }: LoopSupport,
): AsyncGenerator<Message, void, undefined> {
  const { buffer = 1_000, overflow, signal } = options;
  const waiting: Message[] = [];
  // An object, because the compiler does not see what the callbacks assign.
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
      const why = `the loop is too slow, ${String(buffer)} messages wait for it`;
      end(toError("buffer-full", why));
      subscription();
    }
    wake();
  };
  const onError = (error: SluiceError): void => {
    if (error.code === "bad-payload") report(error);
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
