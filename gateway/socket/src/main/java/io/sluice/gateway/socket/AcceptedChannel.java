package io.sluice.gateway.socket;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import io.sluice.gateway.handshake.Refusal;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Accepted connection on a channel. Bound to its event loop, except {@link #execute}. */
public final class AcceptedChannel implements AcceptedConnection {
  private static final AttributeKey<AcceptedConnection> CONNECTION =
      AttributeKey.valueOf(AcceptedChannel.class, "connection");

  private final Channel channel;

  /** Null unless a PROXY protocol header names it. */
  private InetAddress named;

  private AcceptedChannel(Channel channel) {
    this.channel = channel;
  }

  /** Returns the connection of a channel, always the same one. */
  public static AcceptedConnection of(Channel channel) {
    AcceptedConnection present = channel.attr(CONNECTION).get();
    if (present == null) {
      present = new AcceptedChannel(channel);
      channel.attr(CONNECTION).set(present);
    }
    return present;
  }

  /** Continues a connection on a channel. */
  static void set(Channel channel, AcceptedConnection connection) {
    channel.attr(CONNECTION).set(connection);
  }

  /** Returns the channel. */
  public Channel channel() {
    return channel;
  }

  /** Stores the address that a PROXY protocol header names. */
  public static void setSource(Channel channel, InetAddress source) {
    ((AcceptedChannel) of(channel)).named = source;
  }

  @Override
  public InetAddress source() {
    if (named != null) {
      return named;
    }
    InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
    return peer == null ? null : peer.getAddress();
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void closeWith(Refusal refusal) {
    RequestWatch.close(channel, refusal);
  }

  @Override
  public void execute(Runnable task) {
    EventLoop loop = channel.eventLoop();
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }
}
