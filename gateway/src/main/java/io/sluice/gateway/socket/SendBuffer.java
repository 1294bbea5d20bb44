package io.sluice.gateway.socket;

/** The size of a socket's send buffer. Stateless; any thread. */
final class SendBuffer {
  /** Covers the kernel's own structures for the last bytes. */
  private static final long HEADROOM = 128 * 1024;

  private SendBuffer() {}

  /**
   * Returns a size at which a full buffer takes more. The kernel caps it at {@code wmem_max}.
   *
   * @param size the buffer's size
   * @param waiting bytes that the buffer is to take in addition
   */
  static int enlarged(int size, long waiting) {
    return (int) Math.min(Integer.MAX_VALUE, 2L * size + 2 * waiting + HEADROOM);
  }
}
