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

  /** Returns the result, once all clients were added. */
  R result();
}
