package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Client socket with TLS on an epoll loop. Encrypts all bytes of a flush as one record and sends it
 * like a plain socket does, past its channel. Bound to its event loop.
 *
 * <p>The channel receives, closes, and sends what the kernel does not take at once. While it has
 * bytes to send, all others pass through it, because records have an order. The first flush passes
 * through it, too.
 */
final class TlsSocket implements ClientSocket, SendTarget {
  private final EpollSockets loop;
  private final ChannelSocket channel;
  private final SSLEngine engine;
  private final Socket descriptor;

  /** Borrowed plaintext; null if there is none. */
  private ByteBuf first;

  private ArrayDeque<ByteBuf> rest;
  private long pending;

  /** Bounds of the records in {@link TlsRecords} that the sender has not sent yet. */
  private int start;

  private int end;
  private boolean sending;

  /** The channel has encrypted bytes. The first records contain session tickets of any size. */
  private boolean ticketsSent;

  private boolean failed;

  TlsSocket(EpollSockets loop, ChannelSocket channel, SSLEngine engine, Socket descriptor) {
    this.loop = loop;
    this.channel = channel;
    this.engine = engine;
    this.descriptor = descriptor;
  }

  @Override
  public Socket fd() {
    return descriptor;
  }

  @Override
  public void write(ByteBuf bytes) {
    if (failed || channel.isEnding()) {
      return;
    }
    if (first == null) {
      first = bytes;
    } else {
      if (rest == null) {
        rest = new ArrayDeque<>(4);
      }
      rest.add(bytes);
    }
    pending += bytes.readableBytes();
  }

  @Override
  public void flush() {
    submit();
    if (encrypt()) {
      sendNow();
      loop.records().truncate(start);
    }
  }

  @Override
  public void flushInBatch() {
    submit();
    if (encrypt()) {
      sending = true;
      loop.sender().send(this, loop.records().buffer(), start);
    }
  }

  // Determines how much of the latest records was sent.
  private void submit() {
    if (sending) {
      loop.sender().submit();
    }
  }

  /** Encrypts the queue. Returns false if there is nothing to send past the channel. */
  private boolean encrypt() {
    boolean idle = channel.isIdle();
    if (idle && first == null) {
      return false; // a flush of the channel would encrypt nothing
    }
    if (!idle || !ticketsSent || !loop.hasRoomForRecords(pending)) {
      ticketsSent = true;
      passOn();
      channel.flush();
      return false;
    }
    TlsRecords records = loop.records();
    start = records.buffer().writerIndex();
    try {
      encrypt(records);
      end = records.buffer().writerIndex();
      return true;
    } catch (SSLException e) {
      records.truncate(start);
      onSendFailed(e);
      return false;
    } finally {
      clear();
    }
  }

  private void encrypt(TlsRecords records) throws SSLException {
    records.begin();
    records.add(first, engine);
    if (rest != null) {
      for (ByteBuf next : rest) {
        records.add(next, engine);
      }
    }
    records.end(engine);
  }

  private void passOn() {
    if (first != null) {
      channel.write(first);
    }
    if (rest != null) {
      rest.forEach(channel::write);
    }
    clear();
  }

  private void clear() {
    first = null;
    rest = null;
    pending = 0;
  }

  private void sendNow() {
    try {
      onSent(descriptor.sendAddress(loop.records().buffer().memoryAddress(), start, end));
    } catch (IOException e) {
      onSendFailed(e);
    } catch (NotYetConnectedException e) {
      onSendFailed(SendTarget.resetByClient(e));
    }
  }

  @Override
  public void onSent(int bytes) {
    sending = false;
    int unsent = start + bytes;
    if (unsent < end) {
      channel.writeEncrypted(loop.records().buffer().copy(unsent, end - unsent));
    }
  }

  // In a later task, because the hub may be iterating over its lists now. A record is missing from
  // the stream then, so no other may follow.
  @Override
  public void onSendFailed(IOException cause) {
    sending = false;
    if (!failed) {
      failed = true;
      execute(() -> channel.fail(cause));
    }
  }

  @Override
  public long pendingBytes() {
    int buffers = first == null ? 0 : 1 + (rest == null ? 0 : rest.size());
    return channel.pendingBytes()
        + pending
        + (long) EpollSocket.BUFFER_BYTES * buffers
        + (sending ? end - start : 0);
  }

  @Override
  public void finish(ByteBuf last) {
    submit();
    if (!failed) {
      passOn();
      channel.finish(last);
    }
  }

  @Override
  public void finishEarly(ByteBuf last) {
    submit();
    clear();
    if (!failed) {
      channel.finishEarly(last);
    }
  }

  @Override
  public SendProgress progress(long withinMs) {
    return channel.progress(withinMs);
  }

  @Override
  public boolean readReceived() {
    return channel.readReceived();
  }

  @Override
  public void abort() {
    clear();
    submit();
    failed = true; // accepts no more bytes
    channel.abort();
  }

  @Override
  public void close() {
    submit();
    clear();
    channel.close();
  }

  @Override
  public void execute(Runnable task) {
    channel.execute(task);
  }
}
