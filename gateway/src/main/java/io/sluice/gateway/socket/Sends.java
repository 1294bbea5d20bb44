package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;

/**
 * How the descriptor wires of one event loop hand single buffers to the kernel. Bound to that loop.
 */
interface Sends extends AutoCloseable {
  /**
   * Sends from {@code from} to the end of {@code bytes}, at once or by {@link #submit}; the wire
   * hears of it by {@link DescriptorWire#onSent}.
   */
  void send(DescriptorWire wire, ByteBuf bytes, int from);

  /** Everything that was sent so far is with the kernel, or refused, when this returns. */
  void submit();

  @Override
  void close();
}
