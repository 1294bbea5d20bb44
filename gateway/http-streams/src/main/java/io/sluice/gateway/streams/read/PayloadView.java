package io.sluice.gateway.streams.read;

import java.util.List;
import java.util.Locale;

/** Form of the messages in a response. */
enum PayloadView {
  /** An array with one element per message. */
  JSON("application/json"),
  /** The payloads one behind the other, as text. */
  TEXT("text/plain"),
  /** The payloads one behind the other. */
  BYTES("application/octet-stream");

  private final String contentType;

  PayloadView(String contentType) {
    this.contentType = contentType;
  }

  /** Returns the media type of a response. */
  String contentType() {
    return contentType;
  }

  /** Returns whether messages are elements of an array. */
  boolean isArray() {
    return this == JSON;
  }

  /**
   * Returns the form that a client prefers, or null if it accepts none. Types that browsers execute
   * are not among them.
   *
   * @param accept the values of the header {@code Accept}
   */
  static PayloadView of(List<String> accept) {
    PayloadView best = accept.isEmpty() ? JSON : null;
    double quality = 0;
    for (String range : String.join(",", accept).split(",")) {
      String[] parts = range.strip().toLowerCase(Locale.ROOT).split("\\s*;\\s*");
      PayloadView named = named(parts[0]);
      double wanted = quality(parts);
      if (named != null && wanted > quality) {
        best = named;
        quality = wanted;
      }
    }
    return best;
  }

  private static PayloadView named(String range) {
    return switch (range) {
      case "application/json", "*/*", "application/*" -> JSON;
      case "text/plain", "text/*" -> TEXT;
      case "application/octet-stream" -> BYTES;
      default -> null;
    };
  }

  private static double quality(String... parts) {
    for (int i = 1; i < parts.length; i++) {
      if (parts[i].startsWith("q=")) {
        try {
          return Double.parseDouble(parts[i].substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }
}
