package io.sluice.loadtest.model;

import java.util.Arrays;
import java.util.Locale;

/** Transport of the clients, named as in the files of recorded runs. Immutable, for any thread. */
enum TransportMode {
  PLAIN,
  TLS;

  /**
   * Returns the mode with a name.
   *
   * @throws IllegalArgumentException with a message that names the allowed values
   */
  static TransportMode parse(String place, String name) {
    return Arrays.stream(values())
        .filter(mode -> mode.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s: mode '%s': expected plain or tls".formatted(place, name)));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
