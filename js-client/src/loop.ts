import type { Client } from "./client-type.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";

/** Iterates over messages; loads the code for loops when the iteration starts. */
export async function* iterateOver(
  client: Client,
  topic: string,
  options: MessagesOptions,
  report: (error: SluiceError) => void,
): AsyncGenerator<Message, void, undefined> {
  const { iterate } = await import("./messages.js");
  yield* iterate(client, topic, options, {
    toError: (code, why) => new SluiceError(code, why, topic),
    behindGap: (message, gapBefore) => withChanges(message, { gapBefore }),
    report,
  });
}
