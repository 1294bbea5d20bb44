package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gatling.check.Frames;

/** WebSocket of one virtual user. Bound to the event loop of the user. */
final class UserConnection extends ChannelInboundHandlerAdapter {
  /** Receiver of the events of a connection. */
  interface Events {
    /** The handshake is complete; frames can be sent. */
    void onSocket();

    void onText(JsonNode frame);

    /** The buffer is released afterwards. */
    void onBinary(ByteBuf bytes);

    /** The last event, unless the connection was closed by {@link #close}. */
    void onClosed(String reason);
  }

  private final Events events;
  private ChannelHandlerContext context;
  private String reason = "connection closed without a close frame";
  private boolean isClosed;

  UserConnection(Events events) {
    this.events = events;
  }

  /** Sends a text frame. */
  void send(JsonNode frame) {
    if (context != null) {
      context.writeAndFlush(new TextWebSocketFrame(frame.toString()), context.voidPromise());
    }
  }

  /** Closes the connection without a further event. */
  void close() {
    isClosed = true;
    if (context != null) {
      context
          .writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE))
          .addListener(sent -> context.close());
    }
  }

  /** Ends the connection, with an event. */
  void fail(String cause) {
    if (!isClosed) {
      isClosed = true;
      events.onClosed(cause);
    }
    if (context != null) {
      context.close();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE && !isClosed) {
      events.onSocket();
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object frame) {
    try {
      if (!isClosed) {
        read(frame);
      }
    } catch (Frames.MalformedException e) {
      fail(e.getMessage());
    } finally {
      ReferenceCountUtil.release(frame);
    }
  }

  private void read(Object frame) {
    if (frame instanceof BinaryWebSocketFrame binary) {
      events.onBinary(binary.content());
    } else if (frame instanceof TextWebSocketFrame text) {
      events.onText(Frames.parse(text.text()));
    } else if (frame instanceof CloseWebSocketFrame close) {
      String text = close.reasonText();
      reason = "connection closed: " + close.statusCode() + (text.isEmpty() ? "" : " " + text);
      context.writeAndFlush(close.retain()).addListener(sent -> context.close());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(reason);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof WebSocketClientHandshakeException refused && refused.response() != null) {
      fail("handshake refused: " + refused.response().status());
    } else {
      fail(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    }
  }
}
