package io.sluice.client;

/**
 * Point of a subscription's stream at which messages may be missing.
 *
 * @param topic subscribed topic or pattern
 * @param reason reason of the node such as {@code broker-lost}, or {@code not-recovered}, {@code
 *     snapshot-cut} or {@code unreadable}, which the client detects
 */
public record Gap(String topic, String reason) {
  /** Returns whether the application starts over, because the current state follows. */
  public boolean startsOver() {
    return reason.equals("not-recovered") || reason.equals("snapshot-cut");
  }
}
