package io.sluice.gateway.broker.provider;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.zip.InflaterInputStream;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveLargeMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that prevents the JMS client from reading bodies above a limit. The client reads the
 * body of a large text, map or stream message before the listener, but only the size of bytes. A
 * message above the limit therefore arrives as bytes, which are not decompressed. Any thread.
 */
final class ArtemisBodies implements Interceptor {
  private static final SimpleString ORIGINAL_TYPE = SimpleString.of("_SLUICE_TYPE");
  private static final SimpleString COMPRESSED = SimpleString.of("_SLUICE_COMPRESSED");

  private final long maxBytes;

  /**
   * Creates a limit.
   *
   * @param maxBytes maximum bytes of an encoded body, after decompression
   */
  ArtemisBodies(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (packet instanceof SessionReceiveLargeMessage large) {
      limit(large.getLargeMessage().toCore(), large.getLargeMessageSize());
    } else if (packet instanceof SessionReceiveMessage small
        && small.getMessage().getBooleanProperty(Message.HDR_LARGE_COMPRESSED)) {
      limit(small.getMessage().toCore(), 0);
    }
    return true;
  }

  // Clients of other protocols do not declare the size, and the client fails without it.
  private void limit(ICoreMessage message, long storedBytes) {
    long declared = declaredBytes(message);
    long bytes = Math.max(declared, storedBytes);
    if (bytes != declared) {
      message.putLongProperty(Message.HDR_LARGE_BODY_SIZE, bytes);
    }
    if (bytes > maxBytes) {
      message.putByteProperty(ORIGINAL_TYPE, message.getType());
      message.setType(Message.BYTES_TYPE);
      if (message.removeProperty(Message.HDR_LARGE_COMPRESSED) != null) {
        message.putBooleanProperty(COMPRESSED, true);
      }
    }
  }

  private static long declaredBytes(ICoreMessage message) {
    return message.getObjectProperty(Message.HDR_LARGE_BODY_SIZE) instanceof Number bytes
        ? bytes.longValue()
        : -1;
  }

  /** Returns the size of a message's encoded body without reading it. */
  static long size(ClientMessage message) {
    long declared = declaredBytes(message);
    return declared >= 0 ? declared : message.getBodySize();
  }

  /** Returns whether the body of a message exceeds the limit and has not been read. */
  static boolean isUnread(ClientMessage message) {
    return message.containsProperty(ORIGINAL_TYPE);
  }

  /** Copies type and properties of a message with an unread body. */
  static void copyHead(ClientMessage from, ClientMessage to) {
    for (SimpleString name : from.getPropertyNames()) {
      if (!name.equals(ORIGINAL_TYPE)
          && !name.equals(COMPRESSED)
          && !name.equals(Message.HDR_LARGE_BODY_SIZE)) {
        to.putObjectProperty(name, from.getObjectProperty(name));
      }
    }
    to.setType(from.getByteProperty(ORIGINAL_TYPE));
  }

  /**
   * Returns the unread body of a message as a stream. It requests the parts from the broker one
   * after the other, and decompresses them. The thread that reads it must not be the one that reads
   * the connection.
   *
   * @param size size of a large message as it is stored
   * @param credit grants the broker bytes for further parts, at most as many as are missing
   */
  static InputStream stream(ClientMessage message, Long size, IntConsumer credit)
      throws ActiveMQException {
    InputStream stored;
    if (message.isLargeMessage()) {
      Parts parts = new Parts(size, credit);
      message.setOutputStream(parts.output);
      stored = parts;
    } else {
      byte[] bytes = new byte[message.getBodyBuffer().readableBytes()];
      message.getBodyBuffer().readBytes(bytes);
      stored = new ByteArrayInputStream(bytes);
    }
    return message.getBooleanProperty(COMPRESSED) ? new InflaterInputStream(stored) : stored;
  }

  /** Parts of a body: written by the thread that reads the connection, read by another one. */
  private static final class Parts extends InputStream {
    private static final byte[] END = {};
    private static final int CREDIT = 256 * 1024;
    private static final long TIMEOUT_S = 30;

    private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
    private final AtomicLong missing;
    private final IntConsumer credit;
    private byte[] part = {0};
    private int next = 1;

    final OutputStream output =
        new OutputStream() {
          @Override
          public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (length > 0) {
              missing.addAndGet(-length);
              queue.add(Arrays.copyOfRange(bytes, offset, offset + length));
            }
          }

          @Override
          public void close() {
            queue.add(END);
          }
        };

    Parts(long bytes, IntConsumer credit) {
      this.missing = new AtomicLong(bytes);
      this.credit = credit;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (next == part.length && part != END) {
        part = take();
        next = 0;
      }
      if (part == END) {
        return -1;
      }
      int count = Math.min(length, part.length - next);
      System.arraycopy(part, next, bytes, offset, count);
      next += count;
      return count;
    }

    private byte[] take() throws IOException {
      try {
        byte[] taken = queue.poll();
        if (taken == null) {
          credit.accept((int) Math.min(CREDIT, missing.get()));
          taken = queue.poll(TIMEOUT_S, TimeUnit.SECONDS);
        }
        if (taken == null) {
          throw new IOException("the broker does not send the body");
        }
        return taken;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
  }
}
