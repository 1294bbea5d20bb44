package io.sluice.gateway.query;

/**
 * Number of a node's interests. Immutable, for any thread.
 *
 * @param max the node's limit
 */
public record TopicLoad(int topics, int max) {
  /** Returns whether a further topic is rejected. */
  public boolean isFull() {
    return topics >= max;
  }
}
