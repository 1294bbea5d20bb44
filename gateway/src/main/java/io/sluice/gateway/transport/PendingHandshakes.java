package io.sluice.gateway.transport;

import io.netty.channel.Channel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections of one event loop that are still HTTP's, neither WebSocket nor stream, in the
 * order in which they came. Bound to that loop.
 *
 * <p>An idle time-out would not do: a client that sends a byte now and then could stay for ever.
 */
final class PendingHandshakes {
  private static final int CUTS_AT_ONCE = 64;

  private final Map<Channel, Long> deadlines = new LinkedHashMap<>();
  private final GatewayMetrics metrics;
  private final long limitMs;
  private final int most;
  private final List<AddressRange> proxies;

  /**
   * @param limitMs how long a connection may stay here
   * @param most how many may be here at once
   * @param proxies who may connect, each by a header of the PROXY protocol; null if anybody may,
   *     without
   */
  PendingHandshakes(GatewayMetrics metrics, long limitMs, int most, List<AddressRange> proxies) {
    this.metrics = metrics;
    this.limitMs = limitMs;
    this.most = most;
    this.proxies = proxies;
  }

  /**
   * A connection was accepted, and nothing read of it; it is cut if there are too many, or if it
   * does not come from a proxy and has to.
   */
  void add(Channel channel, long nowMs) {
    if (deadlines.size() >= most) {
      metrics.handshakeRefused("too-many");
      channel.close();
    } else {
      deadlines.put(channel, nowMs + limitMs);
      if (proxies != null) {
        expectProxy(channel);
      }
    }
  }

  private void expectProxy(Channel channel) {
    if (AddressRange.anyHas(proxies, ProxyHeader.source(channel))) {
      ProxyHeader.expect(channel, this);
    } else {
      cut(channel, "proxy-protocol");
    }
  }

  /** Ends a connection that is still here, and counts it once. */
  void cut(Channel channel, String cause) {
    if (deadlines.remove(channel) != null) {
      metrics.handshakeRefused(cause);
      channel.close();
    }
  }

  /** A connection has left HTTP, or is gone. */
  void remove(Channel channel) {
    deadlines.remove(channel);
  }

  /** A connection's TLS handshake has failed, which closes it. */
  void fail(Channel channel) {
    if (deadlines.remove(channel) != null) {
      metrics.handshakeRefused("tls");
    }
  }

  /**
   * Cuts the oldest of those whose time is over, no more than it takes others little time to wait
   * for.
   *
   * @return whether there are more of them
   */
  boolean cutOverdue(long nowMs) {
    Iterator<Map.Entry<Channel, Long>> oldest = deadlines.entrySet().iterator();
    for (int cut = 0; oldest.hasNext(); cut++) {
      Map.Entry<Channel, Long> entry = oldest.next();
      if (entry.getValue() > nowMs) {
        return false;
      }
      if (cut == CUTS_AT_ONCE) {
        return true;
      }
      oldest.remove();
      metrics.handshakeRefused("timeout");
      entry.getKey().close();
    }
    return false;
  }
}
