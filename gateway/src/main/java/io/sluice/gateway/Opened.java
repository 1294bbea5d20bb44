package io.sluice.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a start has opened so far, and must not leave behind if it fails. Confined to the thread
 * that starts.
 */
final class Opened implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Opened.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /**
   * Remembers a part.
   *
   * @param part null if the configuration has none of the kind
   */
  <T extends AutoCloseable> T add(T part) {
    if (part != null) {
      parts.push(part);
    }
    return part;
  }

  /** The latest first. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      close(parts.pop());
    }
  }

  // The failure of the start is what has to be told, not what comes of it.
  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      log.atWarn()
          .addKeyValue("part", part.getClass().getSimpleName())
          .setCause(e)
          .log("node.stop-failed");
    }
  }
}
