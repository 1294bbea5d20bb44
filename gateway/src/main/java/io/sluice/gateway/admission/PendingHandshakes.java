package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.socket.SourceAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections of one event loop that are still HTTP's, neither WebSocket nor stream, in the
 * order in which they came. Bound to that loop.
 *
 * <p>An idle time-out would not do: a client that sends a byte now and then could stay for ever.
 *
 * <p>Where all places of the loop are taken, the oldest connection is cut of the address that has
 * the most on this loop. So an address that opens connections and says nothing displaces its own,
 * and clients of other addresses get in. The limit is one of the loop, so that no other loop is
 * involved.
 */
public final class PendingHandshakes implements ProxyHeader.Listener {
  private static final int CUTS_AT_ONCE = 64;

  private final Map<Channel, Pending> pending = new LinkedHashMap<>();
  private final ConnectionsByAddress byAddress = new ConnectionsByAddress();
  private final GatewayMetrics metrics;
  private final long limitMs;
  private final int most;
  private final List<AddressRange> proxies;
  private final AdmissionCheck gate;
  private final HandshakeQuota places;

  /**
   * @param limitMs how long a connection may stay here
   * @param most how many may be here at once
   * @param proxies who may connect, each by a header of the PROXY protocol; null if anybody may,
   *     without
   * @param gate who may go on when its address is known; null if everybody may
   * @param places how many of them an address may have at once
   */
  public PendingHandshakes(
      GatewayMetrics metrics,
      long limitMs,
      int most,
      List<AddressRange> proxies,
      AdmissionCheck gate,
      HandshakeQuota places) {
    this.metrics = metrics;
    this.limitMs = limitMs;
    this.most = most;
    this.proxies = proxies;
    this.gate = gate;
    this.places = places;
  }

  /** One connection. */
  private static final class Pending {
    final long deadlineMs;

    /** Whether its address was charged for a handshake that no request has used yet. */
    boolean counted;

    /** What its address has for it; null before that is known, and once it was given back. */
    HandshakeQuota.Place place;

    /** The connections of its nearest address, as far as that is known. */
    ConnectionsByAddress.Group group;

    Pending(long deadlineMs, ConnectionsByAddress.Group group) {
      this.deadlineMs = deadlineMs;
      this.group = group;
    }
  }

  /**
   * A connection was accepted, and nothing read of it. It is closed if it does not come from a
   * proxy and has to, or if the gate refuses it. One that stays and is too many displaces another.
   */
  public void add(Channel channel, long nowMs) {
    if (channel.remoteAddress() == null) {
      channel.close(); // the client has gone already, as NIO notices
    } else {
      pending.put(
          channel, new Pending(nowMs + limitMs, byAddress.add(places.name(channel), channel)));
      boolean stays = proxies == null ? onSource(channel) : expectProxy(channel);
      if (stays && pending.size() > most) {
        cut(byAddress.oldestOfLargest(), "too-many");
      }
    }
  }

  /** A connection's nearest address is known; false if it is cut for that. */
  @Override
  public boolean onSource(Channel channel) {
    Pending known = pending.get(channel);
    if (known == null) {
      return false;
    }
    if (proxies != null) { // until its header has come, its address was the proxy's
      byAddress.remove(known.group, channel);
      known.group = byAddress.add(places.name(channel), channel);
    }
    // The gate first: a connection that it refuses displaces no other.
    if (gate != null && !passGate(channel, known)) {
      return false;
    }
    known.place = places.take(channel, () -> cut(channel, "too-many"));
    return true;
  }

  private boolean passGate(Channel channel, Pending known) {
    AdmissionCheck.Verdict verdict = gate.judge(channel);
    known.counted = verdict == AdmissionCheck.Verdict.COUNTED;
    if (verdict == AdmissionCheck.Verdict.REFUSED) {
      cut(channel, gate.cause());
    }
    return verdict != AdmissionCheck.Verdict.REFUSED;
  }

  /** Whether a request's handshake was counted before; true for one request only. */
  public boolean useCounted(Channel channel) {
    Pending known = pending.get(channel);
    boolean counted = known != null && known.counted;
    if (counted) {
      known.counted = false;
    }
    return counted;
  }

  private boolean expectProxy(Channel channel) {
    boolean expected = AddressRange.anyContains(proxies, SourceAddress.of(channel));
    if (expected) {
      ProxyHeader.expect(channel, this);
    } else {
      cut(channel, "proxy-protocol");
    }
    return expected;
  }

  @Override
  public void onMalformed(Channel channel) {
    cut(channel, "proxy-protocol");
  }

  /** Ends a connection that is still here, and counts it once. */
  public void cut(Channel channel, String cause) {
    if (remove(channel)) {
      metrics.handshakeRefused(cause);
      channel.close();
    }
  }

  /**
   * A connection has a place in its address's share and is about to be told so: it may open the
   * next one as soon as it knows.
   */
  public void onAdmitted(Channel channel) {
    Pending admitted = pending.get(channel);
    if (admitted != null) {
      givePlaceBack(admitted);
    }
  }

  /**
   * A connection has left HTTP, or is gone.
   *
   * @return whether it was still here
   */
  public boolean remove(Channel channel) {
    Pending removed = pending.remove(channel);
    if (removed != null) {
      byAddress.remove(removed.group, channel);
      givePlaceBack(removed);
    }
    return removed != null;
  }

  private void givePlaceBack(Pending holder) {
    if (holder.place != null) {
      places.giveBack(holder.place);
      holder.place = null;
    }
  }

  /** A connection's TLS handshake has failed, which closes it. */
  public void fail(Channel channel) {
    if (remove(channel)) {
      metrics.handshakeRefused("tls");
    }
  }

  /**
   * Cuts the oldest of those whose time is over, no more than it takes others little time to wait
   * for.
   *
   * @return whether there are more of them
   */
  public boolean cutOverdue(long nowMs) {
    Iterator<Map.Entry<Channel, Pending>> oldest = pending.entrySet().iterator();
    for (int cut = 0; oldest.hasNext(); cut++) {
      Map.Entry<Channel, Pending> entry = oldest.next();
      if (entry.getValue().deadlineMs > nowMs) {
        return false;
      }
      if (cut == CUTS_AT_ONCE) {
        return true;
      }
      oldest.remove();
      byAddress.remove(entry.getValue().group, entry.getKey());
      givePlaceBack(entry.getValue());
      metrics.handshakeRefused("timeout");
      entry.getKey().close();
    }
    return false;
  }
}
