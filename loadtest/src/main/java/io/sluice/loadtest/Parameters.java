package io.sluice.loadtest;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * System properties as numbers and texts; a wrong one is an error, not its default. Remembers what
 * was asked for, so that a measurement can say what it ran with. One thread calls it.
 */
final class Parameters {
  private final Properties properties;
  private final Map<String, String> all = new LinkedHashMap<>();
  private final Map<String, String> given = new LinkedHashMap<>();

  Parameters(Properties properties) {
    this.properties = properties;
  }

  /** Every parameter that was asked for, with its value or its default, in the order of asking. */
  Map<String, String> all() {
    return new LinkedHashMap<>(all);
  }

  /** Those of them that do not have their defaults, in the order of asking. */
  Map<String, String> given() {
    return new LinkedHashMap<>(given);
  }

  String text(String name, String otherwise) {
    String value = properties.getProperty(name);
    if (value != null) {
      given.put(name, value);
    }
    all.put(name, value == null ? otherwise : value);
    return value == null ? otherwise : value;
  }

  /** One of some words. */
  String word(String name, String otherwise, String... words) {
    String value = text(name, otherwise);
    for (String word : words) {
      if (word.equals(value)) {
        return value;
      }
    }
    throw wrong(name, value, "one of " + String.join(", ", words));
  }

  /** A ws:// or wss:// address. */
  String webSocketUrl(String name, String otherwise) {
    return url(name, otherwise, "wss?", "an address like ws://localhost:8080/ws").toString();
  }

  /** A http:// or https:// address; nothing if it is empty, as it is by default. */
  Optional<URI> httpUrl(String name) {
    return text(name, "").isEmpty()
        ? Optional.empty()
        : Optional.of(url(name, "", "https?", "an address like http://localhost:9090/metrics"));
  }

  /** A file; nothing if it is empty, as it is by default. */
  Optional<Path> file(String name) {
    return Optional.of(text(name, "")).filter(value -> !value.isEmpty()).map(Path::of);
  }

  int number(String name, int otherwise, int minimum) {
    String value = text(name, String.valueOf(otherwise));
    try {
      int number = Integer.parseInt(value);
      if (number >= minimum) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, value, "a whole number");
    }
    throw wrong(name, value, "at least " + minimum);
  }

  double decimal(String name, double otherwise, double minimum) {
    String value = text(name, String.valueOf(otherwise));
    try {
      double number = Double.parseDouble(value);
      if (Double.isFinite(number) && number >= minimum) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, value, "a number");
    }
    throw wrong(name, value, "at least " + minimum);
  }

  Duration seconds(String name, int otherwise, int minimum) {
    return Duration.ofSeconds(number(name, otherwise, minimum));
  }

  private URI url(String name, String otherwise, String scheme, String right) {
    String value = text(name, otherwise);
    try {
      URI uri = URI.create(value);
      if (uri.getHost() != null && String.valueOf(uri.getScheme()).matches(scheme)) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(name, value, e.getMessage());
    }
    throw wrong(name, value, right);
  }

  private static IllegalArgumentException wrong(String name, String value, String right) {
    return new IllegalArgumentException("-D" + name + "=" + value + ": should be " + right);
  }
}
