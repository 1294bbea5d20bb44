package io.sluice.gateway.socket;

import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;

/** State of the bytes that were sent to a client from which nothing arrives. */
public enum SendProgress {
  /** All bytes are acknowledged, or the client's host does not respond. */
  NONE,

  /** Bytes wait, and the client has accepted some lately. A ping behind them may be in transit. */
  ADVANCING,

  /** Bytes wait, and the client accepts none although its host responds. */
  STALLED;

  /**
   * Returns the progress of a connection by the state of its kernel socket.
   *
   * @param channel any channel of the socket; not used further
   * @param waits whether bytes wait that the kernel has not taken
   * @param withinMs age of the latest progress that counts
   */
  static SendProgress of(EpollSocketChannel channel, boolean waits, long withinMs) {
    EpollTcpInfo kernel = channel.tcpInfo();
    // The kernel probes a client whose window is closed.
    if (!waits && kernel.unacked() == 0 && kernel.probes() == 0) {
      return NONE;
    }
    if (kernel.lastAckRecv() >= withinMs) {
      return NONE;
    }
    return kernel.lastDataSent() < withinMs ? ADVANCING : STALLED;
  }
}
