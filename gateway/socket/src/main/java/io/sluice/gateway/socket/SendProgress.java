package io.sluice.gateway.socket;

import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** State of the bytes that were sent to a client from which nothing arrives. */
public enum SendProgress {
  /** All bytes are acknowledged, or the client's host does not respond. */
  NONE,

  /** Bytes wait, and the client has accepted some lately. A ping behind them may be in transit. */
  ADVANCING,

  /** Bytes wait, and the client accepts none although its host responds. */
  STALLED;

  /** Offset of {@code tcpi_notsent_bytes} in Linux' {@code struct tcp_info}. */
  private static final int NOT_SENT_OFFSET = 144;

  /**
   * The first bytes of {@code struct tcp_info}: IPPROTO_TCP, TCP_INFO. Older kernels fill fewer.
   */
  private static final RawUnixChannelOption TCP_INFO =
      new RawUnixChannelOption("TCP_INFO", 6, 11, NOT_SENT_OFFSET + Integer.BYTES);

  /**
   * Returns the progress of a connection by the state of its kernel socket.
   *
   * @param channel any channel of the socket; not used further
   * @param waits whether bytes wait that the kernel has not taken
   * @param withinMs age of the latest progress that counts
   */
  static SendProgress of(EpollSocketChannel channel, boolean waits, long withinMs) {
    EpollTcpInfo kernel = channel.tcpInfo();
    if (!waits && kernel.unacked() == 0 && notSent(channel) == 0) {
      return NONE;
    }
    if (kernel.lastAckRecv() >= withinMs) {
      return NONE;
    }
    return kernel.lastDataSent() < withinMs ? ADVANCING : STALLED;
  }

  /**
   * Returns the number of bytes that the kernel holds back, as it does while the client's window is
   * closed.
   */
  private static int notSent(EpollSocketChannel channel) {
    ByteBuffer info = channel.config().getOption(TCP_INFO);
    return info.order(ByteOrder.nativeOrder()).getInt(NOT_SENT_OFFSET);
  }
}
