package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * Quota for pending handshakes per client address, equal to its quota for connections. For any
 * thread.
 *
 * <p>Past it, the address's oldest pending connection is closed, on whichever event loop it is. So
 * silent connections of an address keep none of its other clients out. They are counted apart from
 * the connections, or a client past its quota would be closed without a reason. There are never
 * more addresses here than half-open connections.
 */
public final class HandshakeQuota {
  /** Of all connections that nobody has to count. */
  private static final Place UNCOUNTED = new Place("", null, null);

  private final Map<String, Set<Place>> taken = new ConcurrentHashMap<>();
  private final ClientAddresses addresses;
  private final GatewayMetrics metrics;
  private final Limit limit;

  /**
   * @param limit pending handshakes of each address
   */
  public HandshakeQuota(ClientAddresses addresses, Limit limit, GatewayMetrics metrics) {
    this.addresses = addresses;
    this.metrics = metrics;
    this.limit = limit;
  }

  /** The place of one connection. Immutable; each is equal to itself only. */
  static final class Place {
    private final String address;
    private final Channel channel;
    private final Runnable cut;

    private Place(String address, Channel channel, Runnable cut) {
      this.address = address;
      this.channel = channel;
      this.cut = cut;
    }
  }

  /**
   * Takes a place for a connection whose nearest address is known. If the address has none left,
   * its oldest connection loses its own and is cut.
   *
   * @param cut cuts this connection; called on its event loop, perhaps after {@link #giveBack}
   * @return what to {@link #giveBack} once
   */
  Place take(Channel channel, Runnable cut) {
    Optional<String> address = !limit.isSet() ? Optional.empty() : addresses.certain(channel);
    return address.isEmpty()
        ? UNCOUNTED
        : take(new Place(ClientAddresses.name(address.get()), channel, cut));
  }

  /**
   * Returns the name under which a connection is grouped: its address, or a name of its own where
   * the address may be a proxy's that clients share.
   */
  String name(Channel channel) {
    return addresses
        .certain(channel)
        .map(ClientAddresses::name)
        .orElseGet(() -> channel.id().asLongText());
  }

  private Place take(Place place) {
    Place[] evicted = {null};
    taken.compute(
        place.address,
        (name, before) -> {
          Set<Place> places = before == null ? new LinkedHashSet<>() : before;
          evicted[0] = places.size() < limit.max() ? null : removeOldest(places);
          places.add(place);
          return places;
        });
    if (evicted[0] != null) {
      metrics.limitReached(limit.key());
      evict(evicted[0]);
    }
    return place;
  }

  private static Place removeOldest(Set<Place> places) {
    Iterator<Place> oldest = places.iterator();
    Place removed = oldest.next();
    oldest.remove();
    return removed;
  }

  // Its place is free already, so that it does not matter when its loop cuts it.
  private static void evict(Place place) {
    if (place.channel.eventLoop().inEventLoop()) {
      place.cut.run();
    } else {
      try {
        place.channel.eventLoop().execute(place.cut);
      } catch (RejectedExecutionException stopping) {
        // Its loop has ended, and so have its connections.
      }
    }
  }

  void giveBack(Place place) {
    if (place != UNCOUNTED) {
      taken.computeIfPresent(
          place.address,
          (name, places) -> {
            places.remove(place);
            return places.isEmpty() ? null : places;
          });
    }
  }

  /** Returns the number of addresses that are counted. */
  int size() {
    return taken.size();
  }
}
