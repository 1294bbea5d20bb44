package io.sluice.cluster;

/**
 * How soon the engine notices what. Immutable, for any thread.
 *
 * @param heartbeatMs each node says that it lives, to each other one, unless it says something else
 * @param silenceMs after which a node is taken for dead whose connections still stand
 * @param verifyMs it is asked once more, and has this long for an answer
 * @param mergeMs parts that were apart look for each other that often, up to twice as long
 * @param joinMs the first search for others, and each wait for the answer of one
 */
record Timing(long heartbeatMs, long silenceMs, long verifyMs, long mergeMs, long joinMs) {
  static final Timing DEFAULT = new Timing(5_000, 20_000, 1_500, 10_000, 4_000);
}
