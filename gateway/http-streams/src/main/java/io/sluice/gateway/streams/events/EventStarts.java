package io.sluice.gateway.streams.events;

import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Starts of the topics of a stream: the same for all, or the positions of each. Immutable, for any
 * thread.
 *
 * <p>The id of a stream with one topic is a position. With several topics it is a list of
 * positions, each after the checksum of its topic: {@code
 * 1a2b3c4d=POSITION,5e6f7a8b=POSITION,T=TIME}. A position of another topic, as after a collision of
 * checksums, is evaluated like any that no log contains.
 */
final class EventStarts {
  /** Name of the time up to which the client has everything, among the positions. */
  static final String TIME = "T";

  private static final String BEGINNING = "-1";
  private static final Pattern CHECKSUM = Pattern.compile("[0-9a-f]{1,8}");
  private static final int MAX_LAST = 1_000_000;
  private static final char SEPARATOR = ',';
  private static final char EQUALS = '=';

  /** Start of topics without a position. */
  private final Start other;

  /** True if messages may be missing before the start of such topics. */
  private final boolean isLost;

  private final Map<String, Start> positions;

  /** The id that contains the positions; null without one. */
  private final String id;

  private EventStarts(Start other, boolean isLost, Map<String, Start> positions, String id) {
    this.other = other;
    this.isLost = isLost;
    this.positions = positions;
    this.id = id;
  }

  /** Returns the starts of a header, which has an unknown position if it is malformed. */
  static EventStarts ofLastEventId(String id) {
    EventStarts starts = ofPositions(id);
    return starts == null ? new EventStarts(Start.SNAPSHOT, true, Map.of(), null) : starts;
  }

  /** Returns the starts of the parameter {@code offset}, or null if it is malformed. */
  static EventStarts ofOffset(String offset) {
    return switch (offset) {
      case "now" -> ofAll(Start.NOW);
      case "snapshot" -> ofAll(Start.SNAPSHOT);
      case BEGINNING -> ofAll(new Start.Last(MAX_LAST));
      default -> ofPositions(offset);
    };
  }

  private static EventStarts ofAll(Start start) {
    return new EventStarts(start, false, Map.of(), null);
  }

  /** Returns null if the text is malformed. */
  private static EventStarts ofPositions(String text) {
    if (text.indexOf(EQUALS) < 0) {
      Start.Position only = PositionText.parse(text);
      return only == null ? null : new EventStarts(only, false, Map.of(), text);
    }
    int timeAt = text.lastIndexOf(SEPARATOR) + 1;
    long timeMs = timeMs(text.substring(timeAt));
    if (timeMs < 0) {
      return null;
    }
    Map<String, Start> positions = new HashMap<>();
    for (String entry : text.substring(0, timeAt).split(String.valueOf(SEPARATOR))) {
      int equals = entry.indexOf(EQUALS);
      Start.Position position = equals < 0 ? null : PositionText.parse(entry.substring(equals + 1));
      if (position == null || !CHECKSUM.matcher(entry.substring(0, equals)).matches()) {
        return null;
      }
      positions.put(entry.substring(0, equals), at(position, timeMs));
    }
    // A topic without a position had no answer yet.
    return positions.isEmpty() ? null : new EventStarts(Start.NOW, false, positions, text);
  }

  private static long timeMs(String entry) {
    boolean isTime = entry.matches(TIME + EQUALS + "[0-9]{1,15}");
    return isTime ? Long.parseLong(entry.substring(TIME.length() + 1)) : -1;
  }

  private static Start.Position at(Start.Position position, long timeMs) {
    return new Start.Position(
        position.epoch(),
        position.site(),
        position.offset(),
        position.ids(),
        position.sinceMs(),
        timeMs);
  }

  /** Returns the start of a topic. */
  Start of(String topic) {
    return positions.getOrDefault(checksum(topic), other);
  }

  /** Returns the id of the client's latest event, or null. */
  String id() {
    return id;
  }

  /** Returns whether the stream has an unknown position, so that messages may be missing. */
  boolean isLost() {
    return isLost;
  }

  /** Returns the checksum of a topic in ids of streams with several topics. */
  static String checksum(String topic) {
    CRC32 sum = new CRC32();
    sum.update(topic.getBytes(StandardCharsets.UTF_8));
    return Integer.toHexString((int) sum.getValue());
  }
}
