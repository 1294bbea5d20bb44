import type { SluiceClient } from "./client.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import { onAbort } from "./signal.js";

/** The messages of one subscription, for one loop, which subscribes when it begins. */
export async function* iterate(
  client: SluiceClient,
  topic: string,
  options: MessagesOptions,
  report: (error: SluiceError) => void,
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
      end(new SluiceError("buffer-full", why, topic));
      subscription();
    }
    wake();
  };
  const onError = (error: SluiceError): void => {
    if (error.code === "bad-payload") report(error);
    else end(error);
  };
  const subscription = client.subscribe(topic, { onMessage, onError }, options);
  const undos = [
    subscription,
    client.on("state", (state) => {
      if (state.status === "closed") end(state.error);
    }),
    onAbort(signal, () => {
      waiting.length = 0;
      end();
    }),
  ];
  try {
    for (;;) {
      const message = waiting.shift();
      if (message) {
        const isBehindGap = state.hasDropped;
        state.hasDropped = false;
        yield isBehindGap ? withChanges(message, { gapBefore: "buffer-full" }) : message;
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
    for (const undo of undos) undo();
  }
}
