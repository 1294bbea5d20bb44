package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resources shared by the epoll sockets of one event loop: the receive buffer and the sender. Bound
 * to that loop.
 */
public final class EpollSockets implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EpollSockets.class);

  /** Maximum bytes of one read, some hundred small frames; bounds the delay of other clients. */
  private static final int READ_BYTES = 16 * 1024;

  private final IoEventLoop loop;
  private FdDuplicator duplicator;
  private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES, READ_BYTES);
  private final GatheredBytes gathered = new GatheredBytes();
  private final QueueJoiner joiner;
  private final ReadBudget budget;
  private Sender sender;

  /** Null until the first client with TLS. */
  private TlsRecords records;

  private boolean closed;

  EpollSockets(
      IoEventLoop loop,
      FdDuplicator duplicator,
      Sender sender,
      QueueJoiner joiner,
      ReadBudget budget) {
    this.loop = loop;
    this.duplicator = duplicator;
    this.sender = sender;
    this.joiner = joiner;
    this.budget = budget;
  }

  /**
   * Opens the resources of a loop. Returns null if it is no epoll loop or the native library does
   * not work. To be called on the loop.
   *
   * @param useIoUring whether to send by io_uring, if the kernel allows it
   */
  public static EpollSockets open(EventLoop loop, boolean useIoUring) {
    if (!(loop instanceof IoEventLoop io) || !io.isCompatible(EpollIoHandle.class)) {
      return null;
    }
    try {
      FdDuplicator duplicator = FdDuplicator.open();
      Sender sender = useIoUring ? ioUring(io) : new DirectSender();
      QueueJoiner joiner = new QueueJoiner(PooledByteBufAllocator.DEFAULT);
      ReadBudget budget = new ReadBudget(io, System::nanoTime);
      return new EpollSockets(io, duplicator, sender, joiner, budget);
    } catch (IOException | RuntimeException e) { // any failure: connections stay on channels
      fallBack("descriptors", "channels", e);
      return null;
    }
  }

  private static Sender ioUring(IoEventLoop loop) {
    try {
      return IoUringSender.open(loop);
    } catch (IOException e) {
      fallBack("io-uring", "epoll", e);
      return new DirectSender();
    }
  }

  /** Logs that a slower alternative is used. */
  static void fallBack(String wanted, String taken, Throwable cause) {
    log.atWarn()
        .addKeyValue("wanted", wanted)
        .addKeyValue("taken", taken)
        .addKeyValue("why", cause.getMessage())
        .log("transport.fallback");
  }

  /** Returns the transport in use, by its name in the configuration. */
  public String transport() {
    return sender instanceof IoUringSender ? "io-uring" : "epoll";
  }

  /** Duplicates the socket of a plain connection. Returns null, without an effect, on failure. */
  EpollSocket open(Channel channel, ClientSocket.Owner owner) {
    if (closed || !(channel instanceof EpollSocketChannel tcp)) {
      return null;
    }
    EpollSocket socket;
    try {
      socket = duplicate(tcp, owner);
    } catch (IOException e) {
      log.atDebug().setCause(e).log("client.fault");
      return null;
    }
    socket.open();
    return socket;
  }

  private EpollSocket duplicate(EpollSocketChannel channel, ClientSocket.Owner owner)
      throws IOException {
    return register(new Socket(duplicate(channel.fd().intValue())), owner);
  }

  private EpollSocket register(Socket descriptor, ClientSocket.Owner owner) throws IOException {
    EpollSocket socket = new EpollSocket(this, descriptor, owner);
    Future<IoRegistration> registered = loop.register(socket);
    if (!registered.isSuccess()) {
      descriptor.close();
      throw new IOException("the event loop rejects the descriptor", registered.cause());
    }
    socket.register(registered.getNow());
    return socket;
  }

  /**
   * Opens an accepted socket, from which nothing has been read.
   *
   * @throws IOException if the loop rejects it; it is closed then
   */
  void adopt(int descriptor, ClientSocket.Owner owner) throws IOException {
    if (closed) {
      closeQuietly(descriptor);
    } else {
      register(new Socket(descriptor), owner).open();
    }
  }

  /**
   * Returns a socket that sends the records of a channel with TLS, or the channel's own socket if
   * its engine or its kind does not allow that.
   */
  ClientSocket withRecords(ChannelSocket socket, ChannelPipeline pipeline) {
    return pipeline.first() instanceof SslHandler tls
            && tls.engine() instanceof ReferenceCountedOpenSslEngine engine
            && pipeline.channel() instanceof EpollSocketChannel channel
            && channel.fd() instanceof Socket descriptor
        ? new TlsSocket(this, socket, engine, descriptor)
        : socket;
  }

  EventLoop loop() {
    return loop;
  }

  /** Closes a socket that no object owns. */
  static void closeQuietly(int descriptor) {
    try {
      new Socket(descriptor).close();
    } catch (IOException e) {
      log.atDebug().setCause(e).log("client.fault");
    }
  }

  // A duplicator that failed may still contain a client's socket, which the next client must not
  // get.
  private int duplicate(int descriptor) throws IOException {
    if (duplicator == null) {
      duplicator = FdDuplicator.open();
    }
    try {
      return duplicator.duplicate(descriptor);
    } catch (IOException e) {
      duplicator.close();
      duplicator = null;
      throw e;
    }
  }

  /**
   * Reads received bytes of a socket, up to a limit, unless it is the turn of the loop's tasks.
   * Closes it at the end of the stream.
   */
  void read(EpollSocket socket) throws IOException {
    if (budget.allowsRead()) {
      readNow(socket); // level-triggered: the loop calls again for more
    }
  }

  /**
   * Reads received bytes of a socket, up to a limit. Closes it at the end of the stream.
   *
   * @return whether there was something to read
   */
  boolean readNow(EpollSocket socket) throws IOException {
    int count = socket.fd().recvAddress(in.memoryAddress(), 0, READ_BYTES);
    if (count < 0) {
      socket.close();
    } else if (count > 0) {
      socket.read(in.setIndex(0, count));
    }
    return count > 0;
  }

  /** Submits all sends of the batch to the kernel. */
  public void endBatch() {
    try {
      sender.submit();
    } finally {
      joiner.endBatch();
      if (records != null) {
        records.truncate(0);
      }
    }
  }

  /** Returns whether so many bytes can be encrypted in {@link #records}, which exist then. */
  boolean hasRoomForRecords(long bytes) {
    if (closed || bytes > TlsRecords.MAX_BYTES || !openRecords()) {
      return false;
    }
    if (!records.fits(bytes)) {
      sender.submit();
      records.truncate(0);
    }
    return true;
  }

  private boolean openRecords() {
    try {
      if (records == null) {
        records = new TlsRecords(PooledByteBufAllocator.DEFAULT);
      }
      return true;
    } catch (OutOfMemoryError e) { // the channels encrypt
      return false;
    }
  }

  TlsRecords records() {
    return records;
  }

  Sender sender() {
    return sender;
  }

  /** Returns the joiner of the current batch. */
  QueueJoiner joiner() {
    return joiner;
  }

  /** Returns the shared gathering buffers, empty. */
  GatheredBytes gathered() {
    gathered.clear(); // a previous user may have failed
    return gathered;
  }

  void execute(Runnable task) {
    loop.execute(task);
  }

  /** Runs a task on the event loop, at once if this is the calling thread. Any thread. */
  void executeOrRun(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  /** Releases the resources. All sockets of the loop must be closed. */
  @Override
  public void close() {
    closed = true;
    sender.close();
    sender = new DirectSender();
    if (duplicator != null) {
      duplicator.close();
    }
    gathered.close();
    if (records != null) {
      records.close();
    }
    in.release();
  }
}
