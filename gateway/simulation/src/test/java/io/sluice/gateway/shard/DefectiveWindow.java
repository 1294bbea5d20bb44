package io.sluice.gateway.shard;

import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.HashMap;
import java.util.Map;

/** Windows with a defect, for tests that must detect it. */
public final class DefectiveWindow {
  private DefectiveWindow() {}

  /** Returns a window whose end is taken for any message of the stream. */
  public static CompressionWindow ignoringMissedMessages() {
    return new CompressionWindow() {
      private StreamTraffic stream;

      @Override
      boolean endsWith(StreamTraffic of, long at) {
        return stream == of;
      }

      @Override
      void endAt(StreamTraffic of, long at) {
        stream = of;
      }

      @Override
      void forget() {
        stream = null;
      }
    };
  }

  /** Returns a window whose end is independent for each stream. */
  public static CompressionWindow ignoringOtherStreams() {
    return new CompressionWindow() {
      private final Map<StreamTraffic, Long> ends = new HashMap<>();

      @Override
      boolean endsWith(StreamTraffic of, long at) {
        return ends.getOrDefault(of, -1L) == at;
      }

      @Override
      void endAt(StreamTraffic of, long at) {
        ends.put(of, at);
      }

      @Override
      void forget() {
        ends.clear();
      }
    };
  }
}
