package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.ClientFrame;
import java.util.ArrayList;
import java.util.List;

/** Session that records what it is given, and does not answer. Bound to the test's thread. */
final class RecordingSession implements SessionPort {
  final List<ClientFrame> frames = new ArrayList<>();

  /** Packets to the client, as hexadecimal digits. */
  final List<String> sent = new ArrayList<>();

  @Override
  public void give(ClientFrame frame) {
    frames.add(frame);
  }

  @Override
  public void later(Runnable task) {
    task.run();
  }

  @Override
  public void send(ByteBuf packet) {
    sent.add(ByteBufUtil.hexDump(packet));
    packet.release();
  }

  @Override
  public OutboundWindow newWindow() {
    throw new AssertionError("an idle client needs no window");
  }

  @Override
  public void end(MqttReason reason, String why) {
    throw new AssertionError(why);
  }
}
