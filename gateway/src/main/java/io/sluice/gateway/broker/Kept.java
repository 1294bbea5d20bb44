package io.sluice.gateway.broker;

/**
 * What the broker still had when the node came back to it. Immutable, for any thread.
 *
 * @param store whether it kept the node's durable subscription, with every persistent message
 * @param memory whether it also kept what publishers sent without persistence: it has not been
 *     restarted
 */
public record Kept(boolean store, boolean memory) {
  /** Everything. */
  public static final Kept ALL = new Kept(true, true);

  /** Nothing of before. */
  public static final Kept NOTHING = new Kept(false, false);
}
