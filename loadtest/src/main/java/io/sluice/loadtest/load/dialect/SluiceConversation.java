package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.loadtest.load.frame.FrameParser;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.MaskedFrame;
import io.sluice.loadtest.load.frame.MessageScanner;

/** Conversation in Sluice's own protocol. Bound to the client's event loop. */
final class SluiceConversation extends SocketConversation {
  /** Maximum number of bytes before the payload of a binary message. */
  private static final int BINARY_HEADER = 24;

  private final DialectOptions options;
  private final String topic;
  private final FrameParser frames;

  /**
   * Creates a conversation.
   *
   * @param takeover whether compressed messages may refer to earlier ones
   */
  SluiceConversation(
      DialectOptions options, String topic, boolean takeover, Conversation.Listener listener) {
    super(listener);
    this.options = options;
    this.topic = topic;
    this.frames =
        options.inflate()
            ? new MessageScanner(takeover)
            : new FrameScanner(options.stamps() ? BINARY_HEADER + STAMP_BYTES : 0);
  }

  @Override
  FrameParser frames() {
    return frames;
  }

  @Override
  public void begin(ByteBuf out) {
    if (options.token() != null) {
      MaskedFrame.write(
          out, MaskedFrame.TEXT, frame("{\"type\":\"connect\",\"token\":\"", options.token()));
    }
    MaskedFrame.write(
        out, MaskedFrame.TEXT, frame("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"", topic));
  }

  private static byte[] frame(String before, String last) {
    return (before + new String(JsonStringEncoder.getInstance().quoteAsString(last)) + "\"}")
        .getBytes(UTF_8);
  }

  @Override
  public void onBinary(ByteBuf bytes, int start, int count) {
    listener().onMessage(bytes, start, count);
  }

  @Override
  public void onText(ByteBuf bytes, int start, int count) {
    switch (TextKind.of(bytes, start, count)) {
      case MESSAGE -> listener().onMessage(bytes, start, count);
      case SUBSCRIBED -> listener().onSubscribed();
      case GAP -> listener().onGap();
      case ERROR -> {
        String frame = bytes.toString(start, count, UTF_8);
        listener()
            .onRefused(TextKind.member(frame, "code") + ": " + TextKind.member(frame, "message"));
      }
      default -> {
        // Other frames are ignored.
      }
    }
  }

  @Override
  public void onMessage(byte[] content, boolean text) {
    listener().onInflated(content.length);
    ByteBuf bytes = Unpooled.wrappedBuffer(content);
    int head = Math.min(content.length, FrameScanner.TEXT_HEAD);
    if (!text) {
      listener().onMessage(bytes, 0, head);
      listener().onContent(content);
      return;
    }
    onText(bytes, 0, head);
    if (TextKind.of(bytes, 0, head) == TextKind.MESSAGE) {
      listener().onContent(content);
    }
  }
}
