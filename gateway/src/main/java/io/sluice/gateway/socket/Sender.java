package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;

/** Sender of single buffers for the epoll sockets of one event loop. Bound to that loop. */
interface Sender extends AutoCloseable {
  /**
   * Sends from {@code from} to the end of {@code bytes}, at once or by {@link #submit}. The result
   * is reported to {@link EpollSocket#onSent}.
   */
  void send(EpollSocket wire, ByteBuf bytes, int from);

  /** Everything that was sent so far is with the kernel, or refused, when this returns. */
  void submit();

  @Override
  void close();
}
