package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Client socket that is a bare file descriptor on an epoll loop: no channel, no pipeline, no
 * buffer. Bound to its event loop.
 *
 * <p>What waits stands in {@link #first} and {@link #rest}. From the front, {@link #kept} of these
 * buffers did not leave in time and are retained; the others are still only lent.
 */
final class EpollSocket implements ClientSocket, EpollIoHandle {
  /**
   * What a buffer that waits costs beside its bytes, roughly: without it a client that floods the
   * node with pings and reads no answer could have half a million of them waiting. The same as
   * Netty counts for a channel.
   */
  static final int BUFFER_BYTES = 96;

  private static final EpollIoOps READ = EpollIoOps.EPOLLIN;
  private static final EpollIoOps READ_AND_WRITE = READ.with(EpollIoOps.EPOLLOUT);

  private final EpollSockets loop;
  private final Socket socket;
  private final Owner owner;
  private IoRegistration registration;

  private ByteBuf first;
  private ArrayDeque<ByteBuf> rest;
  private int firstSent;
  private int kept;
  private long pending;
  private boolean sending;
  private boolean blocked;
  private boolean finishing;
  private boolean finished;
  private boolean closed;

  EpollSocket(EpollSockets loop, Socket socket, Owner owner) {
    this.loop = loop;
    this.socket = socket;
    this.owner = owner;
  }

  /**
   * Begins to read.
   *
   * @throws IOException if the loop can't watch it; it is closed then
   */
  void register(IoRegistration registered) throws IOException {
    registration = registered;
    try {
      registration.submit(READ);
    } catch (UncheckedIOException e) {
      abandon();
      throw e.getCause();
    }
  }

  /** Tells the owner that the socket is ready. */
  void open() {
    try {
      owner.onOpen(this);
    } catch (RuntimeException | Error e) {
      closed = true;
      try {
        abandon();
      } catch (IOException late) {
        e.addSuppressed(late);
      }
      throw e;
    }
  }

  private void abandon() throws IOException {
    registration.cancel();
    socket.close();
  }

  /** Hands on bytes that have come. */
  void read(ByteBuf bytes) {
    if (!closed) {
      owner.onBytes(bytes);
    }
  }

  @Override
  public Socket fd() {
    return socket;
  }

  @Override
  public void handle(IoRegistration source, IoEvent event) {
    try {
      onReady(((EpollIoEvent) event).ops());
    } catch (UncheckedIOException e) {
      owner.onFault(e.getCause());
    } catch (NotYetConnectedException e) {
      owner.onFault(gone(e));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      owner.onFault(e);
    }
  }

  private void onReady(EpollIoOps ready) throws IOException {
    if (blocked && !closed && ready.contains(EpollIoOps.EPOLLOUT)) {
      blocked = false;
      sendNow();
      if (!blocked && !closed) {
        registration.submit(READ);
      }
    }
    if (!closed && !EpollIoOps.EPOLLOUT.equals(ready)) { // errors show when reading, too
      loop.read(this);
    }
  }

  @Override
  public void write(ByteBuf bytes) {
    if (closed || finishing) {
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
    if (sending) {
      loop.sends().submit();
    }
    if (blocked || closed) {
      keep();
    } else {
      sendNow();
    }
  }

  @Override
  public void flushInBatch() {
    if (first == null || rest != null || blocked || sending || kept > 0) {
      flush();
    } else if (!closed) {
      sending = true;
      loop.sends().send(this, first, first.readerIndex() + firstSent);
    }
  }

  /** The kernel has taken so many bytes of the first buffer, perhaps none. */
  void onSent(int bytes) {
    sending = false;
    if (advance(bytes)) {
      afterAll();
    } else {
      block();
    }
  }

  /**
   * The socket is broken. The hub may be walking its lists right now, so the end waits a moment.
   */
  void onSendFailed(IOException cause) {
    sending = false;
    keep();
    if (!blocked) {
      blocked = true; // nothing more is tried
      execute(() -> fail(cause));
    }
  }

  /** Tells the owner of a failure, unless the end came first. */
  void fail(Throwable cause) {
    if (!closed) {
      owner.onFault(cause);
    }
  }

  private void sendNow() {
    try {
      while (first != null) {
        boolean all = rest == null ? sendFirst() : sendSome();
        if (!all) {
          block();
          return;
        }
      }
      afterAll();
    } catch (IOException e) {
      onSendFailed(e);
    } catch (NotYetConnectedException e) {
      onSendFailed(gone(e));
    }
  }

  /** What Netty says of a socket that the client has reset already, in other words. */
  static IOException gone(NotYetConnectedException cause) {
    return new IOException("the connection is gone", cause);
  }

  private boolean sendFirst() throws IOException {
    int from = first.readerIndex() + firstSent;
    int sent = socket.sendAddress(first.memoryAddress(), from, first.writerIndex());
    return advance(sent);
  }

  private boolean sendSome() throws IOException {
    GatheredBytes bytes = loop.gathered();
    bytes.add(first, firstSent);
    for (ByteBuf next : rest) {
      if (!bytes.add(next, 0)) {
        break;
      }
    }
    long offered = bytes.size();
    long sent = bytes.writeTo(socket);
    advance(sent);
    return sent == offered;
  }

  // Takes what was sent off the queue; returns whether it is empty.
  private boolean advance(long bytes) {
    pending -= bytes;
    long left = bytes;
    while (first != null) {
      int size = first.readableBytes() - firstSent;
      if (left < size) {
        firstSent += (int) left;
        return false;
      }
      left -= size;
      removeFirst();
    }
    return true;
  }

  private void removeFirst() {
    if (kept > 0) {
      kept--;
      first.release();
    }
    firstSent = 0;
    first = rest == null ? null : rest.poll();
    if (rest != null && rest.isEmpty()) {
      rest = null;
    }
  }

  private void block() {
    keep();
    try {
      registration.submit(READ_AND_WRITE);
      blocked = true;
    } catch (UncheckedIOException e) {
      onSendFailed(e.getCause());
    }
  }

  // What is lent goes back to its owner when the batch ends. It stands behind what is kept already,
  // which can be long for a slow client and is not walked again.
  private void keep() {
    int waiting = waiting();
    int lent = waiting - kept;
    if (rest != null) {
      Iterator<ByteBuf> latest = rest.descendingIterator();
      for (; lent > 0 && latest.hasNext(); lent--) {
        latest.next().retain();
      }
    }
    if (lent > 0) {
      first.retain();
    }
    kept = waiting;
  }

  private int waiting() {
    if (first == null) {
      return 0;
    }
    return rest == null ? 1 : 1 + rest.size();
  }

  private void afterAll() {
    if (finishing && !finished) {
      shutDownOutput();
    }
  }

  private void shutDownOutput() {
    finished = true;
    boolean halfClosed = true;
    try {
      socket.shutdown(false, true);
    } catch (IOException | NotYetConnectedException e) {
      halfClosed = false;
    }
    owner.onFinished(halfClosed);
  }

  @Override
  public long pendingBytes() {
    return pending + (long) BUFFER_BYTES * waiting();
  }

  @Override
  public void finish(ByteBuf last) {
    write(last);
    finishing = true;
    flush();
  }

  @Override
  public void finishEarly(ByteBuf last) {
    if (sending) {
      loop.sends().submit(); // until then nobody knows how much of the first buffer was sent
    }
    discardRest();
    write(last);
    finishing = true;
    enlargeSendBuffer();
    flush();
  }

  // The first buffer stays: its beginning may be with the client already.
  private void discardRest() {
    if (rest == null) {
      return;
    }
    int retained = kept - 1;
    for (ByteBuf discarded : rest) {
      pending -= discarded.readableBytes();
      if (retained > 0) {
        discarded.release();
        retained--;
      }
    }
    rest = null;
    kept = Math.min(kept, 1);
  }

  private void enlargeSendBuffer() {
    if (!blocked || closed) {
      return;
    }
    try {
      socket.setSendBufferSize(SendBuffer.enlarged(socket.getSendBufferSize(), pending));
      registration.submit(READ);
      blocked = false;
    } catch (IOException | UncheckedIOException e) {
      // Only a broken socket refuses. The caller may be in the middle of a subscription.
      execute(() -> fail(e));
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (sending) {
      loop.sends().submit();
      if (closed) { // the submit has told of the end already
        return;
      }
    }
    closed = true;
    drop();
    try {
      abandon();
    } catch (IOException e) {
      owner.onFault(e);
    }
    owner.onGone();
  }

  private void drop() {
    while (first != null) {
      removeFirst();
    }
    pending = 0;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public void registered() {
    // The loop has taken it; open follows.
  }

  @Override
  public void unregistered() {
    // Its own close said so.
  }
}
