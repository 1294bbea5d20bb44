package io.sluice.gateway.broker.registry;

import java.io.IOException;

/** Difference between JSON and a schema. The message begins with the path, as a JSON pointer. */
final class Mismatch extends IOException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_SHOWN = 64;

  Mismatch(String path, String problem) {
    super((path.isEmpty() ? "the payload" : path) + ' ' + problem);
  }

  /** Returns the mismatch of a value of another type. */
  static Mismatch type(String path, String expected, Object value) {
    String shown = String.valueOf(value instanceof String text ? '"' + text + '"' : value);
    return new Mismatch(
        path,
        "must be %s, not %s"
            .formatted(
                expected,
                shown.length() > MAX_SHOWN ? shown.substring(0, MAX_SHOWN) + '…' : shown));
  }

  /** Returns the path of a member or an element. */
  static String path(String parent, Object child) {
    return parent + '/' + child;
  }
}
