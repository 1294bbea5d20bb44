package io.sluice.gateway.stomp;

import java.util.ArrayDeque;

/**
 * Frames behind a subscription that is not active yet: a message that the client then sends must
 * reach it. In their order, and bounded. Bound to the client's event loop.
 */
final class HeldFrames {
  private static final int MAX_FRAMES = 1_000;

  private final ArrayDeque<StompFrame> frames = new ArrayDeque<>();
  private final long maxBytes;
  private long bytes;

  HeldFrames(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds a frame. */
  void add(StompFrame frame) throws BadStomp {
    bytes += frame.bytes();
    if (frames.size() == MAX_FRAMES || bytes > maxBytes && !frames.isEmpty()) {
      throw new BadStomp(
          "more than %d frames or %d bytes wait for an unconfirmed subscription"
              .formatted(MAX_FRAMES, maxBytes));
    }
    frames.add(frame);
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  /** Removes the first frame and returns it. */
  StompFrame next() {
    StompFrame next = frames.remove();
    bytes -= next.bytes();
    return next;
  }
}
