package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Incremental reader of packets from the bytes of one connection: packets may be split and joined
 * at any byte. Bound to the client's event loop.
 */
final class PacketAssembler {
  /** Longest fixed header: the first byte and four bytes of length. */
  private static final int MAX_HEADER = 5;

  private static final int CONTINUED = 0x80;
  private static final int LENGTH_BITS = 7;
  private static final int INCOMPLETE = -1;

  private final int maxBytes;

  /** Beginning of a packet whose rest has not arrived; null if there is none. */
  private ByteBuf begun;

  /** Receiver of complete packets. */
  @FunctionalInterface
  interface Sink {
    /**
     * Processes a packet.
     *
     * @param first its first byte
     * @param body the bytes behind the fixed header, borrowed during the call
     * @return false to receive no further packets during this call
     */
    boolean onPacket(int first, ByteBuf body) throws MqttFault;
  }

  /**
   * @param maxBytes maximum bytes of a packet with its header
   */
  PacketAssembler(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Passes the packets that received bytes complete to a sink; the caller keeps the bytes. After
   * the sink has returned false, the other bytes wait for the next call.
   */
  void feed(ByteBuf received, Sink sink) throws MqttFault {
    if (begun == null) {
      read(received, sink);
      if (received.isReadable()) {
        begun = Unpooled.buffer(received.readableBytes()).writeBytes(received);
      }
      return;
    }
    begun.writeBytes(received);
    read(begun, sink);
    if (begun != null && !begun.isReadable()) {
      release();
    } else if (begun != null) {
      begun.discardReadBytes();
    }
  }

  /** Returns the number of bytes that wait. */
  int waiting() {
    return begun == null ? 0 : begun.readableBytes();
  }

  /** Releases the bytes that wait; no call may follow, except of this method. */
  void release() {
    if (begun != null) {
      begun.release();
      begun = null;
    }
  }

  private void read(ByteBuf in, Sink sink) throws MqttFault {
    while (in.isReadable()) {
      int start = in.readerIndex();
      int lengthBytes = lengthBytes(in, start + 1);
      if (lengthBytes == INCOMPLETE) {
        return;
      }
      int length = length(in, start + 1, lengthBytes);
      int header = 1 + lengthBytes;
      if (length > maxBytes - header) {
        String why = "packet of " + (header + (long) length) + " bytes exceeds " + maxBytes;
        throw new MqttFault(MqttReason.PACKET_TOO_LARGE, why);
      }
      if (in.readableBytes() < header + length) {
        return;
      }
      int first = in.getUnsignedByte(start);
      in.readerIndex(start + header + length);
      if (!sink.onPacket(first, in.slice(start + header, length))) {
        return;
      }
    }
  }

  /** Returns the number of bytes of the remaining length, or {@link #INCOMPLETE}. */
  private static int lengthBytes(ByteBuf in, int from) throws MqttFault {
    for (int i = 0; i < MAX_HEADER - 1; i++) {
      if (from + i >= in.writerIndex()) {
        return INCOMPLETE;
      }
      if ((in.getByte(from + i) & CONTINUED) == 0) {
        return i + 1;
      }
    }
    throw MqttFault.malformed("remaining length has more than 4 bytes");
  }

  private static int length(ByteBuf in, int from, int bytes) throws MqttFault {
    int length = 0;
    for (int i = 0; i < bytes; i++) {
      length |= (in.getUnsignedByte(from + i) & ~CONTINUED) << i * LENGTH_BITS;
    }
    if (bytes > 1 && in.getByte(from + bytes - 1) == 0) {
      throw MqttFault.malformed("remaining length is not in its shortest form");
    }
    return length;
  }
}
