package io.sluice.gateway.protocol.parser;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import java.io.IOException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parser of a subscription's start and delivery mode. Stateless, for any thread. */
final class SubscribeMembers {
  private static final Pattern EPOCH = Pattern.compile("([0-9a-fA-F]{16})(?:\\.([0-9a-fA-F]{8}))?");
  private static final int MAX_LAST = 1_000_000;

  /** Number of identities of a client, unless the source has many partitions; a power of two. */
  private static final int USUAL_IDS = 16;

  private static final int MAX_IDS = 1_024;
  private static final double MIN_RATE = 0.001;
  private static final double MAX_RATE = 1_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private SubscribeMembers() {}

  static Start from(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      return new FromObject().read(parser);
    }
    String name = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
    return switch (name) {
      case "now" -> Start.NOW;
      case "snapshot" -> Start.SNAPSHOT;
      default ->
          throw new BadFrame("\"from\" must be \"now\", \"snapshot\", {\"last\":n} or a position");
    };
  }

  static boolean latest(JsonParser parser) throws IOException {
    String name = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
    return switch (name) {
      case "all" -> false;
      case "latest" -> true;
      default -> throw new BadFrame("\"delivery\" must be \"all\" or \"latest\"");
    };
  }

  /**
   * Returns a JMS selector, which only the broker validates. Blank is text that a JMS client would
   * treat like no selector; it trims control characters, too.
   */
  static String where(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING || isBlank(parser.getText())) {
      throw new BadFrame("\"where\" must be a string that is not blank");
    }
    return BadFrame.string(parser, "where");
  }

  private static boolean isBlank(String text) {
    return text.isBlank() || text.trim().isEmpty();
  }

  /** Returns the minimum time between two messages, in nanoseconds. */
  static long intervalNs(JsonParser parser) throws IOException {
    double rate = parser.currentToken().isNumeric() ? parser.getDoubleValue() : Double.NaN;
    if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
      throw new BadFrame("\"rate\" must be a number from 0.001 to 1000");
    }
    return (long) (NANOS_PER_SECOND / rate);
  }

  /** Members of a {@code from} object. */
  private static final class FromObject {
    private int last;
    private boolean hasEpoch;
    private long epoch;
    private Site site;
    private long offset = -1;
    private long[] ids = {};
    private long sinceMs;
    private long timeMs;

    Start read(JsonParser parser) throws IOException {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        switch (name) {
          case "last" -> last = (int) whole(parser, "from.last", 1, MAX_LAST);
          case "epoch" -> {
            readEpoch(parser);
          }
          case "offset" -> offset = whole(parser, "from.offset", 0, BadFrame.MAX_EXACT);
          case "ids" -> ids = ids(parser);
          case "since" -> sinceMs = whole(parser, "from.since", 0, BadFrame.MAX_EXACT);
          case "time" -> timeMs = whole(parser, "from.time", 0, BadFrame.MAX_EXACT);
          default -> parser.skipChildren();
        }
      }
      return start();
    }

    private void readEpoch(JsonParser parser) throws IOException {
      Matcher text =
          EPOCH.matcher(parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "");
      if (!text.matches()) {
        throw new BadFrame("\"from.epoch\" is not an epoch of a node");
      }
      epoch = Long.parseUnsignedLong(text.group(1), 16);
      String mark = text.group(2);
      site = mark == null ? Site.UNNAMED : new Site(Integer.parseUnsignedInt(mark, 16));
      hasEpoch = true;
    }

    private Start start() throws BadFrame {
      boolean position = hasEpoch && offset >= 0;
      if (last > 0 == position) {
        throw new BadFrame("\"from\" must have either \"last\" or \"epoch\" and \"offset\"");
      }
      return position
          ? new Start.Position(epoch, site, offset, ids, sinceMs, timeMs)
          : new Start.Last(last);
    }

    private static long[] ids(JsonParser parser) throws IOException {
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw new BadFrame("\"from.ids\" must be an array");
      }
      long[] found = new long[USUAL_IDS];
      int count = 0;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (count == MAX_IDS) {
          throw new BadFrame("\"from.ids\" has more than " + MAX_IDS);
        }
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = identity(parser, "from.ids");
      }
      return Arrays.copyOf(found, count);
    }

    private static long identity(JsonParser parser, String name) throws IOException {
      String text = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
      if (!text.matches("[0-9a-fA-F]{16}")) {
        throw new BadFrame("\"" + name + "\" must be 16 hexadecimal digits");
      }
      return Long.parseUnsignedLong(text, 16);
    }

    private static long whole(JsonParser parser, String name, long min, long max)
        throws IOException {
      if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
          || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
          || parser.getLongValue() < min
          || parser.getLongValue() > max) {
        throw new BadFrame("\"" + name + "\" must be a whole number from " + min + " to " + max);
      }
      return parser.getLongValue();
    }
  }
}
