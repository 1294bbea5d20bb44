package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Mapping of topic names and filters to topics and patterns. Stateless, for any thread.
 *
 * <p>A level is mapped letter for letter. Characters that no topic may contain, such as a dot, are
 * written as {@code %} and two hexadecimal digits for each byte of UTF-8, an empty level as {@code
 * %} alone. A {@code %} that would be read as one of these is written as {@code %25}. A {@code +},
 * which no topic name may contain, is {@code %2B} there. Each name returns from its topic
 * unchanged.
 */
final class MqttTopics {
  private static final char ESCAPE = '%';
  private static final String EMPTY_LEVEL = "%";
  private static final String PLUS = "%2B";
  private static final int ESCAPE_CHARS = 3;
  private static final String HEX = "0123456789ABCDEF";
  private static final int MAX_ASCII = 0x7F;

  private MqttTopics() {}

  /** Returns the topic of a topic name without wildcards. */
  static String topic(String name) {
    if (isPlain(name)) {
      return name.replace('/', '.');
    }
    StringBuilder topic = new StringBuilder(name.length() + ESCAPE_CHARS);
    int start = 0;
    while (start <= name.length()) {
      int end = levelEnd(name, '/', start);
      if (start > 0) {
        topic.append('.');
      }
      appendLevel(name.substring(start, end), topic);
      start = end + 1;
    }
    return topic.toString();
  }

  // Most names have only these characters and no empty level.
  private static boolean isPlain(String name) {
    char previous = '/';
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isWord =
          c >= 'a' && c <= 'z'
              || c >= 'A' && c <= 'Z'
              || c >= '0' && c <= '9'
              || c == '-'
              || c == '_'
              || c == '$';
      if (!isWord && (c != '/' || previous == '/')) {
        return false;
      }
      previous = c;
    }
    return previous != '/';
  }

  private static void appendLevel(String level, StringBuilder topic) {
    if (level.isEmpty()) {
      topic.append(EMPTY_LEVEL);
      return;
    }
    if (level.equals(EMPTY_LEVEL)) {
      topic.append("%25");
      return;
    }
    int i = 0;
    while (i < level.length()) {
      int c = level.codePointAt(i);
      if (level.startsWith(PLUS, i)) {
        topic.append('+');
        i += ESCAPE_CHARS;
        continue;
      }
      if (c == ESCAPE ? isEscape(level, i) : isForbidden(c)) {
        appendEscaped(c, topic);
      } else {
        topic.appendCodePoint(c);
      }
      i += Character.charCount(c);
    }
  }

  private static boolean isForbidden(int c) {
    return switch (c) {
      case '.', '*', '>', '#', '/', '\\' -> true;
      default -> Character.isISOControl(c) || Character.isWhitespace(c) || Character.isSpaceChar(c);
    };
  }

  private static void appendEscaped(int codePoint, StringBuilder topic) {
    for (byte each : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
      topic.append(ESCAPE).append(HEX.charAt(each >> 4 & 15)).append(HEX.charAt(each & 15));
    }
  }

  private static boolean isEscape(String level, int at) {
    return at + ESCAPE_CHARS <= level.length()
        && level.charAt(at) == ESCAPE
        && HEX.indexOf(level.charAt(at + 1)) >= 0
        && HEX.indexOf(level.charAt(at + 2)) >= 0;
  }

  private static int levelEnd(String text, char separator, int start) {
    int end = text.indexOf(separator, start);
    return end < 0 ? text.length() : end;
  }

  /** Returns the topic name of a topic. */
  static String name(String topic) {
    if (topic.indexOf(ESCAPE) < 0 && topic.indexOf('+') < 0) {
      return topic.replace('.', '/');
    }
    StringBuilder name = new StringBuilder(topic.length());
    int start = 0;
    while (start <= topic.length()) {
      int end = levelEnd(topic, '.', start);
      if (start > 0) {
        name.append('/');
      }
      String level = topic.substring(start, end);
      if (!level.equals(EMPTY_LEVEL)) {
        appendDecoded(level, name);
      }
      start = end + 1;
    }
    return name.toString();
  }

  /** Returns the filter of a pattern. */
  static String filter(String pattern) {
    return Arrays.stream(pattern.split("\\.", -1))
        .map(each -> each.equals("*") ? "+" : each.equals(">") ? "#" : name(each))
        .collect(Collectors.joining("/"));
  }

  private static void appendDecoded(String level, StringBuilder name) {
    int i = 0;
    while (i < level.length()) {
      char c = level.charAt(i);
      if (c == '+') {
        name.append(PLUS);
        i++;
      } else if (isEscape(level, i)) {
        int end = i;
        while (isEscape(level, end)) {
          end += ESCAPE_CHARS;
        }
        name.append(decoded(level, i, end));
        i = end;
      } else {
        name.append(c);
        i++;
      }
    }
  }

  /** Returns the text of several escapes, or the escapes if they are no text of a topic name. */
  private static String decoded(String level, int from, int to) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = from; i < to; i += ESCAPE_CHARS) {
      bytes.write(HEX.indexOf(level.charAt(i + 1)) << 4 | HEX.indexOf(level.charAt(i + 2)));
    }
    try {
      ByteBuffer utf8 = ByteBuffer.wrap(bytes.toByteArray());
      String text = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
      boolean isName = text.chars().noneMatch(c -> c == 0 || c == '/' || c == '#' || c == '+');
      return isName ? text : level.substring(from, to);
    } catch (CharacterCodingException e) {
      return level.substring(from, to);
    }
  }

  /** Writes the topic name of a topic in UTF-8, and its length before it. */
  static void writeName(String topic, ByteBuf out) {
    int lengthAt = out.writerIndex();
    out.writeShort(0);
    if (!writePlain(topic, out)) {
      out.writerIndex(lengthAt + Short.BYTES);
      ByteBufUtil.writeUtf8(out, name(topic));
    }
    out.setShort(lengthAt, out.writerIndex() - lengthAt - Short.BYTES);
  }

  private static boolean writePlain(String topic, ByteBuf out) {
    for (int i = 0; i < topic.length(); i++) {
      char c = topic.charAt(i);
      if (c > MAX_ASCII || c == ESCAPE || c == '+') {
        return false;
      }
      out.writeByte(c == '.' ? '/' : c);
    }
    return true;
  }

  /**
   * Returns the patterns of a filter: two if it ends with {@code /#}, which also matches its parent
   * level.
   */
  static List<String> patterns(String filter) throws MqttFault {
    if (filter.isEmpty()) {
      throw invalid(filter, "is empty");
    }
    StringBuilder pattern = new StringBuilder(filter.length());
    int start = 0;
    while (start <= filter.length()) {
      int end = levelEnd(filter, '/', start);
      String level = filter.substring(start, end);
      boolean isLast = end == filter.length();
      if (level.equals("#") && isLast) {
        return start == 0 ? List.of(">") : List.of(pattern + ".>", pattern.toString());
      }
      if (level.indexOf('#') >= 0) {
        throw invalid(filter, "has # elsewhere than as its last level");
      }
      if (start > 0) {
        pattern.append('.');
      }
      if (level.equals("+")) {
        pattern.append('*');
      } else if (level.indexOf('+') >= 0) {
        throw invalid(filter, "has + within a level");
      } else {
        appendLevel(level, pattern);
      }
      start = end + 1;
    }
    return List.of(pattern.toString());
  }

  private static MqttFault invalid(String filter, String why) {
    return new MqttFault(MqttReason.TOPIC_FILTER_INVALID, "topic filter \"" + filter + "\" " + why);
  }

  /**
   * Returns whether a pattern must not match a topic: a wildcard at the beginning of a filter
   * matches no name that begins with {@code $}.
   */
  static boolean isHidden(String pattern, String topic) {
    return pattern != null
        && !topic.isEmpty()
        && topic.charAt(0) == '$'
        && (pattern.charAt(0) == '*' || pattern.charAt(0) == '>')
        && (pattern.length() == 1 || pattern.charAt(1) == '.');
  }
}
