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
 * Linux machine, described by files below {@code /proc}, {@code /sys} and others. For any thread.
 * Missing files and files with other content yield empty results.
 */
public final class Machine {
  private static final int MAX_BYTES = 64 * 1024;
  private static final Pattern WHITE_SPACE = Pattern.compile("\\s+");

  private final Path root;

  /**
   * @param root the folder with {@code proc} and {@code sys}
   */
  public Machine(Path root) {
    this.root = root;
  }

  boolean has(String path) {
    return Files.exists(root.resolve(path));
  }

  /** Returns a file's text without surrounding white space. */
  Optional<String> text(String path) {
    byte[] bytes = new byte[MAX_BYTES];
    try (InputStream in = Files.newInputStream(root.resolve(path))) {
      // The kernel returns a setting in the first read only, and Files would first read one byte.
      int length = in.readNBytes(bytes, 0, MAX_BYTES);
      return Optional.of(new String(bytes, 0, length, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the only number of a file. */
  OptionalLong number(String path) {
    long[] numbers = numbers(path);
    return numbers.length == 1 ? OptionalLong.of(numbers[0]) : OptionalLong.empty();
  }

  /** Returns all numbers of a file; none if it has other content. */
  long[] numbers(String path) {
    try {
      return Stream.of(WHITE_SPACE.split(text(path).orElse("x")))
          .mapToLong(Machine::parse)
          .toArray();
    } catch (NumberFormatException e) {
      return new long[0];
    }
  }

  /** Returns a kernel setting, such as {@code net.core.somaxconn}. */
  OptionalLong setting(String key) {
    return number(settingPath(key));
  }

  static String settingPath(String key) {
    return "proc/sys/" + key.replace('.', '/');
  }

  /** Returns the first number in the line of a file that starts with a text. */
  OptionalLong lineNumber(String path, String beginning) {
    Pattern line = Pattern.compile("(?m)^" + Pattern.quote(beginning) + "\\s+(\\d+)");
    Matcher found = line.matcher(text(path).orElse(""));
    return found.find() ? OptionalLong.of(parse(found.group(1))) : OptionalLong.empty();
  }

  /** Parses a number; "no limit" and numbers above 63 bits become {@code Long.MAX_VALUE}. */
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
