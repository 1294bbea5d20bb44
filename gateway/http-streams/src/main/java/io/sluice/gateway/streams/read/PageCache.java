package io.sluice.gateway.streams.read;

import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The latest bodies of one event loop. Clients that read the same page share its bytes, also while
 * they wait for slow ones. Bound to that loop.
 */
final class PageCache {
  private final int maxBytes;
  private final Map<String, Buffer> bodies = new LinkedHashMap<>(16, 0.75f, true);
  private int bytes;

  /** Creates an empty cache; {@code maxBytes} bounds the bodies that it keeps. */
  PageCache(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the body of a page, which must not be modified.
   *
   * @param tag entity tag, which determines the body
   * @param created returns a new body
   */
  Buffer of(String tag, Supplier<Buffer> created) {
    Buffer known = bodies.get(tag);
    if (known != null) {
      return known;
    }
    Buffer body = created.get();
    bodies.put(tag, body);
    bytes += body.length();
    while (bytes > maxBytes && bodies.size() > 1) {
      String eldest = bodies.keySet().iterator().next();
      bytes -= bodies.remove(eldest).length();
    }
    return body;
  }
}
