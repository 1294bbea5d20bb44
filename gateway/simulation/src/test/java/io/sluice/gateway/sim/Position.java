package io.sluice.gateway.sim;

import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Position of a client in a topic: docs/PROTOCOL.md, section 8, "Position". Immutable.
 *
 * @param timeMs 0 before the first proof of delivery
 */
record Position(long epoch, long offset, List<Long> ids, long sinceMs, long timeMs) {
  static final int MAX_IDS = 8;

  /** Maximum number of identities for a source with offsets, one of each partition. */
  static final int MAX_PARTITIONS = 1_024;

  Position at(long newEpoch, long newOffset, List<Long> newIds) {
    return new Position(newEpoch, newOffset, List.copyOf(newIds), sinceMs, timeMs);
  }

  /** Returns this position with another time before which no message is needed. */
  Position since(long newSinceMs) {
    return new Position(epoch, offset, ids, newSinceMs, 0);
  }

  Position caughtUp(long newTimeMs) {
    return new Position(epoch, offset, ids, sinceMs, newTimeMs);
  }

  String json() {
    String known =
        ids.stream()
            .map(id -> '"' + HexFormat.of().toHexDigits(id) + '"')
            .collect(Collectors.joining(","));
    return "{\"epoch\":\"%s\",\"offset\":%d%s,\"since\":%d%s}"
        .formatted(
            HexFormat.of().toHexDigits(epoch),
            offset,
            known.isEmpty() ? "" : ",\"ids\":[" + known + "]",
            sinceMs,
            timeMs == 0 ? "" : ",\"time\":" + timeMs);
  }
}
