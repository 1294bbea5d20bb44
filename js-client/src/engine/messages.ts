// Types only: shared code would become a third file in a page's own build.
import type { ClientEmitter } from "./client-events.js";
import type { Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { EngineObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { Gap } from "./subscription-state.js";

/** Functions that remove an observer, and that return the position of its latest delivery. */
export type LoopAttachment = readonly [detach: Undo, positionOf: () => Position | undefined];

/** Subscription as used by a loop over its messages. */
export interface LoopHost {
  readonly topic: string;
  readonly options: MessagesOptions;
  readonly events: Pick<ClientEmitter, "on" | "report">;
  /**
   * Adds an observer, which reports the subscription's position if there is no handler.
   *
   * @param onEnd - Called when the subscription has ended.
   */
  readonly attach: (observer: EngineObserver, onEnd: Undo) => LoopAttachment;
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
  const waiting: (readonly [Message, Position | undefined])[] = [];
  // An object, because the compiler does not track assignments in callbacks.
  const state = {
    hasEnded: false,
    hasDropped: false,
    failure: undefined as SluiceError | undefined,
    position: undefined as Position | undefined,
  };
  let wake = (): void => undefined;

  const end = (error?: SluiceError): void => {
    if (!state.hasEnded) state.failure = error;
    if (!state.hasEnded && waiting.length === 0) state.position = positionOf();
    state.hasEnded = true;
    wake();
  };
  const onMessage = (message: Message): void => {
    if (state.hasEnded) return;
    if (waiting.length < buffer) {
      waiting.push([message, positionOf()]);
    } else if (overflow === "drop-oldest") {
      waiting.shift();
      waiting.push([message, positionOf()]);
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
    end();
    waiting.length = 0;
  };
  let [detach, positionOf]: LoopAttachment = [() => undefined, () => undefined];
  const position = (): Position | undefined =>
    waiting.length > 0 || state.hasEnded ? state.position : positionOf();
  const stopListening = events.on("state", (now) => {
    if (now.status === "closed") end(now.error);
  });
  try {
    const onGap = ({ reason }: Gap): void => {
      if (reason === "identity-changed") waiting.length = 0;
    };
    [detach, positionOf] = attach({ onMessage, onGap, onError, positionOf: position }, onEnd);
    for (;;) {
      const next = waiting.shift();
      if (next) {
        const [message] = next;
        state.position = next[1];
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
    end();
    detach();
    stopListening();
    onFinished();
  }
}
