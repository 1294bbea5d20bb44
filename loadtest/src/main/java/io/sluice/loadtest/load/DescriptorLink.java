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
 * Link over a file descriptor on an epoll event loop. Bound to its event loop.
 *
 * <p>The descriptor is registered once, edge-triggered: the event mask does not change on connect,
 * and reads need no re-registration.
 */
final class DescriptorLink implements Link, EpollIoHandle {
  private static final EpollIoOps EVENTS =
      EpollIoOps.EPOLLIN
          .with(EpollIoOps.EPOLLOUT)
          .with(EpollIoOps.EPOLLRDHUP)
          .with(EpollIoOps.EPOLLET);

  private final SocketReader reads;
  private final Socket socket;
  private final Link.Listener listener;
  private IoRegistration registration;
  private boolean connected;
  private boolean closed;

  DescriptorLink(SocketReader reads, Socket socket, Link.Listener listener) {
    this.reads = reads;
    this.socket = socket;
    this.listener = listener;
  }

  /** Registers for readiness events. */
  void register(IoRegistration registered) throws IOException {
    registration = registered;
    try {
      rearm();
    } catch (IOException e) {
      registration.cancel();
      throw e;
    }
  }

  /** Re-arms the registration, which reports pending readiness again. */
  void rearm() throws IOException {
    try {
      registration.submit(EVENTS);
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
    if (connected && !closed && !EpollIoOps.EPOLLOUT.equals(ready)) { // reading reports errors
      reads.read(this, ready.contains(EpollIoOps.EPOLLRDHUP));
    }
  }

  /** Passes received bytes to the listener. */
  void read(ByteBuf bytes) {
    listener.onBytes(bytes);
  }

  /** Closes the link after the peer closed the connection or it failed. */
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
        throw new IOException("the server does not read fast enough");
      }
    } catch (NotYetConnectedException e) { // thrown by Netty for a reset socket
      throw new IOException("the connection was reset", e);
    }
  }

  @Override
  public void reset() {
    try {
      socket.setSoLinger(0);
    } catch (IOException | RuntimeException e) {
      // The peer has already reset it.
    }
    close();
  }

  @Override
  public void close() {
    if (!closed) {
      reads.beforeClose();
    }
    if (!closed) { // the last read may have closed it
      closed = true;
      registration.cancel();
      try {
        socket.close();
      } catch (IOException e) {
        // Ignored: the connection has ended.
      }
    }
  }

  @Override
  public void registered() {
    // register() follows.
  }

  @Override
  public void unregistered() {
    // close() cancelled the registration.
  }
}
