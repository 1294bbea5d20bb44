package io.sluice.loadtest;

import java.net.URI;
import java.time.Duration;
import java.util.Properties;

/** System properties as numbers and texts; a wrong one is an error, not its default. Immutable. */
record Parameters(Properties properties) {

  String text(String name, String otherwise) {
    return properties.getProperty(name, otherwise);
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
    String value = text(name, otherwise);
    try {
      URI uri = URI.create(value);
      if (uri.getHost() != null && String.valueOf(uri.getScheme()).matches("wss?")) {
        return value;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(name, value, e.getMessage());
    }
    throw wrong(name, value, "an address like ws://localhost:8080/ws");
  }

  int number(String name, int otherwise, int minimum) {
    String value = properties.getProperty(name);
    if (value == null) {
      return otherwise;
    }
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

  Duration seconds(String name, int otherwise, int minimum) {
    return Duration.ofSeconds(number(name, otherwise, minimum));
  }

  private static IllegalArgumentException wrong(String name, String value, String right) {
    return new IllegalArgumentException("-D" + name + "=" + value + ": should be " + right);
  }
}
