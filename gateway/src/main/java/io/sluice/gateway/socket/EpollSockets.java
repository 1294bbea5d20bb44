package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
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

  /** What is read of one client before the others have their turn: some hundred small frames. */
  private static final int READ_BYTES = 16 * 1024;

  private final IoEventLoop loop;
  private FdDuplicator copier;
  private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES, READ_BYTES);
  private final GatheredBytes gathered = new GatheredBytes();
  private Sender sends;
  private boolean closed;

  EpollSockets(IoEventLoop loop, FdDuplicator copier, Sender sends) {
    this.loop = loop;
    this.copier = copier;
    this.sends = sends;
  }

  /**
   * The descriptors of a loop, or null if the loop has none: it is no epoll loop, or the native
   * parts do not work here. Call it on the loop.
   *
   * @param ring whether to send by an io_uring, if the kernel allows it
   */
  public static EpollSockets open(EventLoop loop, boolean ring) {
    if (!(loop instanceof IoEventLoop io) || !io.isCompatible(EpollIoHandle.class)) {
      return null;
    }
    try {
      FdDuplicator copier = FdDuplicator.open();
      return new EpollSockets(io, copier, ring ? ring(io) : new DirectSender());
    } catch (IOException | RuntimeException e) { // whatever is missing, there is another way
      fallBack("descriptors", "channels", e);
      return null;
    }
  }

  private static Sender ring(IoEventLoop loop) {
    try {
      return IoUringSender.open(loop);
    } catch (IOException e) {
      fallBack("io-uring", "epoll", e);
      return new DirectSender();
    }
  }

  /** Tells the operator that something works in a slower way. */
  static void fallBack(String wanted, String taken, Throwable cause) {
    log.atWarn()
        .addKeyValue("wanted", wanted)
        .addKeyValue("taken", taken)
        .addKeyValue("why", cause.getMessage())
        .log("transport.fallback");
  }

  /** What sends here, by the name that the configuration has for it. */
  public String transport() {
    return sends instanceof IoUringSender ? "io-uring" : "epoll";
  }

  /** Takes a plain connection's socket; null if that cannot be, and nothing has happened then. */
  EpollSocket take(Channel channel, ClientSocket.Owner owner) {
    if (closed || !(channel instanceof EpollSocketChannel tcp)) {
      return null;
    }
    EpollSocket wire;
    try {
      wire = copy(tcp, owner);
    } catch (IOException e) {
      log.atDebug().setCause(e).log("client.fault");
      return null;
    }
    wire.open();
    return wire;
  }

  private EpollSocket copy(EpollSocketChannel channel, ClientSocket.Owner owner)
      throws IOException {
    Socket socket = new Socket(copy(channel.fd().intValue()));
    EpollSocket wire = new EpollSocket(this, socket, owner);
    Future<IoRegistration> registered = loop.register(wire);
    if (!registered.isSuccess()) {
      socket.close();
      throw new IOException("the event loop takes no descriptor", registered.cause());
    }
    wire.register(registered.getNow());
    return wire;
  }

  // A copier that failed may still hold a client's socket, which the next client must not get.
  private int copy(int descriptor) throws IOException {
    if (copier == null) {
      copier = FdDuplicator.open();
    }
    try {
      return copier.copy(descriptor);
    } catch (IOException e) {
      copier.close();
      copier = null;
      throw e;
    }
  }

  /** Reads some of what has come for a socket, and closes it at its end. */
  void read(EpollSocket wire) throws IOException {
    int count = wire.fd().recvAddress(in.memoryAddress(), 0, READ_BYTES);
    if (count < 0) {
      wire.close();
    } else if (count > 0) {
      wire.read(in.setIndex(0, count)); // if there is more, the loop says so again
    }
  }

  /** Everything that was flushed in this batch is with the kernel when this returns. */
  public void endBatch() {
    sends.submit();
  }

  Sender sends() {
    return sends;
  }

  /** The place to gather bytes in, empty. */
  GatheredBytes gathered() {
    gathered.clear(); // should the last user have failed, his bytes are not the next one's
    return gathered;
  }

  void execute(Runnable task) {
    loop.execute(task);
  }

  /** Ends the loop's sharing; all its sockets are closed. */
  @Override
  public void close() {
    closed = true;
    sends.close();
    sends = new DirectSender();
    if (copier != null) {
      copier.close();
    }
    gathered.close();
    in.release();
  }
}
