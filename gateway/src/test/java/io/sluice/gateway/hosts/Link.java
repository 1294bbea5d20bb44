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

/** One connection of a client, from its dial to its end. Bound to the clients' thread. */
final class Link extends FrameReader {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A connection that ended without a code. */
  private static final int ABNORMAL = 1006;

  private static final int NORMAL = 1000;
  private static final long HELLO_NS = TimeUnit.SECONDS.toNanos(10);

  /** Hears of a link until that is over. */
  interface Listener {
    void onHello(Link link, JsonNode hello);

    /** Any other frame. */
    void onFrame(Link link, String type, JsonNode frame);

    /** What no client expects. */
    void onError(String what);

    /** It is over. */
    void onEnd(Link link, int code);
  }

  private final boolean redirected;
  private final long dialledNs = System.nanoTime();
  private Listener listener;
  private ChannelHandlerContext context;
  private int closeCode = ABNORMAL;
  private boolean over;
  private long heardNs = dialledNs;
  private long helloNs;
  private long pingNs;
  private int overlap;
  private long ref;

  /**
   * @param redirected whether a node has named the address
   */
  Link(Listener listener, boolean redirected) {
    this.listener = listener;
    this.redirected = redirected;
  }

  /** From now on another one hears of it. */
  void handTo(Listener other) {
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
    heardNs = System.nanoTime();
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
    helloNs = heardNs;
    pingNs = TimeUnit.MILLISECONDS.toNanos(hello.get("pingInterval").asLong());
    overlap = hello.at("/limits/overlap").asInt();
    listener.onHello(this, hello);
  }

  private void onClose(ByteBuf payload) {
    closeCode = closeCode(payload);
    close(closeCode);
  }

  /** Begins a frame. */
  static ObjectNode frame(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  private void send(ObjectNode frame) {
    context.writeAndFlush(Unpooled.wrappedBuffer(Bytes.text(frame.toString())));
  }

  /** Asks for a topic, and returns the number of the question. */
  long subscribe(String topic, JsonNode from) {
    ObjectNode frame = frame("subscribe").put("ref", ++ref).put("topic", topic);
    if (from != null) {
      frame.set("from", from);
    }
    send(frame);
    return ref;
  }

  /** Takes a question or a subscription back. */
  void unsubscribe(String topic) {
    send(frame("unsubscribe").put("ref", ++ref).put("topic", topic));
  }

  /** Whether it stands. */
  boolean isOpen() {
    return !over && context != null && context.channel().isActive();
  }

  /** Whether it has been silent for longer than a live one can be. */
  boolean isDead(long nowNs) {
    return pingNs == 0 ? nowNs - dialledNs > HELLO_NS : nowNs - heardNs > 2 * pingNs;
  }

  /** When something came over it last. */
  long heardNs() {
    return heardNs;
  }

  /** When its hello came; 0 if it had none. */
  long helloNs() {
    return helloNs;
  }

  /** How many identities the node wants to have remembered. */
  int overlap() {
    return overlap;
  }

  boolean isRedirected() {
    return redirected;
  }

  /** Ends it, and tells its listener. */
  void giveUp() {
    if (context != null) {
      context.close();
    }
    end();
  }

  /** Ends it with a farewell; its listener hears no more of it. */
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

  /** A reset is how a connection may end. */
  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    if (failed.channel().isActive() && !(cause instanceof IOException)) {
      listener.onError(cause.toString());
    }
    giveUp();
  }
}
