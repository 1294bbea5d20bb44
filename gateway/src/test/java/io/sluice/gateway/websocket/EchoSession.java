package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Minimal echo server: a decoder and its responses as bytes. Used by one thread. */
final class EchoSession implements FrameDecoder.Sink, AutoCloseable {
  private final ByteBufAllocator allocator;
  private final Inflation inflation;
  private final Deflation deflation;
  private final FrameDecoder decoder;
  private final ByteBuf out;
  private boolean ended;

  EchoSession(ByteBufAllocator allocator, FrameDecoder.Limits limits, boolean deflate) {
    this.allocator = allocator;
    this.inflation = deflate ? new Inflation() : null;
    this.deflation = deflate ? new Deflation(allocator, 6) : null;
    this.decoder = new FrameDecoder(limits, inflation, this);
    this.out = allocator.buffer();
  }

  void receive(byte[] bytes, int count) {
    ByteBuf in = allocator.buffer(count).writeBytes(bytes, 0, count);
    try {
      decoder.read(in);
    } finally {
      in.release();
    }
  }

  /** Returns the responses since the last call. */
  byte[] takeAnswer() {
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes).clear();
    return bytes;
  }

  /** Returns whether the server would close the connection after its response. */
  boolean ended() {
    return ended;
  }

  @Override
  public void onText(ByteBuf payload) {
    echo(WebSocketFrame.TEXT, payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    echo(WebSocketFrame.BINARY, payload);
  }

  private void echo(int opcode, ByteBuf payload) {
    ByteBuf body = deflation == null ? payload : deflation.deflate(payload);
    WebSocketFrame.writeHeader(out, opcode, deflation != null, body.readableBytes());
    out.writeBytes(body, body.readerIndex(), body.readableBytes());
  }

  @Override
  public void onPing(ByteBuf payload) {
    WebSocketFrame.writeControl(out, WebSocketFrame.PONG, payload);
  }

  @Override
  public void onPong(ByteBuf payload) {}

  @Override
  public void onClose(int code, String reason) {
    if (code == 1005) {
      WebSocketFrame.writeClose(out);
    } else {
      WebSocketFrame.writeClose(out, code, reason);
    }
    ended = true;
  }

  @Override
  public void onViolation(CloseCode code, String why) {
    WebSocketFrame.writeClose(out, code.code(), why);
    ended = true;
  }

  @Override
  public void close() {
    decoder.stop();
    out.release();
    if (deflation != null) {
      inflation.close();
      deflation.close();
    }
  }
}
