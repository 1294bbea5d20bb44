package io.sluice.gateway.socket;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Source address of a channel, which a PROXY protocol header can replace. Any thread. */
public final class SourceAddress {
  private static final AttributeKey<InetAddress> SOURCE =
      AttributeKey.valueOf(SourceAddress.class, "source");

  private SourceAddress() {}

  /** Returns the address named by the PROXY protocol header, otherwise the socket's peer. */
  public static InetAddress of(Channel channel) {
    InetAddress named = channel.hasAttr(SOURCE) ? channel.attr(SOURCE).get() : null;
    return named == null ? ((InetSocketAddress) channel.remoteAddress()).getAddress() : named;
  }

  /** Stores the address that a PROXY protocol header names. */
  public static void set(Channel channel, InetAddress source) {
    channel.attr(SOURCE).set(source);
  }
}
