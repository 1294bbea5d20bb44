package io.sluice.gateway.mqtt;

import io.sluice.gateway.protocol.Start;
import java.util.List;

/**
 * Subscription of a client that is not connected. Immutable, for any thread.
 *
 * @param filter with the granted QoS
 */
record StoredFilter(MqttPacket.Filter filter, List<Part> parts) {
  private static final int FILTER_BYTES = 128;
  private static final int PART_BYTES = 256;
  private static final int SENT_BYTES = 32;

  /**
   * Part of the session's subscriptions.
   *
   * @param start where the next connection continues
   * @param sent messages behind it that the client has received
   */
  record Part(String pattern, Start start, List<PartPosition.SentBefore> sent) {
    /** Returns a part that begins with the next message. */
    static Part live(String pattern) {
      return new Part(pattern, Start.NOW, List.of());
    }
  }

  /** Returns an estimate of the bytes on the heap. */
  int bytes() {
    int bytes = FILTER_BYTES + 2 * filter.filter().length();
    for (Part each : parts) {
      bytes += PART_BYTES + 2 * each.pattern().length() + SENT_BYTES * each.sent().size();
    }
    return bytes;
  }
}
