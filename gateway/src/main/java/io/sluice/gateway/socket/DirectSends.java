package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** One system call for each send. Bound to an event loop; without state. */
final class DirectSends implements Sends {
  @Override
  public void send(DescriptorWire wire, ByteBuf bytes, int from) {
    try {
      wire.onSent(wire.fd().sendAddress(bytes.memoryAddress(), from, bytes.writerIndex()));
    } catch (IOException e) {
      wire.onSendFailed(e);
    } catch (NotYetConnectedException e) {
      wire.onSendFailed(DescriptorWire.gone(e));
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
