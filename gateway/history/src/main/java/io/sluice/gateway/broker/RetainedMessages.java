package io.sluice.gateway.broker;

/**
 * Messages that the broker had retained when the node reconnected. Immutable, for any thread.
 *
 * @param persistent whether it retained the node's durable subscription and all persistent messages
 * @param nonPersistent whether it also retained non-persistent messages, because it was not
 *     restarted
 */
public record RetainedMessages(boolean persistent, boolean nonPersistent) {
  /** All messages were retained. */
  public static final RetainedMessages ALL = new RetainedMessages(true, true);

  /** No messages were retained. */
  public static final RetainedMessages NONE = new RetainedMessages(false, false);
}
