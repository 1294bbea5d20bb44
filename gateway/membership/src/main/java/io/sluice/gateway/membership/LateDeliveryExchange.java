package io.sluice.gateway.membership;

import io.sluice.cluster.Exchange;
import io.sluice.gateway.hub.LateDelivery;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Exchange of late deliveries with the other nodes at the same broker. Those of this node go to all
 * others at once, and later to each node that joins, returns or has discarded messages and requests
 * them. Any thread may call it; it never blocks.
 */
public final class LateDeliveryExchange {
  /** Number of topics of a period above which all are one pattern. */
  static final int MAX_TOPICS = 1_024;

  private static final String ALL = ">";

  private final int site;
  private final long periodMs;
  private final LongSupplier nowMs;
  private final Consumer<List<LateDelivery>> received;
  private BiConsumer<Object, byte[]> link = (peer, message) -> {};
  private Set<Object> peers = Set.of();
  private Map<String, LateDelivery> recent = new LinkedHashMap<>();
  private Map<String, LateDelivery> earlier = new LinkedHashMap<>();
  private long periodEndsMs;

  /**
   * Creates an exchange without other nodes.
   *
   * @param site checksum of the name of the broker's site; records of another site have no effect
   * @param periodMs minimum time for which records are stored
   * @param nowMs monotonic clock
   * @param received listener for the records of other nodes
   */
  public LateDeliveryExchange(
      int site, long periodMs, LongSupplier nowMs, Consumer<List<LateDelivery>> received) {
    this.site = site;
    this.periodMs = periodMs;
    this.nowMs = nowMs;
    this.received = received;
    this.periodEndsMs = nowMs.getAsLong() + periodMs;
  }

  /** Returns this exchange for the member of the cluster. */
  Exchange exchange() {
    return new Exchange(
        LateDeliveryCodec.CHANNEL, this::join, this::onView, this::onMessage, this::onDiscarded);
  }

  /** Sets the sender of messages to other nodes, before the first view. */
  public synchronized void join(BiConsumer<Object, byte[]> sender) {
    link = sender;
    peers = Set.of();
  }

  /** Replaces the other nodes, which are compared by equality; requests records from new ones. */
  public synchronized void onView(List<?> view) {
    Set<Object> known = peers;
    peers = Set.copyOf(view);
    peers.stream().filter(peer -> !known.contains(peer)).forEach(this::request);
  }

  /** Requests the records of all nodes again, because this node has discarded some. */
  synchronized void onDiscarded() {
    peers.forEach(this::request);
  }

  private void request(Object peer) {
    link.accept(peer, LateDeliveryCodec.request(site));
  }

  /** Sends records of this node to all others and stores them. */
  public synchronized void announce(List<LateDelivery> late) {
    rotate();
    late.forEach(this::store);
    for (byte[] message : LateDeliveryCodec.records(site, late)) {
      peers.forEach(peer -> link.accept(peer, message));
    }
  }

  private void store(LateDelivery late) {
    if (recent.size() >= MAX_TOPICS && !recent.containsKey(late.topic())) {
      LateDelivery all = late.under(ALL);
      for (LateDelivery each : recent.values()) {
        all = all.and(each);
      }
      recent.clear();
      recent.put(ALL, all);
    } else {
      LateDelivery stored = late.under(recent.containsKey(ALL) ? ALL : late.topic());
      recent.merge(stored.topic(), stored, LateDelivery::and);
    }
  }

  private void rotate() {
    long now = nowMs.getAsLong();
    if (now >= periodEndsMs) {
      earlier = now < periodEndsMs + periodMs ? recent : new LinkedHashMap<>();
      recent = new LinkedHashMap<>();
      periodEndsMs = now + periodMs;
    }
  }

  /** Handles a message of another node; fails if it is malformed. */
  public void onMessage(Object from, byte[] message) throws IOException {
    LateDeliveryCodec.Decoded decoded = LateDeliveryCodec.decode(message);
    if (decoded == null || decoded.site() != site) {
      return;
    }
    if (decoded.records() == null) {
      reply(from);
    } else {
      received.accept(decoded.records());
    }
  }

  private synchronized void reply(Object to) {
    rotate();
    for (Map<String, LateDelivery> each : List.of(earlier, recent)) {
      LateDeliveryCodec.records(site, each.values()).forEach(message -> link.accept(to, message));
    }
  }
}
