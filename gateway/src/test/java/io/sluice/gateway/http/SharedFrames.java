package io.sluice.gateway.http;

import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ServerFrame;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Content of frames that the clients of one encoding received, with identical bytes. For any
 * thread.
 */
final class SharedFrames {
  private record Place(Encoding encoding, String subscription, long offset) {}

  private final Map<Place, Long> sums = new ConcurrentHashMap<>();

  /** Fails unless all clients received the same bytes for this message. */
  void compare(Encoding encoding, String subscription, long offset, ServerFrame frame) {
    CRC32 sum = new CRC32();
    sum.update(frame.payload());
    Place place = new Place(encoding, subscription, offset);
    Long other = sums.putIfAbsent(place, sum.getValue());
    if (other != null && other != sum.getValue()) {
      throw new AssertionError("another client received other bytes: " + place);
    }
  }
}
