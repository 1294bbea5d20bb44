package io.sluice.gateway.handshake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Head of a request that can be a WebSocket upgrade, by a strict subset of HTTP/1.1 (RFC 9112).
 * Immutable, for any thread.
 *
 * <p>Every HTTP parser reads the subset in the same way: the method GET, printable ASCII
 * characters, and lines that end with CR LF. The request has no body, and its connection persists.
 */
public final class UpgradeHead {
  public static final String METHOD = "GET";
  public static final String VERSION = "HTTP/1.1";

  private static final byte[] BEGIN = "GET /".getBytes(ISO_8859_1);
  private static final byte[] LINE_END = " HTTP/1.1\r\n".getBytes(ISO_8859_1);

  /** Maximum number of header lines; browsers send about 15. */
  private static final int MAX_LINES = 32;

  /** Headers that announce a body or change how the request is read. */
  private static final List<String> EXCLUDED =
      List.of("content-length", "transfer-encoding", "expect", "trailer", "te", "http2-settings");

  private final byte[] bytes;
  private String text;
  private int index;
  private int targetEnd;

  /** Begin and end of the name and of the value of each line. */
  private int[] lines = new int[16 * 4];

  private int count;

  private UpgradeHead(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns the head at the beginning of received bytes; null if it is incomplete, longer than a
   * limit or not of the subset.
   */
  public static UpgradeHead parse(ByteBuf received, int maxBytes) {
    byte[] bytes = new byte[Math.min(received.readableBytes(), maxBytes)];
    received.getBytes(received.readerIndex(), bytes);
    UpgradeHead head = new UpgradeHead(bytes);
    return head.readRequestLine() && head.readLines() ? head.complete() : null;
  }

  private boolean readRequestLine() {
    if (!take(BEGIN)) {
      return false;
    }
    while (index < bytes.length
        && bytes[index] > ' '
        && bytes[index] < 0x7F
        && bytes[index] != '#') {
      index++;
    }
    targetEnd = index;
    return take(LINE_END);
  }

  private boolean take(byte[] expected) {
    int end = index + expected.length;
    if (end > bytes.length || !Arrays.equals(bytes, index, end, expected, 0, expected.length)) {
      return false;
    }
    index = end;
    return true;
  }

  private boolean readLines() {
    while (!isLineEnd()) {
      if (count == MAX_LINES || !readLine()) {
        return false;
      }
    }
    index += 2;
    return true;
  }

  private boolean isLineEnd() {
    return index + 1 < bytes.length && bytes[index] == '\r' && bytes[index + 1] == '\n';
  }

  private boolean readLine() {
    int nameBegin = index;
    while (index < bytes.length && ExtensionOffers.isTokenCharacter((char) bytes[index])) {
      index++;
    }
    int nameEnd = index;
    if (nameEnd == nameBegin || index == bytes.length || bytes[index++] != ':') {
      return false;
    }
    skipSpace();
    int valueBegin = index;
    while (index < bytes.length && isValueCharacter(bytes[index])) {
      index++;
    }
    if (!isLineEnd()) {
      return false;
    }
    add(nameBegin, nameEnd, valueBegin, withoutSpace(valueBegin, index));
    index += 2;
    return true;
  }

  private void skipSpace() {
    while (index < bytes.length && (bytes[index] == ' ' || bytes[index] == '\t')) {
      index++;
    }
  }

  private int withoutSpace(int begin, int end) {
    int last = end;
    while (last > begin && (bytes[last - 1] == ' ' || bytes[last - 1] == '\t')) {
      last--;
    }
    return last;
  }

  private static boolean isValueCharacter(byte character) {
    return character >= ' ' && character < 0x7F || character == '\t';
  }

  private void add(int nameBegin, int nameEnd, int valueBegin, int valueEnd) {
    int at = count++ * 4;
    if (at == lines.length) {
      lines = Arrays.copyOf(lines, MAX_LINES * 4);
    }
    lines[at] = nameBegin;
    lines[at + 1] = nameEnd;
    lines[at + 2] = valueBegin;
    lines[at + 3] = valueEnd;
  }

  /** Returns this head, or null if a header excludes it. */
  private UpgradeHead complete() {
    text = new String(bytes, 0, index, ISO_8859_1);
    for (int i = 0; i < count; i++) {
      if (isExcluded(i)) {
        return null;
      }
    }
    return this;
  }

  private boolean isExcluded(int line) {
    for (String name : EXCLUDED) {
      if (isNamed(line, name)) {
        return true;
      }
    }
    return isNamed(line, "connection") && value(line).toLowerCase(Locale.ROOT).contains("close");
  }

  private boolean isNamed(int line, String name) {
    int begin = lines[line * 4];
    return lines[line * 4 + 1] - begin == name.length()
        && text.regionMatches(true, begin, name, 0, name.length());
  }

  private String value(int line) {
    return text.substring(lines[line * 4 + 2], lines[line * 4 + 3]);
  }

  /** Returns the number of bytes, including the empty line at the end. */
  public int length() {
    return index;
  }

  /** Returns whether the path of the target has this value. */
  public boolean hasPath(String path) {
    int begin = BEGIN.length - 1;
    int end = begin + path.length();
    return text.startsWith(path, begin)
        && (end == targetEnd || end < targetEnd && bytes[end] == '?');
  }

  /** Returns the query of the target, or null. */
  public String query() {
    int mark = text.indexOf('?');
    return mark < 0 || mark >= targetEnd ? null : text.substring(mark + 1, targetEnd);
  }

  /** Returns the values of all lines of a header, by its name in any case. */
  public List<String> headers(String name) {
    List<String> values = List.of();
    for (int i = 0; i < count; i++) {
      if (isNamed(i, name)) {
        values = values.isEmpty() ? List.of(value(i)) : with(values, value(i));
      }
    }
    return values;
  }

  private static List<String> with(List<String> values, String another) {
    List<String> more = new ArrayList<>(values);
    more.add(another);
    return more;
  }
}
