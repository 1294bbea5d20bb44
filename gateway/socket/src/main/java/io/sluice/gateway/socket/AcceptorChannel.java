package io.sluice.gateway.socket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Map;

/**
 * Listening socket on epoll. Passes accepted descriptors to the {@link AcceptTarget}s of its port
 * in turn, in one task per event loop and iteration. Without a target it creates a channel for
 * each, as Netty does. Bound to the acceptor's event loop.
 */
final class AcceptorChannel extends AbstractServerChannel {
  /** Stores the bootstrap of a server channel, which has the handler of its channels. */
  static final AttributeKey<ServerBootstrap> BOOTSTRAP =
      AttributeKey.valueOf(AcceptorChannel.class, "bootstrap");

  /** Maximum number of connections accepted per iteration. */
  private static final int MAX_ACCEPTED = 64;

  /** Size of an encoded IPv6 address with scope and port, and of its length. */
  private static final int ADDRESS_BYTES = 25;

  private final Socket socket = Socket.newSocketStream();
  private final AcceptorConfig config = new AcceptorConfig(this, socket, this::readNoMore);
  private final AcceptTargets targets;
  private final Handle handle = new Handle();
  private final byte[] address = new byte[ADDRESS_BYTES + 1];
  private IoRegistration registration;
  private ServerChannels channels;
  private volatile InetSocketAddress local;
  private AcceptBatch[] batches = {};
  private int next;

  AcceptorChannel(AcceptTargets targets) {
    this.targets = targets;
  }

  /** Registration of the listening socket at the event loop. */
  private final class Handle implements EpollIoHandle {
    @Override
    public Socket fd() {
      return socket;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
      onReady();
    }

    @Override
    public void close() {
      AcceptorChannel.this.close();
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class);
  }

  @Override
  protected void doBind(SocketAddress wanted) throws Exception {
    socket.bind(wanted);
    local = socket.localAddress();
    ServerBootstrap bootstrap = attr(BOOTSTRAP).get();
    inherit(bootstrap.config().childOptions());
    channels = new ServerChannels(bootstrap);
    socket.listen(config.backlog());
    Future<IoRegistration> registered = ((IoEventLoop) eventLoop()).register(handle);
    registration = registered.getNow();
    if (registration == null) {
      throw new IOException("the event loop rejects the listening socket", registered.cause());
    }
  }

  // Accepted sockets inherit these options from the listening socket.
  private void inherit(Map<ChannelOption<?>, Object> options) throws IOException {
    socket.setTcpNoDelay(Boolean.TRUE.equals(options.get(ChannelOption.TCP_NODELAY)));
    socket.setKeepAlive(Boolean.TRUE.equals(options.get(ChannelOption.SO_KEEPALIVE)));
    if (options.get(ChannelOption.SO_SNDBUF) instanceof Integer bytes) {
      socket.setSendBufferSize(bytes);
    }
    if (options.get(ChannelOption.SO_RCVBUF) instanceof Integer bytes) {
      socket.setReceiveBufferSize(bytes);
    }
  }

  @Override
  protected void doBeginRead() {
    registration.submit(EpollIoOps.EPOLLIN);
  }

  private void readNoMore() {
    if (registration != null) {
      eventLoop().execute(() -> registration.submit(EpollIoOps.EPOLLERR));
    }
  }

  private void onReady() {
    try {
      accept();
    } catch (IOException e) {
      // Netty's handler stops accepting for a second, such as after too many open descriptors.
      pipeline().fireExceptionCaught(e);
    } finally {
      passOn();
    }
  }

  private void accept() throws IOException {
    AcceptTarget[] loops = targets.of(local.getPort());
    prepare(loops);
    for (int i = 0; i < MAX_ACCEPTED && isOpen(); i++) {
      int descriptor = socket.accept(address);
      if (descriptor < 0) {
        return;
      }
      if (loops.length == 0) {
        EpollSocketChannel channel = ServerChannels.open(descriptor);
        if (channel != null) {
          pipeline().fireChannelRead(channel);
        }
      } else {
        next = (next + 1) % loops.length;
        batches[next].add(descriptor, Arrays.copyOfRange(address, 1, 1 + address[0]));
      }
    }
  }

  private void prepare(AcceptTarget[] loops) {
    batches = new AcceptBatch[loops.length];
    for (int i = 0; i < loops.length; i++) {
      batches[i] = new AcceptBatch(loops[i], channels);
    }
  }

  private void passOn() {
    for (AcceptBatch batch : batches) {
      batch.passOn();
    }
    batches = new AcceptBatch[0];
    pipeline().fireChannelReadComplete();
  }

  @Override
  protected void doClose() throws Exception {
    if (registration != null) {
      registration.cancel();
    }
    socket.close();
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public boolean isActive() {
    return local != null && isOpen();
  }
}
