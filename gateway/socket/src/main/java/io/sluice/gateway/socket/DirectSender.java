package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** Sender that makes one system call for each send. Bound to an event loop; stateless. */
final class DirectSender implements Sender {
  @Override
  public void send(SendTarget socket, ByteBuf bytes, int from) {
    try {
      socket.onSent(socket.fd().sendAddress(bytes.memoryAddress(), from, bytes.writerIndex()));
    } catch (IOException e) {
      socket.onSendFailed(e);
    } catch (NotYetConnectedException e) {
      socket.onSendFailed(SendTarget.resetByClient(e));
    }
  }

  @Override
  public void submit() {
    // Sends are complete when they return.
  }

  @Override
  public void close() {
    // No resources.
  }
}
