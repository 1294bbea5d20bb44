package io.sluice.gateway.config;

import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.Setting.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parser and formatter of configuration values. Stateless, for any thread. */
public final class ValueText {
  private static final Pattern QUANTITY = Pattern.compile("(\\d+)\\s*([A-Za-z]*)");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?\\d+");
  private static final Pattern RATIO = Pattern.compile("\\d(\\.\\d{1,9})?");
  private static final Map<String, Long> MILLIS =
      units(List.of("ms", "s", "m", "h"), List.of(1L, 1_000L, 60_000L, 3_600_000L));
  private static final Map<String, Long> BYTES =
      units(List.of("B", "KiB", "MiB", "GiB"), List.of(1L, 1L << 10, 1L << 20, 1L << 30));
  private static final Pattern REFERENCE =
      Pattern.compile("(\\$?)\\$\\{(?:([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\\})?");
  private static final int MAX_QUOTE_LENGTH = 80;

  /** Result of parsing a text: a value valid for its setting, or the problem. */
  sealed interface Reading {
    record Value(Object value) implements Reading {}

    record Wrong(String what) implements Reading {}
  }

  private ValueText() {}

  /**
   * Replaces references to environment variables: <code>${NAME}</code>, <code>${NAME:-default}
   * </code>, and <code>$${</code> for a literal <code>${</code>.
   *
   * @param variables name of a variable to its value or null
   * @return the complete text, or the problem
   */
  static Reading substitute(String text, UnaryOperator<String> variables) {
    StringBuilder filled = new StringBuilder();
    Matcher reference = REFERENCE.matcher(text);
    int end = 0;
    while (reference.find(end)) {
      filled.append(text, end, reference.start());
      if (!reference.group(1).isEmpty()) {
        filled.append("${");
        end = reference.start() + "$${".length();
        continue;
      }
      if (reference.group(2) == null) {
        return new Reading.Wrong("contains a variable reference that is not of the form ${NAME}");
      }
      String value = variable(reference.group(2), reference.group(3), variables);
      if (value == null) {
        return new Reading.Wrong(
            "uses the environment variable " + reference.group(2) + ", which is not set");
      }
      filled.append(value);
      end = reference.end();
    }
    return new Reading.Value(filled.append(text, end, text.length()).toString());
  }

  /** Returns a variable's value; as in a shell, the default also replaces an empty value. */
  private static String variable(String name, String fallback, UnaryOperator<String> variables) {
    String value = variables.apply(name);
    boolean missing = value == null || value.isEmpty();
    return missing && fallback != null ? fallback.substring(":-".length()) : value;
  }

  /** Parses a scalar value; lists and maps are not scalars. */
  static Reading read(Setting<?> setting, String text) {
    Type<?> type = setting.type();
    if (type == Type.TEXT) {
      return readText(setting, text);
    } else if (type == Type.FLAG) {
      return readFlag(text);
    } else if (type == Type.INTEGER) {
      return readInteger(setting, text);
    } else if (type == Type.RATIO) {
      return readRatio(text);
    } else if (type == Type.DURATION) {
      return readDuration(setting, text);
    } else if (type == Type.BYTES) {
      return readBytes(setting, text);
    }
    return new Reading.Wrong(quote(text) + " is a single value");
  }

  /** Returns the problem of a text that is too long, also of one inside a list or a map. */
  static Optional<String> lengthProblem(String text) {
    int limit = (int) Setting.MAX_TEXT_LENGTH;
    return text.length() <= limit
        ? Optional.empty()
        : Optional.of("has " + text.length() + " characters, more than " + limit);
  }

  private static Reading readText(Setting<?> setting, String text) {
    if (!setting.choices().isEmpty() && !setting.choices().contains(text)) {
      return new Reading.Wrong(quote(text) + " is not an allowed value");
    }
    return lengthProblem(text)
        .<Reading>map(Reading.Wrong::new)
        .orElseGet(() -> new Reading.Value(text));
  }

  private static Reading readFlag(String text) {
    return switch (text) {
      case "true" -> new Reading.Value(true);
      case "false" -> new Reading.Value(false);
      default -> new Reading.Wrong(quote(text) + " is neither true nor false");
    };
  }

  private static Reading readInteger(Setting<?> setting, String text) {
    if (!WHOLE_NUMBER.matcher(text).matches()) {
      return new Reading.Wrong(quote(text) + " is not a whole number");
    }
    return bounded(setting, text, number(text)).map(n -> new Reading.Value((int) n));
  }

  private static Reading readRatio(String text) {
    boolean valid = RATIO.matcher(text).matches() && Double.parseDouble(text) <= 1;
    return valid
        ? new Reading.Value(Double.parseDouble(text))
        : new Reading.Wrong(quote(text) + " is not a number from 0 to 1");
  }

  private static Reading readDuration(Setting<?> setting, String text) {
    Matcher quantity = QUANTITY.matcher(text);
    if (!quantity.matches()) {
      return new Reading.Wrong(quote(text) + " is not a duration");
    }
    Long unit = MILLIS.get(quantity.group(2));
    if (unit == null) {
      return new Reading.Wrong(
          quantity.group(2).isEmpty()
              ? quote(text) + " has no unit"
              : quote(quantity.group(2)) + " is not a unit of time");
    }
    return bounded(setting, text, multiply(number(quantity.group(1)), unit))
        .map(n -> new Reading.Value(Duration.ofMillis(n)));
  }

  private static Reading readBytes(Setting<?> setting, String text) {
    Matcher quantity = QUANTITY.matcher(text);
    if (!quantity.matches()) {
      return new Reading.Wrong(quote(text) + " is not a size");
    }
    Long unit = quantity.group(2).isEmpty() ? Long.valueOf(1) : BYTES.get(quantity.group(2));
    if (unit == null) {
      return new Reading.Wrong(quote(quantity.group(2)) + " is not a unit of size");
    }
    return bounded(setting, text, multiply(number(quantity.group(1)), unit))
        .map(Reading.Value::new);
  }

  /** A number within the bounds, or a {@link Reading.Wrong}. */
  private record Bounded(long number, Reading.Wrong wrong) {
    Reading map(LongFunction<Reading> value) {
      return wrong == null ? value.apply(number) : wrong;
    }
  }

  private static Bounded bounded(Setting<?> setting, String text, long number) {
    if (number < setting.minimum()) {
      return new Bounded(0, new Reading.Wrong(quote(text) + " is too small"));
    }
    if (number > setting.maximum()) {
      return new Bounded(0, new Reading.Wrong(quote(text) + " is too large"));
    }
    return new Bounded(number, null);
  }

  /** Returns a number, saturated instead of overflowing; such a number exceeds all bounds. */
  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException beyondLong) {
      return digits.startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static long multiply(long number, long unit) {
    return number > Long.MAX_VALUE / unit ? Long.MAX_VALUE : number * unit;
  }

  /** Returns the values that a setting allows, worded to follow "expected". */
  static String expected(Setting<?> setting) {
    Type<?> type = setting.type();
    if (!setting.choices().isEmpty()) {
      return "one of " + String.join(", ", setting.choices());
    } else if (type == Type.INTEGER) {
      return "a whole number " + bounds(setting);
    } else if (type == Type.RATIO) {
      return "a number from 0 to 1, such as 0.01";
    } else if (type == Type.FLAG) {
      return "true or false";
    } else if (type == Type.DURATION) {
      return "a duration such as 200ms, 10s, 5m or 1h, " + bounds(setting);
    } else if (type == Type.BYTES) {
      return "a size such as 512B, 64KiB or 1MiB, " + bounds(setting);
    } else if (type == Type.LIST) {
      return "a list of at most " + setting.maximum() + " texts";
    } else if (type == Type.MAP) {
      return "a map of at most " + setting.maximum() + " names to texts";
    } else if (type == Type.RULES) {
      return "a list of at most "
          + setting.maximum()
          + " rules with if, compress and "
          + operations()
          + ", each with at most as many elements";
    }
    return "a text of at most " + setting.maximum() + " characters";
  }

  private static String operations() {
    return Operation.ALL.stream().map(Operation::key).collect(Collectors.joining(", "));
  }

  /** Returns the range of a setting's values as text. */
  static String bounds(Setting<?> setting) {
    return "from " + bound(setting, setting.minimum()) + " to " + bound(setting, setting.maximum());
  }

  private static String bound(Setting<?> setting, long number) {
    if (setting.type() == Type.DURATION) {
      return largestUnit(number, MILLIS, "ms");
    }
    return setting.type() == Type.BYTES ? largestUnit(number, BYTES, "B") : Long.toString(number);
  }

  /** Returns a value in the notation of a configuration file. */
  public static String write(Object value) {
    if (value instanceof Duration duration) {
      return largestUnit(duration.toMillis(), MILLIS, "ms");
    } else if (value instanceof Long bytes) {
      return largestUnit(bytes, BYTES, "B");
    } else if (value instanceof List<?> list) {
      return list.stream().map(ValueText::write).toList().toString();
    } else if (value instanceof Map<?, ?> map) {
      return map.toString();
    } else if (value instanceof PermissionRule rule) {
      return rule.text();
    } else if (value instanceof String text) {
      return '"' + text + '"';
    }
    return String.valueOf(value);
  }

  private static String largestUnit(long number, Map<String, Long> units, String smallest) {
    String text = number + smallest;
    for (Map.Entry<String, Long> unit : units.entrySet()) {
      if (number != 0 && number % unit.getValue() == 0) {
        text = number / unit.getValue() + unit.getKey();
      }
    }
    return text;
  }

  /** Returns a text in quotation marks, truncated and without control characters. */
  public static String quote(String text) {
    String shown =
        text.length() <= MAX_QUOTE_LENGTH ? text : text.substring(0, MAX_QUOTE_LENGTH) + "…";
    return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
  }

  private static Map<String, Long> units(List<String> names, List<Long> sizes) {
    Map<String, Long> units = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      units.put(names.get(i), sizes.get(i));
    }
    return units;
  }
}
