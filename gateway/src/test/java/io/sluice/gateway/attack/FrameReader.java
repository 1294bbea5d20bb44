package io.sluice.gateway.attack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.sluice.testkit.ClientFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Decoder of a node's response: its status, then its frames. Bound to its event loop. */
public abstract class FrameReader extends ByteToMessageDecoder {
  /** The status of a handshake that was accepted. */
  protected static final int SWITCHING = 101;

  /** The status of a request for a stream that was accepted. */
  private static final int STREAMING = 200;

  private static final int NO_CODE = 1005;
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final int STATUS_LENGTH = 3;
  private static final ByteBuf HEAD_END =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

  private int status;

  /** Returns the status of the response; 0 before it is received. */
  protected int status() {
    return status;
  }

  /** Returns whether a status accepts a handshake or a stream. */
  protected static boolean isAccepted(int status) {
    return status == SWITCHING || status == STREAMING;
  }

  /** Called with the head of the response. */
  protected abstract void onStatus(ChannelHandlerContext context, int answered);

  /** Called with a complete frame; its payload is valid during the call. */
  protected abstract void onFrame(ChannelHandlerContext context, int opcode, ByteBuf payload);

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (status == 0) {
      readHead(context, in);
    } else if (isAccepted(status)) {
      readFrame(context, in);
    } else {
      in.skipBytes(in.readableBytes());
    }
  }

  private void readHead(ChannelHandlerContext context, ByteBuf in) {
    int end = ByteBufUtil.indexOf(HEAD_END, in);
    if (end < 0) {
      return;
    }
    int at = in.readerIndex() + STATUS_AT;
    status = Integer.parseInt(in.toString(at, STATUS_LENGTH, StandardCharsets.US_ASCII));
    in.readerIndex(end + HEAD_END.readableBytes());
    onStatus(context, status);
  }

  private void readFrame(ChannelHandlerContext context, ByteBuf in) {
    int start = in.readerIndex();
    if (in.readableBytes() < 2) {
      return;
    }
    int opcode = in.readByte() & 0x0f;
    long length = length(in);
    if (length < 0 || in.readableBytes() < length) {
      in.readerIndex(start);
      return;
    }
    onFrame(context, opcode, in.readSlice((int) length));
  }

  // Servers do not mask. Negative while the frame is incomplete.
  private static long length(ByteBuf in) {
    int first = in.readByte();
    if (first < 126) {
      return first;
    }
    int bytes = first == 126 ? Short.BYTES : Long.BYTES;
    if (in.readableBytes() < bytes) {
      return -1;
    }
    return bytes == Short.BYTES ? in.readUnsignedShort() : in.readLong();
  }

  /** The code in the payload of a close frame. */
  protected static int closeCode(ByteBuf payload) {
    return payload.readableBytes() < 2 ? NO_CODE : payload.getUnsignedShort(payload.readerIndex());
  }

  /** The pong that answers a ping. */
  protected static ByteBuf pong(ByteBuf ping) {
    return Unpooled.wrappedBuffer(
        ClientFrame.of(ClientFrame.PONG, ByteBufUtil.getBytes(ping)).bytes());
  }
}
