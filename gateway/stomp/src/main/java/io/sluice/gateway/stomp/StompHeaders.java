package io.sluice.gateway.stomp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Headers of one frame in their order. Of repeated headers the first one counts. For one thread.
 */
final class StompHeaders {
  /** Names and values in turn. */
  private final List<String> texts = new ArrayList<>(12);

  void add(String name, String value) {
    texts.add(name);
    texts.add(value);
  }

  /** Returns the number of headers, including repeated ones. */
  int count() {
    return texts.size() / 2;
  }

  /** Returns the first value of a header, or null. */
  String get(String name) {
    for (int i = 0; i < texts.size(); i += 2) {
      if (texts.get(i).equals(name)) {
        return texts.get(i + 1);
      }
    }
    return null;
  }

  /** Returns the first of several headers that is present, or null. */
  String first(String... names) {
    for (String name : names) {
      String value = get(name);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /** Passes each header in order, including repeated ones. */
  void forEach(BiConsumer<String, String> action) {
    for (int i = 0; i < texts.size(); i += 2) {
      action.accept(texts.get(i), texts.get(i + 1));
    }
  }
}
