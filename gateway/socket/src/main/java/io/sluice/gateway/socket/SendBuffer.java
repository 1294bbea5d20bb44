package io.sluice.gateway.socket;

/**
 * Enlarged send buffer with which the close frame of a slow client still reaches the kernel.
 * Stateless, for any thread.
 */
final class SendBuffer {
  /** Headroom for the kernel's own structures, in bytes. */
  private static final long HEADROOM = 128 * 1024;

  private SendBuffer() {}

  /**
   * Returns the size at which a full buffer accepts the bytes before the close frame, and the
   * frame. The kernel limits it to {@code wmem_max}.
   *
   * @param size current size of the buffer
   * @param waiting number of these bytes
   */
  static int enlarged(int size, long waiting) {
    return (int) Math.min(Integer.MAX_VALUE, 2L * size + 2 * waiting + HEADROOM);
  }
}
