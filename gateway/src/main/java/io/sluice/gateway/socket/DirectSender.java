package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** Sender that makes one system call for each send. Bound to an event loop; stateless. */
final class DirectSender implements Sender {
  @Override
  public void send(EpollSocket wire, ByteBuf bytes, int from) {
    try {
      wire.onSent(wire.fd().sendAddress(bytes.memoryAddress(), from, bytes.writerIndex()));
    } catch (IOException e) {
      wire.onSendFailed(e);
    } catch (NotYetConnectedException e) {
      wire.onSendFailed(EpollSocket.gone(e));
    }
  }

  @Override
  public void submit() {
    // Nothing waits.
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
