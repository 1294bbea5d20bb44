package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;

/** Sender of single buffers for the sockets of one event loop. Bound to that loop. */
interface Sender extends AutoCloseable {
  /**
   * Sends from index {@code from} to the end of {@code bytes}, at once or by {@link #submit}. The
   * result is reported to {@link SendTarget#onSent}.
   */
  void send(SendTarget socket, ByteBuf bytes, int from);

  /** Submits all sends. When this returns, the kernel has taken or rejected each of them. */
  void submit();

  @Override
  void close();
}
