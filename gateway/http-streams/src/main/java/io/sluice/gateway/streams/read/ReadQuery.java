package io.sluice.gateway.streams.read;

import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.streams.route.UrlQuery;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Query of a read. Immutable, for any thread.
 *
 * @param place where the read begins
 * @param offset position of the client; null unless the place is {@link Place#OFFSET}
 * @param waits whether the request waits for a message if there is none, or continues as events
 * @param cursor cursor of the client's latest response, or null
 */
record ReadQuery(Place place, String offset, boolean waits, String cursor) {
  /** Places in a topic. */
  enum Place {
    /** The oldest message that the node has. */
    BEGIN,
    /** Behind the newest message. */
    TAIL,
    /** Behind a position that a response has named. */
    OFFSET
  }

  /** Query for the end of a topic. */
  static final ReadQuery OF_TAIL = new ReadQuery(Place.TAIL, null, false, null);

  private static final String LONG_POLL = "long-poll";
  private static final String EVENTS = "sse";

  /** Characters that need no escaping in a URL. */
  private static final Pattern OFFSET = Pattern.compile("[A-Za-z0-9._~-]{1,512}");

  /** Parses the parameters of a URL. */
  static ReadQuery of(UrlQuery parameters) throws BadFrame {
    String live = single(parameters, "live");
    if (live != null && !live.equals(LONG_POLL) && !live.equals(EVENTS)) {
      throw new BadFrame("\"live\" must be \"long-poll\" or \"sse\", not " + quoted(live));
    }
    String offset = single(parameters, "offset");
    if (offset == null && live != null) {
      throw new BadFrame("\"live\" requires \"offset\"");
    }
    boolean valid = offset == null || OFFSET.matcher(offset).matches();
    if (!valid) {
      throw new BadFrame("\"offset\" must be -1, now or an offset of a response");
    }
    Place place = place(offset);
    return new ReadQuery(
        place, place == Place.OFFSET ? offset : null, live != null, single(parameters, "cursor"));
  }

  private static Place place(String offset) {
    if (offset == null || offset.equals("-1")) {
      return Place.BEGIN;
    }
    return offset.equals("now") ? Place.TAIL : Place.OFFSET;
  }

  private static String single(UrlQuery parameters, String name) throws BadFrame {
    List<String> values = parameters.all(name);
    if (values.size() > 1) {
      throw new BadFrame("\"" + name + "\" must not be repeated");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  private static String quoted(String text) {
    return '"' + BadFrame.shortened(text) + '"';
  }
}
