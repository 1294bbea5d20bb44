package io.sluice.gateway.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Linux tells about a machine in files below {@code /proc}, {@code /sys} and others. A file
 * that is not there, or holds something else, tells nothing. Any thread may ask.
 */
public final class Machine {
  private static final int MOST_BYTES = 64 * 1024;
  private static final Pattern WHITE_SPACE = Pattern.compile("\\s+");

  private final Path root;

  /**
   * @param root the folder that holds {@code proc} and {@code sys}
   */
  public Machine(Path root) {
    this.root = root;
  }

  boolean has(String path) {
    return Files.exists(root.resolve(path));
  }

  /** A file's text, without white space around it. */
  Optional<String> text(String path) {
    byte[] bytes = new byte[MOST_BYTES];
    try (InputStream in = Files.newInputStream(root.resolve(path))) {
      // The kernel answers the first read of a setting only, and Files would ask for one byte.
      int length = in.readNBytes(bytes, 0, MOST_BYTES);
      return Optional.of(new String(bytes, 0, length, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The only number of a file. */
  OptionalLong number(String path) {
    long[] numbers = numbers(path);
    return numbers.length == 1 ? OptionalLong.of(numbers[0]) : OptionalLong.empty();
  }

  /** All numbers of a file; none if there is something else in it. */
  long[] numbers(String path) {
    try {
      return Stream.of(WHITE_SPACE.split(text(path).orElse("x")))
          .mapToLong(Machine::parse)
          .toArray();
    } catch (NumberFormatException e) {
      return new long[0];
    }
  }

  /** The setting of a name such as {@code net.core.somaxconn}. */
  OptionalLong setting(String key) {
    return number(settingPath(key));
  }

  static String settingPath(String key) {
    return "proc/sys/" + key.replace('.', '/');
  }

  /** The first number in the line of a file that begins with a word. */
  OptionalLong lineNumber(String path, String beginning) {
    Pattern line = Pattern.compile("(?m)^" + Pattern.quote(beginning) + "\\s+(\\d+)");
    Matcher found = line.matcher(text(path).orElse(""));
    return found.find() ? OptionalLong.of(parse(found.group(1))) : OptionalLong.empty();
  }

  /** A number; what says that there is no limit, or needs more than 63 bits, is the largest. */
  static long parse(String text) {
    if (text.equals("max") || text.equals("unlimited")) {
      return Long.MAX_VALUE;
    }
    if (text.length() > 18 && text.matches("\\d+")) {
      return Long.MAX_VALUE;
    }
    return Long.parseLong(text);
  }
}
