package io.sluice.gateway.sim;

/** How hard the worlds of a run are. The same seed has another world in each. */
enum Climate {
  /** Clients that read as fast as they can, small messages; what the oldest kept seeds need. */
  MILD,
  /** Clients that read slowly, logs that forget fast, bursts, keys, warm patterns, refusals. */
  HARSH,
  /**
   * Consumers with a backlog, as behind a throttled link or a slow listener, and sequencers beyond
   * their capacity.
   */
  OVERLOADED
}
