package io.sluice.gateway.trace;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Trace context of a message: the JMS string property {@code traceparent} of W3C Trace Context.
 * Immutable, for any thread.
 *
 * @param traceId 32 lower-case hexadecimal digits
 * @param spanId the publisher's span, 16 lower-case hexadecimal digits
 * @param sampled whether the publisher records the trace
 */
public record TraceContext(String traceId, String spanId, boolean sampled) {
  /** Property with version, trace, span and flags. */
  public static final String PARENT = "traceparent";

  /** Property with data of tracing systems, which the node does not interpret. */
  public static final String STATE = "tracestate";

  private static final int MAX_STATE = 512;

  /** Longest value: later versions may append fields. */
  private static final int MAX_PARENT = 128;

  private static final Pattern SYNTAX =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?");
  private static final String ZEROS = "0".repeat(32);

  /** Parses the value of {@link #PARENT}; returns null if it is invalid. */
  public static TraceContext parse(String value) {
    Matcher fields = value.length() > MAX_PARENT ? null : SYNTAX.matcher(value);
    if (fields == null || !fields.matches()) {
      return null;
    }
    String version = fields.group(1);
    String traceId = fields.group(2);
    String spanId = fields.group(3);
    boolean invalid =
        version.equals("ff")
            || version.equals("00") && fields.group(5) != null
            || ZEROS.equals(traceId)
            || ZEROS.startsWith(spanId);
    return invalid ? null : new TraceContext(traceId, spanId, isSampled(fields.group(4)));
  }

  /** Returns 16 hexadecimal digits. */
  static String hex(long id) {
    return HexFormat.of().toHexDigits(id);
  }

  /** Returns the value of {@link #PARENT}. */
  String traceparent() {
    return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
  }

  private static boolean isSampled(String flags) {
    return (Integer.parseInt(flags, 16) & 1) != 0;
  }

  /**
   * Returns whether a property is no trace context, or a valid one. The node forwards no invalid
   * context: the receiver's tracer would otherwise have to discard it.
   */
  public static boolean accepts(String property, Object value) {
    return switch (property) {
      case PARENT -> value instanceof String text && parse(text) != null;
      case STATE -> value instanceof String text && isState(text);
      default -> true;
    };
  }

  /** Returns the names of the properties that are not {@linkplain #accepts accepted}. */
  public static List<String> invalidIn(Map<String, Object> properties) {
    if (properties.isEmpty()) {
      return List.of();
    }
    return Stream.of(PARENT, STATE)
        .filter(name -> properties.containsKey(name) && !accepts(name, properties.get(name)))
        .toList();
  }

  private static boolean isState(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_STATE
        && text.chars().allMatch(c -> c == '\t' || c >= ' ' && c <= '~');
  }
}
