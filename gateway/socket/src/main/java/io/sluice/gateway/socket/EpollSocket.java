package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollSocketChannel;
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
 * <p>{@link #first} and {@link #rest} are the send queue. The first {@link #retained} of its
 * buffers could not be sent in time and are retained; the others are borrowed.
 */
final class EpollSocket implements ClientSocket, SendTarget, EpollIoHandle {
  /**
   * Approximate overhead of a queued buffer in bytes, as Netty counts it for a channel. Without it,
   * a client that floods the node with pings and reads no pongs could queue half a million buffers.
   */
  static final int BUFFER_BYTES = 96;

  /** Maximum number of reads by {@link #readReceived}. */
  private static final int MAX_READS = 64;

  private static final EpollIoOps READ = EpollIoOps.EPOLLIN;
  private static final EpollIoOps READ_AND_WRITE = READ.with(EpollIoOps.EPOLLOUT);

  private final EpollSockets loop;
  private final Socket socket;
  private Owner owner;
  private IoRegistration registration;

  private ByteBuf first;
  private ArrayDeque<ByteBuf> rest;
  private int firstSent;
  private int retained;
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
   * @throws IOException if the loop cannot register it; it is closed then
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

  /** Notifies the owner that the socket is ready. */
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

  /** Returns whether the socket is open and has this owner. */
  boolean isOwnedBy(Owner expected) {
    return owner == expected && !closed;
  }

  /**
   * Makes another owner responsible, which is notified that the socket is ready. If it throws an
   * exception, the socket is closed and remains with its previous owner.
   */
  void changeOwner(Owner next) {
    Owner previous = owner;
    owner = next;
    try {
      open();
    } catch (RuntimeException | Error e) {
      owner = previous;
      throw e;
    }
  }

  /** Releases the open descriptor, of which this object makes no further use. */
  Socket detach() {
    closed = true;
    registration.cancel();
    return socket;
  }

  /** Passes received bytes to the owner. */
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
      owner.onFault(SendTarget.resetByClient(e));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      owner.onFault(e);
    }
  }

  @Override
  public boolean readReceived() {
    try {
      boolean more = !closed;
      for (int i = 0; more && i < MAX_READS && !closed; i++) {
        more = loop.readNow(this);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      owner.onFault(e);
    }
    return !closed;
  }

  @Override
  public SendProgress progress(long withinMs) {
    // An unregistered channel, because Netty offers the state of the kernel by channels only.
    return closed
        ? SendProgress.NONE
        : SendProgress.of(new EpollSocketChannel(socket.intValue()), pending > 0, withinMs);
  }

  private void onReady(EpollIoOps ready) throws IOException {
    if (blocked && !closed && ready.contains(EpollIoOps.EPOLLOUT)) {
      blocked = false;
      sendNow();
      if (!blocked && !closed) {
        registration.submit(READ);
      }
    }
    if (!closed && !EpollIoOps.EPOLLOUT.equals(ready)) { // a read reports errors as well
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
      loop.sender().submit();
    }
    if (blocked || closed) {
      retainBorrowed();
    } else {
      sendNow();
    }
  }

  @Override
  public void flushInBatch() {
    if (rest != null && !blocked && !sending && retained == 0) {
      join();
    }
    if (first == null || rest != null || blocked || sending || retained > 0) {
      flush();
    } else if (!closed) {
      sending = true;
      loop.sender().send(this, first, first.readerIndex() + firstSent);
    }
  }

  // All buffers are borrowed, and no byte of them was sent.
  private void join() {
    ByteBuf joined = loop.joiner().join(first, rest, pending);
    if (joined != null) {
      first = joined;
      rest = null;
    }
  }

  // The bytes are those of the first buffer.
  @Override
  public void onSent(int bytes) {
    sending = false;
    if (advance(bytes)) {
      onQueueEmpty();
    } else {
      block();
    }
  }

  // In a later task, because the hub may be iterating over its lists now.
  @Override
  public void onSendFailed(IOException cause) {
    sending = false;
    retainBorrowed();
    if (!blocked) {
      blocked = true; // no further sends
      execute(() -> fail(cause));
    }
  }

  /** Notifies the owner of a failure, unless the socket is closed. */
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
      onQueueEmpty();
    } catch (IOException e) {
      onSendFailed(e);
    } catch (NotYetConnectedException e) {
      onSendFailed(SendTarget.resetByClient(e));
    }
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

  // Removes sent bytes from the queue. Returns whether it is empty.
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
    if (retained > 0) {
      retained--;
      first.release();
    }
    firstSent = 0;
    first = rest == null ? null : rest.poll();
    if (rest != null && rest.isEmpty()) {
      rest = null;
    }
  }

  private void block() {
    retainBorrowed();
    try {
      registration.submit(READ_AND_WRITE);
      blocked = true;
    } catch (UncheckedIOException e) {
      onSendFailed(e.getCause());
    }
  }

  // Borrowed buffers are invalid after the batch. They are at the end of the queue: the retained
  // ones
  // before them, many for a slow client, are not visited again.
  private void retainBorrowed() {
    int queued = queued();
    int borrowed = queued - retained;
    if (rest != null) {
      Iterator<ByteBuf> latest = rest.descendingIterator();
      for (; borrowed > 0 && latest.hasNext(); borrowed--) {
        latest.next().retain();
      }
    }
    if (borrowed > 0) {
      first.retain();
    }
    retained = queued;
  }

  private int queued() {
    if (first == null) {
      return 0;
    }
    return rest == null ? 1 : 1 + rest.size();
  }

  private void onQueueEmpty() {
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
    return pending + (long) BUFFER_BYTES * queued();
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
      loop.sender().submit(); // determines how much of the first buffer was sent
    }
    discardRest();
    write(last);
    finishing = true;
    enlargeSendBuffer();
    flush();
  }

  // The first buffer remains, because its beginning may already be sent.
  private void discardRest() {
    if (rest == null) {
      return;
    }
    int toRelease = retained - 1;
    for (ByteBuf discarded : rest) {
      pending -= discarded.readableBytes();
      if (toRelease > 0) {
        discarded.release();
        toRelease--;
      }
    }
    rest = null;
    retained = Math.min(retained, 1);
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
      // Only a broken socket rejects this. In a later task: the caller may be in a subscription.
      execute(() -> fail(e));
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (sending) {
      loop.sender().submit();
      if (closed) { // submit has closed it
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
    owner.onClosed();
  }

  @Override
  public void abort() {
    if (sending) {
      loop.sender().submit();
    }
    drop();
    finishing = true; // accepts no more bytes
    finished = true;
    execute(this::close);
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
    // The caller of register calls open.
  }

  @Override
  public void unregistered() {
    // Called by close only.
  }
}
