package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Events of a conversation, as text. */
final class Recorder implements Conversation.Listener {
  private static final int MASK_BYTES = 4;

  private final List<String> events = new ArrayList<>();
  private final ByteBuf out = Unpooled.buffer();

  List<String> events() {
    return events;
  }

  /** Returns the payload of the only client frame in the buffer. */
  static String payload(ByteBuf frame) {
    frame.readByte();
    int length = frame.readByte() & 0x7F;
    length = length == 126 ? frame.readUnsignedShort() : length;
    byte[] mask = ByteBufUtil.getBytes(frame.readSlice(MASK_BYTES));
    byte[] payload = ByteBufUtil.getBytes(frame.readSlice(length));
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i % MASK_BYTES];
    }
    return new String(payload, ISO_8859_1);
  }

  @Override
  public ByteBuf out() {
    return out.clear();
  }

  @Override
  public void send(ByteBuf bytes) {
    events.add("sent " + payload(bytes));
  }

  @Override
  public void onData(long bytes) {
    // Depends on the reads.
  }

  @Override
  public void onMessage(ByteBuf bytes, int start, int count) {
    events.add("message " + bytes.toString(start, count, ISO_8859_1));
  }

  @Override
  public void onContent(byte[] content) {
    events.add("content " + content.length);
  }

  @Override
  public void onInflated(long bytes) {
    events.add("inflated " + bytes);
  }

  @Override
  public void onSubscribed() {
    events.add("subscribed");
  }

  @Override
  public void onGap() {
    events.add("gap");
  }

  @Override
  public void onRefused(String reason) {
    events.add("refused " + reason);
  }

  @Override
  public void onClosed(String reason) {
    events.add("closed " + reason);
  }
}
