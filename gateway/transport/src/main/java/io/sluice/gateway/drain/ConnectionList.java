package io.sluice.gateway.drain;

/**
 * Connections of one event loop. Bound to it.
 *
 * <p>A removed connection is replaced by the last one. A walk in descending order therefore visits
 * each connection that was present at its start once.
 */
public interface ConnectionList {
  int count();

  /** Returns the connection at an index below the count. */
  DrainableConnection get(int index);
}
