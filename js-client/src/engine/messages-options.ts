import { check, checkOneOf, checkOptions, checkSignal, checkTopicOrPattern } from "./arguments.js";
import {
  toSubscribeSettings,
  type SubscribeOptions,
  type SubscribeSettings,
} from "./subscribe-options.js";

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

/** Checks the arguments of subscribe; a loop subscribes with its options. */
export function checkSubscribe(topic: string, options: MessagesOptions): SubscribeSettings {
  checkTopicOrPattern(topic);
  const settings = toSubscribeSettings(options);
  const { payload = "text", signal, buffer = 1, overflow = "fail" } = options;
  checkOneOf("payload", ["text", "json", "bytes"], payload);
  checkSignal(signal);
  check(Number.isSafeInteger(buffer) && buffer > 0, "buffer", "a whole number above 0", buffer);
  checkOneOf("overflow", ["fail", "drop-oldest"], overflow);
  const others = "schema payload signal buffer overflow".split(" ");
  checkOptions("subscribe", options, [...Object.keys(settings), ...others]);
  return settings;
}
