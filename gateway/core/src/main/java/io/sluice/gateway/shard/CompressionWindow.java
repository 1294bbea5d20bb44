package io.sluice.gateway.shard;

import java.util.concurrent.TimeUnit;

/**
 * End of the window of a client's decompressor: the message that was compressed last on its
 * connection. Bound to the event loop of the client's shard.
 *
 * <p>This is all state that the compression has per client: docs/adr/0026.
 */
public class CompressionWindow {
  /**
   * Traffic of one stream on one event loop. It identifies the stream in a window, without a
   * reference to its messages. Bound to the event loop.
   */
  static final class StreamTraffic {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(5);

    private long startNs;
    private long bytes;
    private long previousBytes;

    StreamTraffic(long nowNs) {
      this.startNs = nowNs;
    }

    /** Adds payload bytes of live messages. */
    void add(long more, long nowNs) {
      advance(nowNs);
      bytes += more;
    }

    /**
     * Returns whether this stream had more than twice the bytes of another in the last interval.
     */
    boolean exceeds(StreamTraffic other, long nowNs) {
      advance(nowNs);
      other.advance(nowNs);
      return previousBytes / 2 > other.previousBytes;
    }

    private void advance(long nowNs) {
      long elapsed = nowNs - startNs;
      if (elapsed >= INTERVAL_NS) {
        previousBytes = elapsed < 2 * INTERVAL_NS ? bytes : 0;
        bytes = 0;
        startNs += elapsed - elapsed % INTERVAL_NS;
      }
    }
  }

  /** Stream of the last compressed message; null if it is unknown or there was none. */
  private StreamTraffic stream;

  private long offset;

  /** The only stream whose small messages are compressed without dictionary; null at first. */
  private StreamTraffic selected;

  /** Returns whether the window ends with a message. */
  boolean endsWith(StreamTraffic of, long at) {
    return stream == of && offset == at;
  }

  /** Sets the message at the end of the window. */
  void endAt(StreamTraffic of, long at) {
    stream = of;
    offset = at;
  }

  /** Marks the end of the window as unknown, so that the next message has no dictionary. */
  void forget() {
    stream = null;
  }

  /** Returns whether a stream is selected; selects it if its traffic is much larger. */
  boolean selects(StreamTraffic candidate, long nowNs) {
    if (selected != candidate && (selected == null || candidate.exceeds(selected, nowNs))) {
      selected = candidate;
    }
    return selected == candidate;
  }

  /** Ends the selection of a stream to which the client is no longer subscribed. */
  void deselect(StreamTraffic ended) {
    if (selected == ended) {
      selected = null;
    }
  }
}
