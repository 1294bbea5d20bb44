package io.sluice.gateway.socket;

/** Size calculation for a socket's send buffer. Stateless, for any thread. */
final class SendBuffer {
  /** Headroom for the kernel's own structures, in bytes. */
  private static final long HEADROOM = 128 * 1024;

  private SendBuffer() {}

  /**
   * Returns the size at which a full buffer accepts further bytes. The kernel caps it at {@code
   * wmem_max}.
   *
   * @param size current size of the buffer
   * @param waiting number of further bytes
   */
  static int enlarged(int size, long waiting) {
    return (int) Math.min(Integer.MAX_VALUE, 2L * size + 2 * waiting + HEADROOM);
  }
}
