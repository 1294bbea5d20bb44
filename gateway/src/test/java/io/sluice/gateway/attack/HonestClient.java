package io.sluice.gateway.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.sluice.testkit.ClientFrame;
import java.util.concurrent.CompletableFuture;

/**
 * Honest client, which subscribes to a topic of the feed and checks the number of every message.
 * Bound to its event loop.
 */
final class HonestClient extends FrameReader {
  private static final ByteBuf TIME = needle("TS=");
  private static final ByteBuf NUMBER = needle(" SEQ=");
  private static final ByteBuf SUBSCRIBED = needle("{\"type\":\"subscribed\"");
  private static final ByteBuf GAP = needle("{\"type\":\"gap\"");
  private static final ByteBuf ERROR = needle("{\"type\":\"error\"");

  private final HonestClients clients;
  private final int topic;
  private final byte[] preface;
  private final String token;
  private final boolean stream;
  private final boolean tls;
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
  private ChannelHandlerContext context;
  private boolean left;
  private long last;

  /**
   * @param topic the number of its topic
   * @param preface bytes sent before its handshake
   * @param token its credential; empty for none
   * @param stream whether it uses an HTTP stream
   * @param tls whether it begins after a TLS handshake
   */
  HonestClient(
      HonestClients clients, int topic, byte[] preface, String token, boolean stream, boolean tls) {
    this.clients = clients;
    this.topic = topic;
    this.preface = preface;
    this.token = token;
    this.stream = stream;
    this.tls = tls;
  }

  private static ByteBuf needle(String text) {
    return Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(text, US_ASCII).asReadOnly());
  }

  /** Completes when it is subscribed, or exceptionally if that fails. */
  CompletableFuture<Void> subscribed() {
    return subscribed;
  }

  int topic() {
    return topic;
  }

  /** The number of the latest message; 0 if there was none. */
  long last() {
    return last;
  }

  /** Closes its connection, now or when it is connected. Any thread. */
  void leave() {
    clients.execute(
        () -> {
          left = true;
          if (context != null) {
            context.close();
          }
        });
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    if (left) {
      active.close();
    } else if (!tls) {
      begin();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext user, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completed && completed.isSuccess()) {
      begin();
    }
  }

  private void begin() {
    String subscribe = Bytes.subscribeFrame(1, clients.topic(topic));
    String connect = Bytes.connectFrame(token);
    byte[] first = token.isEmpty() ? new byte[0] : Bytes.text(connect);
    byte[] request =
        stream
            ? Bytes.stream(token.isEmpty() ? "" : connect, subscribe)
            : Bytes.join(Bytes.handshake(), first, Bytes.text(subscribe));
    context.writeAndFlush(Unpooled.wrappedBuffer(Bytes.join(preface, request)));
  }

  @Override
  protected void onStatus(ChannelHandlerContext answered, int status) {
    if (!isAccepted(status)) {
      subscribed.completeExceptionally(new IllegalStateException("answered with " + status));
    }
  }

  @Override
  protected void onFrame(ChannelHandlerContext read, int opcode, ByteBuf payload) {
    switch (opcode) {
      case ClientFrame.TEXT -> onText(payload);
      case ClientFrame.PING -> read.writeAndFlush(pong(payload));
      case ClientFrame.CLOSE -> read.close();
      default -> throw new IllegalStateException("a frame with opcode " + opcode);
    }
  }

  private void onText(ByteBuf text) {
    int time = ByteBufUtil.indexOf(TIME, text);
    int number = time < 0 ? -1 : ByteBufUtil.indexOf(NUMBER, text);
    if (number > 0) {
      onMessage(
          number(text, number + NUMBER.readableBytes()), number(text, time + TIME.readableBytes()));
    } else if (startsWith(text, SUBSCRIBED)) {
      subscribed.complete(null);
    } else if (startsWith(text, GAP) || startsWith(text, ERROR)) {
      clients.onTold();
    }
  }

  private static boolean startsWith(ByteBuf text, ByteBuf begin) {
    int length = begin.readableBytes();
    return text.readableBytes() >= length
        && ByteBufUtil.equals(text, text.readerIndex(), begin, 0, length);
  }

  private static long number(ByteBuf text, int from) {
    long number = 0;
    for (int at = from; text.getByte(at) >= '0' && text.getByte(at) <= '9'; at++) {
      number = 10 * number + text.getByte(at) - '0';
    }
    return number;
  }

  private void onMessage(long number, long sentNs) {
    clients.onMessage(sentNs, last == 0 ? 0 : number - last - 1);
    last = Math.max(last, number);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ended) throws Exception {
    super.channelInactive(ended);
    subscribed.completeExceptionally(new IllegalStateException("the connection ended"));
    clients.onGone(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    subscribed.completeExceptionally(cause);
    failed.close();
  }
}
