package io.sluice.gateway.query;

/**
 * Collector of figures of an event loop's clients. Bound to that loop until its result is passed
 * on.
 *
 * @param <R> type of the result
 */
public interface ClientCollector<R> {
  /** Adds a client. */
  void add(ClientView client);

  /**
   * Prepares a part of the result, once all clients were added.
   *
   * @return whether the result is complete; otherwise the method is called again
   */
  default boolean prepare() {
    return true;
  }

  /** Returns the result, once it is complete. */
  R result();
}
