package io.sluice.loadtest.load;

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

/**
 * Link over a file descriptor on an epoll loop. It is registered once, edge-triggered: no change of
 * interest on connect, no re-registration after each read. Bound to its loop.
 */
final class DescriptorLink implements Link, EpollIoHandle {
  private static final EpollIoOps WATCHED =
      EpollIoOps.EPOLLIN
          .with(EpollIoOps.EPOLLOUT)
          .with(EpollIoOps.EPOLLRDHUP)
          .with(EpollIoOps.EPOLLET);

  private final Reads reads;
  private final Socket socket;
  private final Link.Listener listener;
  private IoRegistration registration;
  private boolean connected;
  private boolean closed;

  DescriptorLink(Reads reads, Socket socket, Link.Listener listener) {
    this.reads = reads;
    this.socket = socket;
    this.listener = listener;
  }

  /** Registers it for readiness events. */
  void register(IoRegistration registered) throws IOException {
    registration = registered;
    try {
      rearm();
    } catch (IOException e) {
      registration.cancel();
      throw e;
    }
  }

  /** Re-arms the registration to get pending readiness again. */
  void rearm() throws IOException {
    try {
      registration.submit(WATCHED);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public Socket fd() {
    return socket;
  }

  boolean isOpen() {
    return !closed;
  }

  @Override
  public void handle(IoRegistration source, IoEvent event) {
    if (closed) {
      return;
    }
    try {
      onReady(((EpollIoEvent) event).ops());
    } catch (IOException e) {
      if (!closed) {
        end(e);
      }
    }
  }

  private void onReady(EpollIoOps ready) throws IOException {
    if (!connected) {
      connected = socket.finishConnect();
      if (connected) {
        listener.onConnected();
      }
    }
    if (connected && !closed && !EpollIoOps.EPOLLOUT.equals(ready)) { // errors show when reading
      reads.read(this, ready.contains(EpollIoOps.EPOLLRDHUP));
    }
  }

  /** Passes received bytes to the listener. */
  void read(ByteBuf bytes) {
    listener.onBytes(bytes);
  }

  /** The peer has closed it, or it has failed. */
  void end(IOException cause) {
    close();
    listener.onEnd(cause);
  }

  @Override
  public void send(ByteBuf bytes) throws IOException {
    int count = bytes.readableBytes();
    try {
      int sent =
          socket.sendAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex());
      if (sent < count) {
        throw new IOException("the server does not read");
      }
    } catch (NotYetConnectedException e) { // what Netty says of a socket that was reset
      throw new IOException("the connection is gone", e);
    }
  }

  @Override
  public void reset() {
    try {
      socket.setSoLinger(0);
    } catch (IOException | RuntimeException e) {
      // It is reset already.
    }
    close();
  }

  @Override
  public void close() {
    if (!closed) {
      reads.beforeClose();
    }
    if (!closed) { // what was read last may have been the end
      closed = true;
      registration.cancel();
      try {
        socket.close();
      } catch (IOException e) {
        // What the other side did to it does not matter any more.
      }
    }
  }

  @Override
  public void registered() {
    // The loop has taken it; register follows.
  }

  @Override
  public void unregistered() {
    // Its own close said so.
  }
}
