package io.sluice.gateway.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Configuration key with its type, default, bounds and meaning. Immutable, for any thread.
 *
 * @param key the dotted, kebab-case name
 * @param type the type of its values; null for an internal setting
 * @param defaultValue value if the key is absent; null if there is no default
 * @param minimum the smallest value, in bytes or milliseconds if applicable
 * @param maximum the largest value, or the largest number of characters, elements or entries
 * @param choices the allowed texts; empty if all are allowed
 * @param meaning one sentence for docs/CONFIGURATION.md
 */
public record Setting<T>(
    String key,
    Type<T> type,
    T defaultValue,
    long minimum,
    long maximum,
    List<String> choices,
    String meaning) {

  private static final Pattern SECRET = Pattern.compile("(^|[.-])(token|secret|password)$");

  /** Maximum number of characters of a text. */
  static final long MAX_TEXT_LENGTH = 4096;

  /** Type of a setting's values. Immutable, for any thread. */
  public static final class Type<T> {
    static final Type<String> TEXT = new Type<>("text");
    static final Type<Integer> INTEGER = new Type<>("whole number");
    static final Type<Double> RATIO = new Type<>("number from 0 to 1");
    static final Type<Boolean> FLAG = new Type<>("true or false");
    static final Type<Duration> DURATION = new Type<>("duration (ms, s, m, h)");
    static final Type<Long> BYTES = new Type<>("size (B, KiB, MiB, GiB)");
    static final Type<List<String>> LIST = new Type<>("list of texts");
    static final Type<Map<String, String>> MAP = new Type<>("map of texts");
    static final Type<List<PermissionRule>> RULES = new Type<>("list of rules");

    private final String name;

    private Type(String name) {
      this.name = name;
    }

    /** Returns the name used in the documentation. */
    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns a setting that files cannot set, but tests and programs that embed a node can. */
  static <T> Setting<T> internal(String key, T value) {
    return new Setting<>(key, null, value, 0, 0, List.of(), "");
  }

  /** Returns whether the value must not be shown. */
  boolean isSecret() {
    return SECRET.matcher(key).find();
  }

  /** Returns whether configuration files cannot set this setting. */
  boolean isInternal() {
    return type == null;
  }

  static Setting<String> text(String key, String defaultValue, String meaning) {
    return new Setting<>(key, Type.TEXT, defaultValue, 0, MAX_TEXT_LENGTH, List.of(), meaning);
  }

  static Setting<String> choice(
      String key, String defaultValue, List<String> choices, String meaning) {
    return new Setting<>(key, Type.TEXT, defaultValue, 0, MAX_TEXT_LENGTH, choices, meaning);
  }

  static Setting<Integer> integer(
      String key, int defaultValue, int minimum, int maximum, String meaning) {
    return new Setting<>(key, Type.INTEGER, defaultValue, minimum, maximum, List.of(), meaning);
  }

  static Setting<Double> ratio(String key, double defaultValue, String meaning) {
    return new Setting<>(key, Type.RATIO, defaultValue, 0, 1, List.of(), meaning);
  }

  static Setting<Boolean> flag(String key, boolean defaultValue, String meaning) {
    return new Setting<>(key, Type.FLAG, defaultValue, 0, 1, List.of(), meaning);
  }

  static Setting<Duration> duration(
      String key, Duration defaultValue, Duration minimum, Duration maximum, String meaning) {
    return new Setting<>(
        key,
        Type.DURATION,
        defaultValue,
        minimum.toMillis(),
        maximum.toMillis(),
        List.of(),
        meaning);
  }

  static Setting<Long> bytes(
      String key, long defaultValue, long minimum, long maximum, String meaning) {
    return new Setting<>(key, Type.BYTES, defaultValue, minimum, maximum, List.of(), meaning);
  }

  static Setting<List<String>> list(String key, List<String> defaultValue, String meaning) {
    return new Setting<>(key, Type.LIST, defaultValue, 0, 1000, List.of(), meaning);
  }

  static Setting<Map<String, String>> map(String key, String meaning) {
    return new Setting<>(key, Type.MAP, Map.of(), 0, 1000, List.of(), meaning);
  }

  static Setting<List<PermissionRule>> rules(String key, String meaning) {
    return new Setting<>(key, Type.RULES, List.of(), 0, 1000, List.of(), meaning);
  }
}
