package io.sluice.loadtest;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.UnaryOperator;

/**
 * Typed parameters of a simulation or command; an invalid value is an error. Requested parameters
 * are recorded for the measurement's report. One thread calls it.
 */
final class Parameters {
  /** Property with the names given on the command line of {@code sluice simulate}. */
  private static final String NAMES = "sluice.parameters";

  private final Properties properties;
  private final UnaryOperator<String> label;
  private final Map<String, String> all = new LinkedHashMap<>();
  private final Map<String, String> given = new LinkedHashMap<>();

  /** Creates the parameters of a simulation, which are system properties. */
  Parameters(Properties properties) {
    this(properties, name -> "-D" + name);
  }

  /**
   * Creates the parameters of a command.
   *
   * @param label names a parameter in errors as the user enters it
   */
  Parameters(Properties properties, UnaryOperator<String> label) {
    this.properties = properties;
    this.label = label;
  }

  /** Returns all requested parameters with their value or default, in the order of requests. */
  Map<String, String> all() {
    return new LinkedHashMap<>(all);
  }

  /** Returns the parameters set by the user, in the order of requests. */
  Map<String, String> given() {
    return new LinkedHashMap<>(given);
  }

  String text(String name, String defaultValue) {
    String value = properties.getProperty(name);
    if (value != null) {
      given.put(name, value);
    }
    all.put(name, value == null ? defaultValue : value);
    return value == null ? defaultValue : value;
  }

  /**
   * Rejects parameters of {@code sluice simulate} that were not requested. Maven's system
   * properties are not checked, because most belong to others.
   */
  void rejectUnknown() {
    for (String name : properties.getProperty(NAMES, "").split(",")) {
      if (!name.isEmpty() && !all.containsKey(name)) {
        throw new IllegalArgumentException(
            "-D" + name + ": no parameter of this simulation; expected one of " + all.keySet());
      }
    }
  }

  /** Returns the beginning of the command line of a simulation. */
  String program(String simulation) {
    return properties.containsKey(NAMES)
        ? "sluice simulate " + simulation
        : "mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest."
            + simulation;
  }

  /** Returns a parameter that must be one of the given words. */
  String word(String name, String defaultValue, String... words) {
    String value = text(name, defaultValue);
    for (String word : words) {
      if (word.equals(value)) {
        return value;
      }
    }
    throw invalid(name, value, "one of " + String.join(", ", words));
  }

  /** Returns a ws:// or wss:// URL. */
  String webSocketUrl(String name, String defaultValue) {
    return url(name, defaultValue, "wss?", "a URL such as ws://localhost:8080/ws").toString();
  }

  /** Returns a http:// or https:// URL, or nothing if it is empty, which is the default. */
  Optional<URI> httpUrl(String name) {
    return text(name, "").isEmpty()
        ? Optional.empty()
        : Optional.of(url(name, "", "https?", "a URL such as http://localhost:9090/metrics"));
  }

  /** Returns a file, or nothing if it is empty, which is the default. */
  Optional<Path> file(String name) {
    return Optional.of(text(name, "")).filter(value -> !value.isEmpty()).map(Path::of);
  }

  int number(String name, int defaultValue, int minimum) {
    String value = text(name, String.valueOf(defaultValue));
    try {
      int number = Integer.parseInt(value);
      if (number >= minimum) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(name, value, "a whole number");
    }
    throw invalid(name, value, "at least " + minimum);
  }

  double decimal(String name, double defaultValue, double minimum) {
    String value = text(name, String.valueOf(defaultValue));
    try {
      double number = Double.parseDouble(value);
      if (Double.isFinite(number) && number >= minimum) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(name, value, "a number");
    }
    throw invalid(name, value, "at least " + minimum);
  }

  Duration seconds(String name, int defaultValue, int minimum) {
    return Duration.ofSeconds(number(name, defaultValue, minimum));
  }

  private URI url(String name, String defaultValue, String scheme, String allowed) {
    String value = text(name, defaultValue);
    try {
      URI uri = URI.create(value);
      if (uri.getHost() != null && String.valueOf(uri.getScheme()).matches(scheme)) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw invalid(name, value, e.getMessage());
    }
    throw invalid(name, value, allowed);
  }

  private IllegalArgumentException invalid(String name, String value, String allowed) {
    return new IllegalArgumentException(label.apply(name) + "=" + value + ": must be " + allowed);
  }
}
