package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.ChunkScanner;
import io.sluice.loadtest.load.frame.UnitScanner;

/** Conversation of a client that receives Server-Sent Events. Bound to its event loop. */
final class SseConversation implements Conversation {
  private final Conversation.Listener listener;
  private final Scanner scanner = new Scanner();
  private final ChunkScanner chunks;

  /**
   * Creates a conversation.
   *
   * @param chunked whether the body has chunked transfer coding
   */
  SseConversation(boolean chunked, Conversation.Listener listener) {
    this.listener = listener;
    this.chunks = chunked ? new ChunkScanner(scanner) : null;
  }

  @Override
  public void begin(ByteBuf out) {
    listener.onSubscribed(); // by the head of the response
  }

  @Override
  public String read(ByteBuf in, ByteBuf scratch) {
    listener.onData(in.readableBytes());
    if (chunks == null) {
      return scanner.read(in, scratch);
    }
    boolean before = chunks.isComplete();
    String fault = chunks.read(in, scratch);
    if (fault == null && chunks.isComplete() && !before) {
      listener.onClosed("ended by the end of the response");
    }
    return fault;
  }

  @Override
  public void end(ByteBuf out) {
    // A client ends by closing the connection.
  }

  /** Scanner of lines. */
  private final class Scanner extends UnitScanner {
    private static final int LINE_HEAD = 256;
    private static final String DATA = "data:";
    private static final String EVENT = "event:";

    /** Type of the event whose lines are being read. */
    private enum Kind {
      MESSAGE,
      GAP,
      ERROR,
      OTHER
    }

    private Kind kind = Kind.MESSAGE;
    private boolean reported;

    @Override
    protected int headBytes(ByteBuf bytes, int start, int available) {
      int inspected = Math.min(available, LINE_HEAD);
      int end = bytes.indexOf(start, start + inspected, (byte) '\n');
      if (end >= 0) {
        return end + 1 - start;
      }
      return inspected == LINE_HEAD ? LINE_HEAD : available + 1;
    }

    @Override
    protected String process(ByteBuf bytes, int start, int count) {
      boolean whole = bytes.getByte(start + count - 1) == '\n';
      if (!whole) {
        skipTo('\n');
      }
      int length = whole ? count - 1 : count;
      if (length > 0 && bytes.getByte(start + length - 1) == '\r') {
        length--;
      }
      if (length == 0) {
        kind = Kind.MESSAGE;
        reported = false;
      } else if (startsWith(bytes, start, length, DATA)) {
        onData(bytes, start + DATA.length(), length - DATA.length());
      } else if (startsWith(bytes, start, length, EVENT)) {
        onEvent(bytes.toString(start + EVENT.length(), length - EVENT.length(), UTF_8).strip());
      }
      return null;
    }

    private void onEvent(String name) {
      kind =
          switch (name) {
            case "message" -> Kind.MESSAGE;
            case "gap" -> Kind.GAP;
            case "error" -> Kind.ERROR;
            default -> Kind.OTHER;
          };
    }

    private void onData(ByteBuf bytes, int start, int count) {
      if (reported) {
        return;
      }
      reported = true;
      switch (kind) {
        case MESSAGE -> listener.onMessage(bytes, start, count);
        case GAP -> listener.onGap();
        case ERROR -> listener.onRefused(bytes.toString(start, count, UTF_8).strip());
        default -> {
          // Other events are ignored.
        }
      }
    }
  }
}
