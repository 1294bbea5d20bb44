package io.sluice.gateway.protocol;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Position of a client as one text, for protocols whose clients store only that: epoch, offset,
 * identity and time of the latest message, in hexadecimal digits. Within an epoch, texts are
 * ordered like the messages. Stateless, for any thread.
 */
public final class PositionText {
  /** Maximum characters of a position. */
  public static final int MAX_LENGTH = 25 + 5 + 5 * 16;

  /**
   * Time for which a client counts as subscribed before its latest message. It must exceed {@code
   * resume.margin} and any lag that a recovered position can have.
   */
  private static final long SUBSCRIBED_MS = 60_000;

  private static final String DIGITS = "[0-9a-f]{16}";
  private static final Pattern TEXT =
      Pattern.compile(
          "("
              + DIGITS
              + ")(?:\\.([0-9a-f]{8}))?-("
              + DIGITS
              + ")(?:-("
              + DIGITS
              + ")-("
              + DIGITS
              + "))?(?:_("
              + DIGITS
              + ")_("
              + DIGITS
              + "))?");

  private PositionText() {}

  /** Returns the position of a client whose latest message this is. */
  public static String of(Channel channel, long offset, Message latest) {
    return of(channel.epoch(), offset) + '-' + hex(latest.identity()) + '-' + hex(latest.timeMs());
  }

  /** Returns the position of a client that has received no message since it subscribed. */
  public static String of(String epoch, long offset) {
    return epoch + '-' + hex(offset);
  }

  /**
   * Returns the position of a client that has received the time up to which it is caught up.
   *
   * @param sinceMs time since which it has everything, or reports of gaps
   * @param provenMs time of the latest {@code caught-up}
   */
  public static String of(String epoch, long offset, long sinceMs, long provenMs) {
    return of(epoch, offset) + '_' + hex(sinceMs) + '_' + hex(provenMs);
  }

  private static String hex(long value) {
    return HexFormat.of().toHexDigits(value);
  }

  /** Returns the position, or null if the text is none. */
  public static Start.Position parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (text.length() > MAX_LENGTH || !parts.matches()) {
      return null;
    }
    Site site =
        parts.group(2) == null ? Site.UNNAMED : new Site(HexFormat.fromHexDigits(parts.group(2)));
    boolean hasMessage = parts.group(4) != null;
    boolean isProven = parts.group(6) != null;
    long messageMs = hasMessage ? number(parts.group(5)) : 0;
    return new Start.Position(
        number(parts.group(1)),
        site,
        number(parts.group(3)),
        hasMessage ? new long[] {number(parts.group(4))} : new long[0],
        isProven ? number(parts.group(6)) : Math.max(0, messageMs - SUBSCRIBED_MS),
        isProven ? number(parts.group(7)) : 0);
  }

  private static long number(String digits) {
    return HexFormat.fromHexDigitsToLong(digits);
  }
}
