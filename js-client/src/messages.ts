// Types only: shared code would become a third file in a page's own build.
import type { ClientEmitter } from "./client-events.js";
import type { Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { SubscriptionObserver } from "./observer.js";

/** Subscription as used by a loop over its messages. */
export interface LoopHost {
  readonly topic: string;
  readonly options: MessagesOptions;
  readonly events: Pick<ClientEmitter, "on" | "report">;
  /**
   * Adds an observer; the returned function removes it.
   *
   * @param onEnd - Called when the subscription has ended.
   */
  readonly attach: (observer: SubscriptionObserver, onEnd: Undo) => Undo;
  /** Called after the loop. */
  readonly onFinished: Undo;
}

/** Functions that a loop requires of its client. */
export interface LoopSupport {
  /** Returns an error of this topic. */
  readonly toError: (code: string, message: string) => SluiceError;
  /** Returns a copy of the message with `gapBefore`. */
  readonly behindGap: (message: Message, gapBefore: string) => Message;
}

/** Iterates over the messages of one observer, which starts and ends with the loop. */
export async function* iterate(
  { options, events, attach, onFinished }: LoopHost,
  { toError, behindGap }: LoopSupport,
): AsyncGenerator<Message, void, undefined> {
  const { buffer = 1_000, overflow } = options;
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
      detach();
    }
    wake();
  };
  const onError = (error: SluiceError): void => {
    if (error.code.endsWith("-payload")) events.report(error);
    else end(error);
  };
  const onEnd = (): void => {
    waiting.length = 0;
    end();
  };
  let detach: Undo = () => undefined;
  const stopListening = events.on("state", (now) => {
    if (now.status === "closed") end(now.error);
  });
  try {
    detach = attach({ onMessage, onError }, onEnd);
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
    detach();
    stopListening();
    onFinished();
  }
}
