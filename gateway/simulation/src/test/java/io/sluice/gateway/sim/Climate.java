package io.sluice.gateway.sim;

/** Severity of the simulated faults. The same seed yields another world in each climate. */
enum Climate {
  /** Fast readers and small messages; the oldest kept seeds belong here. */
  MILD,
  /** Slow readers, short logs, bursts, message keys, warm patterns and refusals. */
  HARSH,
  /**
   * Consumers with a backlog, as behind a throttled link or a slow listener, and sequencers beyond
   * their capacity.
   */
  OVERLOADED
}
