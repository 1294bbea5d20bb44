package io.sluice.gateway.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opened resources, which are closed in reverse order. For any thread. */
public final class Opened implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Opened.class);

  // Guarded by this.
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private boolean closed;

  /**
   * Adds a part and returns it; closes it at once if the others are closed already.
   *
   * @param part null if it is not configured
   */
  public <T extends AutoCloseable> T add(T part) {
    if (part != null && isLate(part)) {
      close(part);
    }
    return part;
  }

  private synchronized boolean isLate(AutoCloseable part) {
    if (!closed) {
      parts.push(part);
    }
    return closed;
  }

  /** Closes all parts. */
  @Override
  public void close() {
    take().forEach(Opened::close);
  }

  private synchronized List<AutoCloseable> take() {
    closed = true;
    List<AutoCloseable> all = List.copyOf(parts);
    parts.clear();
    return all;
  }

  // Logs a failure, because it must not replace the cause of the end.
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
