package io.sluice.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resources opened during a start, which are closed if the start fails. Confined to the starting
 * thread.
 */
final class Opened implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Opened.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /**
   * Adds a part and returns it.
   *
   * @param part null if it is not configured
   */
  <T extends AutoCloseable> T add(T part) {
    if (part != null) {
      parts.push(part);
    }
    return part;
  }

  /** Closes all parts in reverse order. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      close(parts.pop());
    }
  }

  // Logs a failure, because the exception of the start must not be replaced.
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
