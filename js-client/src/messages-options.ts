import { check, checkOneOf } from "./arguments.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/** Options of {@link Client.messages}. All of them are optional. */
export interface MessagesOptions extends SubscribeOptions {
  /** Maximum number of messages waiting for the loop; default 1,000. */
  readonly buffer?: number | undefined;
  /**
   * Policy for a full buffer. `fail`, the default, ends the loop with the error `buffer-full` after
   * the buffered messages. `drop-oldest` drops the oldest message, and the next one that the loop
   * receives has `gapBefore`.
   */
  readonly overflow?: "fail" | "drop-oldest" | undefined;
}

/** Throws unless the options of a loop are valid. */
export function checkMessagesOptions({ buffer = 1, overflow = "fail" }: MessagesOptions): void {
  check(Number.isSafeInteger(buffer) && buffer > 0, "buffer", "a whole number above 0", buffer);
  checkOneOf("overflow", ["fail", "drop-oldest"], overflow);
}
