package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.function.Consumer;

/**
 * Encoder of the server frames of one client. Each method returns a complete WebSocket message,
 * which the caller owns. Immutable.
 */
final class StompFrames {
  private static final int USUAL_SIZE = 256;
  private static final byte[] HEART_BEAT = {'\n'};

  private final ByteBufAllocator allocator;
  private final StompVersion version;
  private final boolean sockJs;

  /**
   * @param sockJs whether the client uses SockJS
   */
  StompFrames(ByteBufAllocator allocator, StompVersion version, boolean sockJs) {
    this.allocator = allocator;
    this.version = version;
    this.sockJs = sockJs;
  }

  /** Returns whether frames must be valid UTF-8. */
  boolean areTexts() {
    return sockJs;
  }

  /**
   * Returns the answer to CONNECT.
   *
   * @param user subject of the client
   * @param heartBeat intervals that the node sends and expects, such as {@code 10000,10000}
   */
  ByteBuf connected(String session, String user, String server, String heartBeat) {
    return frame(
        "CONNECTED",
        text -> {
          text.raw("version", version.text());
          text.raw("heart-beat", heartBeat);
          text.raw("session", session);
          text.raw("server", server);
          text.raw("user-name", user.replaceAll("[\\r\\n\\x00]", " "));
          text.end();
        });
  }

  ByteBuf receipt(String id) {
    return frame("RECEIPT", text -> text.header("receipt-id", id).end());
  }

  /**
   * Returns the receipt of a subscription.
   *
   * @param position position at which it starts, or null
   */
  ByteBuf subscribed(String id, String position) {
    return frame(
        "RECEIPT", text -> text.header("receipt-id", id).header("position", position).end());
  }

  /**
   * Returns an error, after which the connection is closed.
   *
   * @param code short cause, such as {@code forbidden}
   * @param receipt receipt id of the refused frame, or null
   */
  ByteBuf error(String code, String message, String receipt) {
    return frame(
        "ERROR",
        text -> {
          text.header("message", code);
          text.header("receipt-id", receipt);
          text.raw("content-type", "text/plain");
          text.end(StompText.body(message));
        });
  }

  /** Returns the error of a client without a common version. */
  ByteBuf noVersion(String accepted) {
    return frame(
        "ERROR",
        text -> {
          text.raw("version", StompVersion.ALL);
          text.raw("message", "unsupported version");
          text.raw("content-type", "text/plain");
          text.end(
              StompText.body(
                  "accept-version is \""
                      + BadStomp.shortened(accepted)
                      + "\"; the node supports "
                      + StompVersion.ALL));
        });
  }

  ByteBuf heartBeat() {
    if (sockJs) {
      return SockJs.message(allocator, Unpooled.wrappedBuffer(HEART_BEAT));
    }
    ByteBuf frame = allocator.directBuffer(4);
    WebSocketFrame.writeHeader(frame, WebSocketFrame.TEXT, false, HEART_BEAT.length);
    return frame.writeBytes(HEART_BEAT);
  }

  /** Returns a frame whose headers and body a task writes. */
  ByteBuf frame(String command, Consumer<StompText> content) {
    return frame(command, true, content);
  }

  /**
   * Returns a frame.
   *
   * @param isText whether it is valid UTF-8; over SockJS it must be
   */
  ByteBuf frame(String command, boolean isText, Consumer<StompText> content) {
    ByteBuf frame = allocator.directBuffer(USUAL_SIZE);
    frame.writeZero(WebSocketFrame.MAX_HEADER).readerIndex(WebSocketFrame.MAX_HEADER);
    content.accept(new StompText(frame, version).command(command));
    if (sockJs) {
      ByteBuf message = SockJs.message(allocator, frame);
      frame.release();
      return message;
    }
    return WebSocketFrame.prependHeader(
        frame, isText ? WebSocketFrame.TEXT : WebSocketFrame.BINARY);
  }
}
