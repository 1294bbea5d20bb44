package io.sluice.client;

/** State of a consumer. */
public enum ConsumerState {
  /** There is no connection, or the node has not answered yet. */
  PENDING,
  /** The broker's consumer is active. */
  CONSUMING,
  /**
   * The node has refused the consumer. It is requested again at the next connection, and earlier if
   * the reason is temporary.
   */
  REFUSED,
  /** The consumer or its client is closed. */
  CLOSED
}
