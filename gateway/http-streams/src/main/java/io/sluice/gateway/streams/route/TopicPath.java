package io.sluice.gateway.streams.route;

/**
 * Path of a topic or queue, such as {@code /topics/stocks.7}. The name is one percent-encoded
 * segment and not validated. Stateless, for any thread.
 */
public final class TopicPath {
  /** Path of the topics. */
  public static final String TOPICS = "/topics";

  /** Path of the queues. */
  public static final String QUEUES = "/queues";

  private TopicPath() {}

  /** Returns whether a path is that of the base, or below it. */
  public static boolean isBelow(String base, String path) {
    return path.startsWith(base)
        && (path.length() == base.length() || path.charAt(base.length()) == '/');
  }

  /**
   * Returns the name in a path below a base. Empty if the path has none; null if the name is
   * malformed or has several segments.
   */
  public static String name(String base, String path) {
    if (path.length() <= base.length() + 1) {
      return "";
    }
    String segment = path.substring(base.length() + 1);
    return segment.indexOf('/') >= 0 ? null : UrlText.decode(segment, false);
  }
}
