package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.link.SimulatedLinks;
import io.sluice.gateway.protocol.InterestKey;

/** A leaf's link to a root, and its faults. */
final class LeafLink implements NodeLink {
  private static final long TIMEOUT = 15 * Plan.SECOND;

  private final Timeline timeline;
  private final SeededRandom random;
  private final SimulatedLinks links;

  LeafLink(Timeline timeline, SeededRandom random, SimulatedLinks links) {
    this.timeline = timeline;
    this.random = random;
    this.links = links;
  }

  /** Returns the place from which the leaf has the log of an interest, or null. */
  StreamPlace base(InterestKey key) {
    return links.base(key);
  }

  /** Cuts the link if it is one to a root that has ended. */
  void onEnded(SimulatedNode root) {
    links.onEnded(root);
  }

  /** Removes the limits of the link. */
  void widen() {
    links.widen();
  }

  @Override
  public boolean isUp() {
    return links.isUp();
  }

  @Override
  public void lose() {
    links.cut(random.mostlySmall(2 * Plan.SECOND), random.mostlySmall(2 * Plan.SECOND));
  }

  @Override
  public void becomeHalfOpen() {
    links.cut(TIMEOUT, TIMEOUT);
  }

  @Override
  public void stall() {
    links.stallUntil(timeline.nowMicros() + random.between(0, 2 * Plan.SECOND));
  }

  @Override
  public void fallBehind() {
    links.stallUntil(timeline.nowMicros() + random.between(0, 10 * Plan.SECOND));
  }

  @Override
  public void stop() {
    links.stop();
  }

  @Override
  public void onBrokerRestart() {
    // its root has the connection
  }

  @Override
  public void route(Published message, long maxMicros) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void bind(LateBinding.Bound sent) {
    throw new UnsupportedOperationException();
  }
}
