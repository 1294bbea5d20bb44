package io.sluice.gateway.hosts;

/**
 * What a node has used and done until some moment. Immutable.
 *
 * @param ns when
 * @param cpuSeconds processor time
 * @param frames that it has sent
 */
record Cost(long ns, double cpuSeconds, double frames) {
  private static final String FRAMES = "sluice_frames_out_total";

  /** Until now. */
  static Cost of(HostedNode node) {
    double frames = node.metric(FRAMES);
    return new Cost(System.nanoTime(), node.cpuSeconds(), frames);
  }

  /** Processor time a frame since then, in µs. */
  double microsSince(Cost before) {
    return (cpuSeconds - before.cpuSeconds) / (frames - before.frames) * 1e6;
  }

  /** Frames a second since then. */
  double rateSince(Cost before) {
    return (frames - before.frames) * 1e9 / (ns - before.ns);
  }
}
