package io.sluice.gateway.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.sluice.gateway.attack.Bytes;
import io.sluice.gateway.attack.FrameReader;
import io.sluice.testkit.ClientFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Connection of a client. Bound to the clients' thread. */
final class Link extends FrameReader {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Close code of a connection that ended without one. */
  private static final int ABNORMAL = 1006;

  private static final int NORMAL = 1000;
  private static final long HELLO_NS = TimeUnit.SECONDS.toNanos(10);

  /** Listener for a link until its end. */
  interface Listener {
    void onHello(Link link, JsonNode hello);

    /** Called for any other frame. */
    void onFrame(Link link, String type, JsonNode frame);

    /** Called for an unexpected frame or close code. */
    void onError(String what);

    /** Called when the connection has ended. */
    void onEnd(Link link, int code);
  }

  private final boolean redirected;
  private final long dialledNs = System.nanoTime();
  private Listener listener;
  private ChannelHandlerContext context;
  private int closeCode = ABNORMAL;
  private boolean over;
  private long lastReceivedNs = dialledNs;
  private long helloNs;
  private long pingNs;
  private int overlap;
  private long ref;

  /**
   * @param redirected whether a node has redirected the client to this address
   */
  Link(Listener listener, boolean redirected) {
    this.listener = listener;
    this.redirected = redirected;
  }

  /** Replaces the listener. */
  void setListener(Listener other) {
    listener = other;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    if (over) {
      active.close();
      return;
    }
    active.write(Unpooled.wrappedBuffer(Bytes.handshake()));
    ObjectNode connect = frame("connect").put("client", "hosts/1").put("redirect", true);
    send(redirected ? connect.put("redirected", true) : connect);
  }

  @Override
  protected void onStatus(ChannelHandlerContext answered, int status) {
    if (status != SWITCHING) {
      answered.close();
    }
  }

  @Override
  protected void onFrame(ChannelHandlerContext read, int opcode, ByteBuf payload) {
    lastReceivedNs = System.nanoTime();
    switch (opcode) {
      case ClientFrame.TEXT -> onText(payload);
      case ClientFrame.PING -> read.writeAndFlush(pong(payload));
      case ClientFrame.CLOSE -> onClose(payload);
      default -> throw new IllegalStateException("a frame with opcode " + opcode);
    }
  }

  private void onText(ByteBuf payload) {
    if (over) {
      return;
    }
    try {
      JsonNode frame = JSON.readTree(ByteBufUtil.getBytes(payload));
      String type = frame.get("type").asText();
      if (type.equals("hello")) {
        onHello(frame);
      } else {
        listener.onFrame(this, type, frame);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void onHello(JsonNode hello) {
    helloNs = lastReceivedNs;
    pingNs = TimeUnit.MILLISECONDS.toNanos(hello.get("pingInterval").asLong());
    overlap = hello.at("/limits/overlap").asInt();
    listener.onHello(this, hello);
  }

  private void onClose(ByteBuf payload) {
    closeCode = closeCode(payload);
    close(closeCode);
  }

  /** Creates a frame. */
  static ObjectNode frame(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  private void send(ObjectNode frame) {
    context.writeAndFlush(Unpooled.wrappedBuffer(Bytes.text(frame.toString())));
  }

  /** Sends a subscribe request. Returns its ref. */
  long subscribe(String topic, JsonNode from) {
    ObjectNode frame = frame("subscribe").put("ref", ++ref).put("topic", topic);
    if (from != null) {
      frame.set("from", from);
    }
    send(frame);
    return ref;
  }

  /** Cancels a subscription or a pending request for it. */
  void unsubscribe(String topic) {
    send(frame("unsubscribe").put("ref", ++ref).put("topic", topic));
  }

  /** Returns whether the connection is open. */
  boolean isOpen() {
    return !over && context != null && context.channel().isActive();
  }

  /** Returns whether the connection has been silent for longer than heartbeats permit. */
  boolean isDead(long nowNs) {
    return pingNs == 0 ? nowNs - dialledNs > HELLO_NS : nowNs - lastReceivedNs > 2 * pingNs;
  }

  /** Returns the time of the last received data. */
  long lastReceivedNs() {
    return lastReceivedNs;
  }

  /** Returns the time of the hello; 0 if there was none. */
  long helloNs() {
    return helloNs;
  }

  /** Returns the number of message identities that the node requires the client to remember. */
  int overlap() {
    return overlap;
  }

  boolean isRedirected() {
    return redirected;
  }

  /** Closes the connection and notifies the listener. */
  void abort() {
    if (context != null) {
      context.close();
    }
    end();
  }

  /** Closes the connection with a close frame; the listener is not notified. */
  void leave() {
    over = true;
    if (context != null && context.channel().isActive() && status() == SWITCHING) {
      close(NORMAL);
    } else if (context != null) {
      context.close();
    }
  }

  private void close(int code) {
    byte[] bytes = ClientFrame.close(code, "").bytes();
    context.writeAndFlush(Unpooled.wrappedBuffer(bytes)).addListener(ChannelFutureListener.CLOSE);
  }

  private void end() {
    if (!over) {
      over = true;
      listener.onEnd(this, closeCode);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ended) throws Exception {
    super.channelInactive(ended);
    end();
  }

  /** A reset is an expected end of a connection. */
  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    if (failed.channel().isActive() && !(cause instanceof IOException)) {
      listener.onError(cause.toString());
    }
    abort();
  }
}
