import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { LoopHost } from "./messages.js";

/** Iterates over messages; loads the code for loops when the iteration starts. */
export async function* iterateOver(host: LoopHost): AsyncGenerator<Message, void, undefined> {
  const { iterate } = await import("./messages.js");
  yield* iterate(host, {
    toError: (code, why) => new SluiceError(code, why, host.topic),
    behindGap: (message, gapBefore) => withChanges(message, { gapBefore }),
  });
}
