package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.ShardSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A source of the node's messages and its state: whether it is connected, how often it was lost,
 * and the evidence for identities and delivery. It changes on the control thread; any thread may
 * read it.
 */
final class HubSource implements BrokerListener {
  /** State without a problem. */
  static final String CONNECTED = "connected";

  /** The hub. */
  interface Owner {
    /** Returns the open interests of a source. Control thread. */
    Collection<? extends SourceInterest> interests(HubSource source);

    /** Runs a task on the control thread after all commands posted to a source's interests. */
    void afterMailboxes(HubSource source, Runnable task);

    /** Appends an event to the queues of all shards. */
    void offerToShards(ShardEvent event);

    /** The evidence for identities has changed. */
    void onIdentity();
  }

  private final Owner owner;
  private final int index;
  private final SourceParts parts;
  private final HubClock clock;
  private final HubLimits limits;
  private final DeliveryWatermark watermark;
  private final IngressLag lag;
  private final AtomicInteger losses = new AtomicInteger();
  private final Broker broker;
  private volatile boolean live;
  private volatile IdentityState identity = IdentityState.NONE;
  private volatile String identityReason = "the node is starting";

  // Control thread.
  /** The longest time that a canary of the current round took. */
  private long canaryMs;

  /** Time of the latest proof, 0 before the first. */
  private long provenMs;

  /**
   * Creates a source, which does not connect yet.
   *
   * @param index its number, from 0
   */
  HubSource(
      Owner owner,
      int index,
      SourceParts parts,
      HubClock clock,
      GatewayMetrics metrics,
      HubLimits limits,
      long congestionHoldMs) {
    this.owner = owner;
    this.index = index;
    this.parts = parts;
    this.clock = clock;
    this.limits = limits;
    this.watermark = new DeliveryWatermark(congestionHoldMs);
    this.lag = new IngressLag(metrics, limits.log().marginMs(), limits.log().spreadMs());
    this.broker = parts.opener().apply(this);
  }

  int index() {
    return index;
  }

  String name() {
    return parts.name();
  }

  /** Returns the patterns of its topics. */
  List<String> topics() {
    return parts.topics();
  }

  /** Returns whether a topic or pattern has a topic in common with this source. */
  boolean overlaps(String topic) {
    return parts.topics().stream().anyMatch(each -> TopicPattern.intersection(each, topic) != null);
  }

  Broker broker() {
    return broker;
  }

  /** Creates its state for a shard. */
  ShardSource shardSource() {
    return new ShardSource(name(), broker.provesDelivery());
  }

  /** Returns whether the source is connected and every consumer is active. */
  boolean isLive() {
    return live;
  }

  /** Returns its state as text for operators. */
  String state() {
    if (live) {
      String waiting = broker.waiting();
      return waiting.isEmpty() ? CONNECTED : CONNECTED + ", " + waiting;
    }
    String state = broker.state();
    return state.equals(CONNECTED) ? CONNECTED + ", messages are queued for processing" : state;
  }

  /** Returns the number of its losses so far. */
  int losses() {
    return losses.get();
  }

  /** Returns the evidence for the identity of its messages. */
  IdentityState identity() {
    return identity;
  }

  /** Returns that evidence in words. */
  String identityReason() {
    return identityReason;
  }

  /** Returns the evidence for proofs of delivery. */
  DeliveryWatermark watermark() {
    return watermark;
  }

  /** Returns the lag of its topics. */
  IngressLag lag() {
    return lag;
  }

  private Collection<? extends SourceInterest> interests() {
    return owner.interests(this);
  }

  @Override
  public void onLive() {
    int loss = losses.get();
    interests().stream()
        .filter(SourceInterest::isRetained)
        .forEach(interest -> interest.onReturned(false));
    owner.afterMailboxes(
        this,
        () -> {
          if (loss == losses.get()) {
            live = true;
            owner.offerToShards(new ShardEvent.SourceState(index, true, loss));
          }
        });
  }

  @Override
  public void onCanary(long sequence, long roundTripMs) {
    canaryMs = Math.max(canaryMs, roundTripMs);
    watermark.addCanary(floor(sequence), clock.monoMs() - roundTripMs);
    if (roundTripMs > limits.log().spreadMs()) {
      // Messages that arrived before the first canary cannot be measured; it was late like them.
      watermark.onCongested(clock.monoMs());
    }
  }

  @Override
  public void onProbe(long sequence) {
    watermark.open(floor(sequence), clock.monoMs());
  }

  private static long floor(long sequence) {
    return sequence == Broker.NO_SEQUENCE ? Long.MAX_VALUE : sequence;
  }

  @Override
  public void onProof(long sentMs) {
    DeliveryWatermark.Round round = watermark.current();
    if (round == null) {
      return; // the source was lost in between
    }
    Collection<? extends SourceInterest> own = interests();
    for (SourceInterest interest : own) {
      if (interest.lagMs(round) > limits.log().spreadMs()) {
        watermark.onCongested(clock.monoMs());
      }
    }
    boolean congested = watermark.isCongested(clock.monoMs());
    for (SourceInterest interest : own) {
      interest.onProof(round, sentMs, limits.log().marginMs(), congested);
    }
    lag.update(own, round.number(), canaryMs, clock.monoMs());
    canaryMs = 0;
    provenMs = sentMs;
    offerProof();
  }

  // Without identities, no node may replay messages from the time of a position.
  private void offerProof() {
    if (identity.isComparable() && provenMs > 0) {
      owner.offerToShards(new ShardEvent.Proof(index, provenMs));
    }
  }

  @Override
  public void onIdentity(IdentityState state, String reason) {
    boolean refuted = identity.isComparable() && !state.isComparable();
    identity = state;
    identityReason = reason;
    owner.onIdentity();
    if (refuted) { // other nodes may have the latest messages under other ids
      onMessagesMissing();
    }
    offerProof();
  }

  @Override
  public void onMessagesMissing() {
    interests().stream()
        .filter(interest -> !interest.isFed())
        .forEach(interest -> interest.onMissed(GapReason.BROKER_LOST));
  }

  @Override
  public void onLost() {
    live = false;
    provenMs = 0;
    int loss = losses.incrementAndGet();
    watermark.clear();
    if (broker.provesDelivery()) { // otherwise the gauge shows the lag of another source
      lag.clear();
    }
    canaryMs = 0;
    interests().forEach(SourceInterest::onSourceLost);
    owner.offerToShards(new ShardEvent.SourceState(index, false, loss));
  }
}
