package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.sluice.gateway.handshake.Refusal;
import java.net.InetAddress;

/**
 * Bare socket of an accepted connection before its upgrade. Either the upgrade makes another owner
 * responsible for the same socket, or the connection continues on a channel. Bound to its event
 * loop, except {@link #execute}.
 */
public final class HandshakeSocket implements ClientSocket.Owner, AcceptedConnection {
  /** Callbacks of the sockets of one event loop. */
  public interface Listener {
    /** Called once, first: nothing has been read. */
    void onAccepted(HandshakeSocket socket);

    /**
     * Called with the first received bytes. They are valid during the call only, which must end
     * with {@link #upgrade}, {@link #continueOnChannel} or {@link #close}.
     */
    void onRequest(HandshakeSocket socket, ByteBuf bytes);

    /** Called when the socket has failed and is about to close. */
    void onFault(Throwable cause);

    /** Called once, last, unless the connection was upgraded. */
    void onClosed(HandshakeSocket socket);
  }

  private final EpollSockets loop;
  private final ServerChannels channels;
  private final Listener listener;
  private final InetAddress source;
  private EpollSocket socket;

  /** Null unless the connection continues on a channel. */
  private Channel channel;

  HandshakeSocket(
      EpollSockets loop, ServerChannels channels, Listener listener, InetAddress source) {
    this.loop = loop;
    this.channels = channels;
    this.listener = listener;
    this.source = source;
  }

  @Override
  public void onOpen(ClientSocket opened) {
    socket = (EpollSocket) opened;
    listener.onAccepted(this);
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    listener.onRequest(this, bytes);
  }

  @Override
  public InetAddress source() {
    return source;
  }

  /** Returns whether the socket is still open and not handed over. */
  public boolean isOpen() {
    return channel == null && socket.isOwnedBy(this);
  }

  /**
   * Sends the head of a response and makes {@code next} the owner of the socket.
   *
   * @return false, without an effect, if the connection has already ended
   */
  public boolean upgrade(ByteBuf response, ClientSocket.Owner next) {
    if (!isOpen()) {
      return false;
    }
    socket.changeOwner(next);
    socket.write(response);
    socket.flush();
    return true;
  }

  /** Passes bytes behind the request to the owner after the upgrade. */
  public void passOn(ByteBuf rest) {
    if (rest.isReadable()) {
      socket.read(rest);
    }
  }

  /** Sends a complete response. The kernel has room for it, because nothing was sent before. */
  public void respond(ByteBuf response) {
    if (isOpen()) {
      socket.write(response);
      socket.flush();
    }
  }

  /**
   * Continues the connection on a channel of the server that accepted it.
   *
   * @param received bytes that the channel reads first; copied
   */
  public void continueOnChannel(ByteBuf received) {
    if (!isOpen()) {
      return;
    }
    if (socket.pendingBytes() > 0) { // a response that the kernel has not taken
      socket.close();
      return;
    }
    ReceivedBytes first = new ReceivedBytes(received.copy()); // may lack memory, so before detach
    EpollSocketChannel continued = ServerChannels.open(socket.detach().intValue());
    if (continued == null) {
      onNotContinued(first);
      return;
    }
    channel = continued;
    AcceptedChannel.set(continued, this);
    continued.pipeline().addFirst(first);
    channels.serve(continued, loop.loop(), () -> onNotContinued(first));
  }

  private void onNotContinued(ReceivedBytes first) {
    first.discard();
    onClosed();
  }

  @Override
  public void onFinished(boolean halfClosed) {
    // A handshake never finishes its socket.
  }

  @Override
  public void onFault(Throwable cause) {
    listener.onFault(cause);
    if (isOpen()) {
      socket.close();
    } else {
      onClosed(); // its next owner has failed to open it
    }
  }

  @Override
  public void onClosed() {
    listener.onClosed(this);
  }

  @Override
  public void readReceived() {
    if (isOpen()) {
      socket.readReceived();
    }
  }

  @Override
  public void close() {
    if (channel != null) {
      channel.close();
    } else {
      socket.close();
    }
  }

  // Bytes of a request are read at once, and then read by the channel.
  @Override
  public void closeWith(Refusal refusal) {
    if (channel != null) {
      RequestWatch.close(channel, refusal);
    } else {
      socket.close();
    }
  }

  @Override
  public void execute(Runnable task) {
    loop.executeOrRun(task);
  }
}
