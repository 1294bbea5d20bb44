package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.query.TracedFrame;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Connection of a session that an operator traces: it remembers type and size of the latest frames.
 * Sessions without a trace use their connection directly and pay nothing. Bound to its event loop.
 */
final class TracedConnection extends ForwardingConnection {
  /** Maximum number of remembered frames. */
  static final int MAX_FRAMES = 200;

  /** Bytes of a frame in which its type and its topic are searched. */
  private static final int HEAD_BYTES = 1_024;

  private static final int RSV1 = 0x40;
  private static final int OPCODE = 0x0F;
  private static final int LENGTH = 0x7F;
  private static final int TWO_BYTES = 126;
  private static final String TOPIC = "\"topic\":\"((?:[^\"\\\\]++|\\\\.)*+)\"";

  /** First members of a frame. */
  private static final Pattern MEMBERS =
      Pattern.compile("\\{\"type\":\"([a-z-]{1,32})\"(?:,\"ref\":\\d+)?(?:," + TOPIC + ")?");

  /** Last member of an error, whose message contains no unescaped quotation mark. */
  private static final Pattern ERROR_TOPIC = Pattern.compile("," + TOPIC);

  private static final String ERROR = "error";

  private final long endNs;
  private final Deque<TracedFrame> frames = new ArrayDeque<>();

  /**
   * @param endNs end of the trace, {@link System#nanoTime}
   */
  TracedConnection(Connection traced, long endNs) {
    super(traced);
    this.endNs = endNs;
  }

  /** Returns whether the trace has ended. */
  boolean hasEnded() {
    return System.nanoTime() - endNs >= 0;
  }

  /** Returns the latest frames, the oldest first. */
  List<TracedFrame> frames() {
    return List.copyOf(frames);
  }

  /** Remembers a frame of the client. */
  void onFrame(ClientFrame frame, long bytes) {
    String type = frame.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    add(true, new Head(type, frame.topic()), bytes);
  }

  private void add(boolean incoming, Head head, long bytes) {
    if (hasEnded()) {
      return;
    }
    if (frames.size() == MAX_FRAMES) {
      frames.removeFirst();
    }
    frames.addLast(
        new TracedFrame(System.currentTimeMillis(), incoming, head.type, head.topic, bytes));
  }

  /** Type of a frame, and the topic that it names, or null. */
  private record Head(String type, String topic) {
    static Head of(String type) {
      return new Head(type, null);
    }
  }

  @Override
  public void write(ByteBuf buffer) {
    target.write(buffer);
    int at = buffer.readerIndex();
    while (at + 2 <= buffer.writerIndex()) {
      at = addFrame(buffer, at);
    }
  }

  /** Remembers the frame at an index, and returns the index of the next one. */
  private int addFrame(ByteBuf buffer, int at) {
    int length = buffer.getByte(at + 1) & LENGTH;
    boolean isFrame = buffer.getByte(at) < 0 && at + headerBytes(length) <= buffer.writerIndex();
    return isFrame ? addFrame(buffer, at, length) : addOther(buffer, at);
  }

  private static int headerBytes(int length) {
    if (length < TWO_BYTES) {
      return 2;
    }
    return length == TWO_BYTES ? 2 + Short.BYTES : 2 + Long.BYTES;
  }

  /** Remembers bytes of an open protocol without WebSocket frames. */
  private int addOther(ByteBuf buffer, int at) {
    add(false, Head.of("open"), buffer.writerIndex() - at);
    return buffer.writerIndex();
  }

  private int addFrame(ByteBuf buffer, int at, int length) {
    int payload = at + 2;
    long bytes = length;
    if (length == TWO_BYTES) {
      bytes = buffer.getUnsignedShort(payload);
      payload += Short.BYTES;
    } else if (length > TWO_BYTES) {
      bytes = buffer.getLong(payload);
      payload += Long.BYTES;
    }
    add(false, head(buffer, buffer.getByte(at), payload, bytes), bytes);
    return (int) Math.min(buffer.writerIndex(), payload + bytes);
  }

  private static Head head(ByteBuf buffer, byte first, int payload, long bytes) {
    int opcode = first & OPCODE;
    if (opcode != WebSocketFrame.TEXT) {
      return Head.of(opcode == WebSocketFrame.BINARY ? "binary" : "control");
    }
    if ((first & RSV1) != 0) {
      return Head.of("compressed");
    }
    int length = (int) Math.min(HEAD_BYTES, bytes);
    String text = buffer.toString(payload, length, StandardCharsets.UTF_8);
    Matcher members = MEMBERS.matcher(text);
    if (!members.lookingAt()) {
      return Head.of("text");
    }
    String type = members.group(1);
    return new Head(type, type.equals(ERROR) ? errorTopic(text) : members.group(2));
  }

  private static String errorTopic(String text) {
    Matcher topic = ERROR_TOPIC.matcher(text);
    return topic.find() ? topic.group(1) : null;
  }
}
