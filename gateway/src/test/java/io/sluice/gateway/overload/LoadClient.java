package io.sluice.gateway.overload;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.sluice.gateway.attack.Bytes;
import io.sluice.gateway.attack.FrameReader;
import io.sluice.testkit.ClientFrame;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Client of one topic of numbered messages that reports what it receives to a {@link LoadTally}.
 * Bound to its event loop.
 */
final class LoadClient extends FrameReader {
  private static final String DEFLATE =
      "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover";

  /** Number of bytes of a frame that are read; the header is within them. */
  private static final int HEAD = 512;

  private final String topic;
  private final boolean deflated;
  private final LoadTally tally;
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
  private long last;
  private boolean gapReported;

  /**
   * @param deflated whether it negotiates permessage-deflate
   */
  LoadClient(String topic, boolean deflated, LoadTally tally) {
    this.topic = topic;
    this.deflated = deflated;
    this.tally = tally;
  }

  /** Returns a future that completes when the subscription is confirmed. */
  CompletableFuture<Void> subscribed() {
    return subscribed;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    String[] lines = deflated ? new String[] {DEFLATE} : new String[0];
    active.write(Unpooled.wrappedBuffer(Bytes.handshake(lines)));
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\"}";
    active.writeAndFlush(Unpooled.wrappedBuffer(Bytes.text(subscribe)));
  }

  @Override
  protected void onStatus(ChannelHandlerContext answered, int status) {
    if (status != SWITCHING) {
      subscribed.completeExceptionally(new IllegalStateException("answered with " + status));
    }
  }

  @Override
  protected void onFrame(ChannelHandlerContext read, int opcode, ByteBuf payload) {
    switch (opcode) {
      case ClientFrame.TEXT -> onText(head(payload));
      case ClientFrame.PING -> read.writeAndFlush(pong(payload));
      case ClientFrame.CLOSE -> read.close();
      default -> throw new IllegalStateException("a frame with opcode " + opcode);
    }
  }

  private String head(ByteBuf payload) {
    int length = Math.min(HEAD, payload.readableBytes());
    if (!deflated || payload.getByte(payload.readerIndex()) == '{') {
      return payload.toString(payload.readerIndex(), length, StandardCharsets.UTF_8);
    }
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(ByteBufUtil.getBytes(payload));
      byte[] head = new byte[HEAD];
      return new String(head, 0, inflater.inflate(head), StandardCharsets.UTF_8);
    } catch (DataFormatException e) {
      throw new IllegalStateException(e);
    } finally {
      inflater.end();
    }
  }

  private void onText(String head) {
    if (head.startsWith("{\"type\":\"message\"")) {
      onMessage(number(head, "SEQ="), number(head, "NS="));
    } else if (head.startsWith("{\"type\":\"subscribed\"")) {
      subscribed.complete(null);
    } else if (head.startsWith("{\"type\":\"gap\"")) {
      gapReported = true;
      tally.onGap(topic, head.contains("\"reason\":\"overload\""));
    } else if (head.startsWith("{\"type\":\"error\"") || head.startsWith("{\"type\":\"stale\"")) {
      tally.onError(head);
    }
  }

  private static long number(String head, String name) {
    int at = head.indexOf(name) + name.length();
    int end = at;
    while (Character.isDigit(head.charAt(end))) {
      end++;
    }
    return Long.parseLong(head, at, end, 10);
  }

  private void onMessage(long number, long sentNs) {
    boolean lost = last != 0 && number > last + 1 && !gapReported;
    boolean repeated = last != 0 && number <= last;
    tally.onMessage(System.nanoTime() - sentNs, lost, repeated);
    last = Math.max(last, number);
    gapReported = false;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ended) throws Exception {
    super.channelInactive(ended);
    subscribed.completeExceptionally(new IllegalStateException("the connection ended"));
    tally.onError("a connection to " + topic + " ended");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    tally.onError(cause.toString());
    failed.close();
  }
}
