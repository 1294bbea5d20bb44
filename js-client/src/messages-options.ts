import { check, checkOneOf } from "./arguments.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/** Options of {@link SluiceClient.messages}. All of them may be left out. */
export interface MessagesOptions extends SubscribeOptions {
  /** How many messages may wait for the loop; default 1,000. */
  readonly buffer?: number | undefined;
  /**
   * What comes past the buffer: `fail`, the default, ends the loop with the error `buffer-full` once
   * it has had what waited; `drop-oldest` drops the oldest one, and the next that the loop gets has
   * `gapBefore`.
   */
  readonly overflow?: "fail" | "drop-oldest" | undefined;
}

/** Throws unless the options are such as a loop over messages takes. */
export function checkMessagesOptions({ buffer = 1, overflow = "fail" }: MessagesOptions): void {
  check(Number.isSafeInteger(buffer) && buffer > 0, "buffer", "a whole number above 0", buffer);
  checkOneOf("overflow", ["fail", "drop-oldest"], overflow);
}
