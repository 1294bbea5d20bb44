package io.sluice.gateway.broker.nats;

import io.nats.client.impl.Headers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time to live of a stored message, in its header {@code Nats-TTL}. Stateless, for any thread. */
final class MessageTtl {
  static final String HEADER = "Nats-TTL";

  /** Time to live of a message that does not expire. */
  static final long NONE = 0;

  private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");
  private static final Pattern PARTS = Pattern.compile("(?:\\d{1,9}(?:\\.\\d{1,9})?(?:h|ms|m|s))+");
  private static final Pattern PART = Pattern.compile("([\\d.]+)(h|ms|m|s)");

  private MessageTtl() {}

  /**
   * Returns the time to live in milliseconds: seconds, or a duration such as {@code 1h30m}.
   *
   * @param headers may be null
   * @return {@link #NONE} also for {@code never} and for text that the server would refuse
   */
  static long ms(Headers headers) {
    String text = headers == null ? null : headers.getFirst(HEADER);
    if (text == null) {
      return NONE;
    }
    if (SECONDS.matcher(text).matches()) {
      return Long.parseLong(text) * 1_000;
    }
    long ms = NONE;
    if (PARTS.matcher(text).matches()) {
      for (Matcher part = PART.matcher(text); part.find(); ) {
        ms += (long) (Double.parseDouble(part.group(1)) * unitMs(part.group(2)));
      }
    }
    return ms;
  }

  private static long unitMs(String unit) {
    return switch (unit) {
      case "h" -> 3_600_000;
      case "m" -> 60_000;
      case "s" -> 1_000;
      default -> 1;
    };
  }
}
