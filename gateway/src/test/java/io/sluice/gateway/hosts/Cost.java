package io.sluice.gateway.hosts;

/**
 * Resources that a node has used, and its work. Immutable.
 *
 * @param ns time of the measurement
 * @param cpuSeconds processor time
 * @param frames number of frames sent
 */
record Cost(long ns, double cpuSeconds, double frames) {
  private static final String FRAMES = "sluice_frames_out_total";

  /** Returns the values since the start of the node. */
  static Cost of(HostedNode node) {
    double frames = node.metric(FRAMES);
    return new Cost(System.nanoTime(), node.cpuSeconds(), frames);
  }

  /** Returns the processor time per frame since then, in µs. */
  double microsSince(Cost before) {
    return (cpuSeconds - before.cpuSeconds) / (frames - before.frames) * 1e6;
  }

  /** Returns the frames per second since then. */
  double rateSince(Cost before) {
    return (frames - before.frames) * 1e9 / (ns - before.ns);
  }
}
