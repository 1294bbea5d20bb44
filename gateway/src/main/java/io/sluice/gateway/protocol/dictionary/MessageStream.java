package io.sluice.gateway.protocol.dictionary;

/**
 * Stream of an interest in compressed frames. Immutable, for any thread.
 *
 * @param number number in frames of plain subscriptions
 * @param dictionary trained dictionary of its first messages, or null
 */
public record MessageStream(int number, Dictionary dictionary) {
  /** Stream of channels that are in no compressed frame. */
  public static final MessageStream NONE = new MessageStream(0, null);
}
