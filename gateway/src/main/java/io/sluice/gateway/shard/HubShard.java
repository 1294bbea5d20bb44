package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.Start;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the hub that one event loop owns: its clients, their subscriptions, and the queue
 * through which the sequencers reach them. Bound to the loop, but for the {@code offer} methods,
 * which any thread may call.
 */
public final class HubShard {
  /** Source of a shard's topics. Called on the shard's event loop. */
  public interface Upstream {
    /**
     * Subscribes to a topic; the answer is an event.
     *
     * @return whether the request was taken and has to be taken back by {@link #detach}
     */
    boolean attach(ShardTopic topic);

    /** Ends a subscription to a topic. */
    void detach(ShardTopic topic);
  }

  private static final Logger log = LoggerFactory.getLogger(HubShard.class);

  /** Time after a logged failure in which no other one is: a client may fail in each batch. */
  private static final long FAULT_LOG_NS = TimeUnit.MINUTES.toNanos(1);

  /** Events between two flushes: enough to share writes, few enough to keep the loop responsive. */
  private static final int BATCH = 1024;

  /** Visits of a turn for paced subscriptions for which the turn before had no room. */
  private static final int PACED_FIRST = Batch.MOST_VISITS / 4;

  private static final GapReason[] GAP_REASONS = GapReason.values();

  private final Upstream upstream;
  private final HubClock clock;
  private final ShardLoop loop;
  private final MessageEncoder encoder;
  private final GatewayMetrics metrics;
  private final LatencyRecorder latency;
  private final ShardLimits limits;

  // Chunks are linked, but what waits is bounded: messages by the limits, the rest by the topics.
  private final MpscUnboundedArrayQueue<ShardEvent> queue = new MpscUnboundedArrayQueue<>(1024);
  private final AtomicInteger waitingMessages = new AtomicInteger();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final DrainSchedule schedule;

  private final Map<String, ShardTopic> topics = new HashMap<>();
  private final Batch batch = new Batch(this::onFault);
  private final MessageBatch run;

  /** The topic of {@link #run}. */
  private ShardTopic runTopic;

  private final Pacer pacer;
  private final EventFrames events;
  private final Replays replays;
  private final ClientList clients = new ClientList();

  /** Unfinished work of the latest event; the next event waits for it. */
  private BooleanSupplier unfinished;

  private boolean brokerLive;

  /** Number of losses of the broker of which this shard was notified. */
  private int losses;

  private long provenMs;
  private int heldTopics;

  /** Failures since the one that was logged last, which is included. */
  private long faults;

  private long faultLoggedNs;
  private final int[] gaps = new int[GAP_REASONS.length];

  /**
   * Creates a shard without clients.
   *
   * @param encoder encoder for the event loop's thread
   * @param cache encoded frames of recent messages, shared with other shards
   */
  public HubShard(
      Upstream upstream,
      ShardLoop loop,
      ServerFrames frames,
      MessageEncoder encoder,
      ByteBufAllocator allocator,
      FrameCache cache,
      HubClock clock,
      GatewayMetrics metrics,
      ShardLimits limits) {
    this.upstream = upstream;
    this.clock = clock;
    this.loop = loop;
    this.schedule = new DrainSchedule(loop, this::drain, limits.lingerMs());
    this.encoder = encoder;
    this.metrics = metrics;
    this.latency = metrics.latencyRecorder();
    this.limits = limits;
    FrameJoiner joiner = new FrameJoiner(allocator, batch);
    this.run = new MessageBatch(joiner, limits.batchBytes());
    this.events = new EventFrames(frames, batch, clock, limits.batchBytes());
    this.replays = new Replays(limits.snapshotBytes(), metrics);
    this.pacer =
        new Pacer(
            loop,
            schedule::wake,
            batch,
            encoder,
            cache,
            joiner,
            events,
            clock,
            limits.batchBytes());
  }

  /** Whether the broker is there and every topic stands, as far as this shard's clients know. */
  public boolean isBrokerLive() {
    return brokerLive;
  }

  /**
   * Time up to which the messages that the broker accepted have been passed to the clients of this
   * shard, or a gap was reported, in milliseconds since 1970; 0 if there is no proof. Topics for
   * which it does not hold have a time of their own: {@link Subscription#provenMs}.
   */
  public long provenMs() {
    return provenMs;
  }

  /** Whether some topic is excluded from {@link #provenMs}. */
  public boolean hasHeldTopics() {
    return heldTopics > 0;
  }

  void held(int more) {
    heldTopics += more;
  }

  /** Adds a client, which from now on is told when the broker comes and goes. */
  public void join(Subscriber client) {
    clients.add(client);
  }

  /** Removes a client, whose subscriptions are gone already. */
  public void leave(Subscriber client) {
    clients.remove(client);
  }

  /**
   * Subscribes a client to a valid topic; the answer comes by its callbacks, perhaps at once.
   *
   * @param tagged whether the frames of the subscription carry its ref
   */
  public Subscription subscribe(
      Subscriber client, String topic, long ref, boolean tagged, Start start, Delivery delivery) {
    ShardTopic known = topics.get(topic);
    if (known != null) {
      return known.subscribe(client, ref, tagged, start, delivery);
    }
    ShardTopic added = new ShardTopic(this, topic);
    topics.put(topic, added);
    added.wanted = upstream.attach(added);
    return added.subscribe(client, ref, tagged, start, delivery);
  }

  /** A topic has lost its last subscription. */
  void onUnused(ShardTopic topic) {
    if (topics.remove(topic.name, topic)) {
      topic.detach();
      if (topic.wanted) {
        upstream.detach(topic);
      }
    }
  }

  /** Takes a message for one topic unless too many wait; the shard then owns a share of it. */
  boolean offerMessage(ShardTopic topic, EncodedMessage message) {
    int size = message.message.payload().length;
    if (waitingMessages.incrementAndGet() > limits.queue()
        | waitingBytes.addAndGet(size) > limits.queueBytes()) {
      taken(size);
      metrics.dropped("shard-queue-full", 1);
      return false;
    }
    message.retain();
    queue.offer(new ShardEvent.Delivery(topic, message));
    schedule.wakeForMessage();
    return true;
  }

  private void taken(int payloadBytes) {
    waitingMessages.decrementAndGet();
    waitingBytes.addAndGet(-payloadBytes);
  }

  /** Appends an event to the queue. Any thread. */
  public void offer(ShardEvent event) {
    queue.offer(event);
    schedule.wake();
  }

  /** Counts a gap that is sent to one subscription; reported once a batch. */
  void gapSent(GapReason reason) {
    gaps[reason.ordinal()]++;
  }

  private void reportGaps() {
    for (GapReason reason : GAP_REASONS) {
      int count = gaps[reason.ordinal()];
      if (count > 0) {
        gaps[reason.ordinal()] = 0;
        metrics.gapsSent(reason.code(), count);
      }
    }
  }

  private void drain() {
    boolean lingers = false;
    try {
      if (unfinished == null && pacer.isBehind()) { // a full batch must not starve it for ever
        pace(PACED_FIRST);
      }
      for (int i = 0; i < BATCH && !batch.isFull() && (goOn() || takeOne()); i++) {
        // until enough is done, or nothing waits
      }
      deliverRun();
      if (unfinished == null) {
        pace(Integer.MAX_VALUE);
      }
      lingers = !batch.isFull() && schedule.lingersAfter(batch.visits(), waitingMessages.get());
      batch.end(loop::endBatch, metrics, latency);
      reportGaps();
    } finally {
      pacer.endBatch();
      events.endBatch();
      scheduleNext(lingers);
    }
  }

  /** Logs a failure; those of the following minute are counted only. */
  void onFault(Throwable cause) {
    long nowNs = clock.nanos();
    if (faults > 0 && nowNs - faultLoggedNs < FAULT_LOG_NS) {
      faults++;
      return;
    }
    log.atError().addKeyValue("since-last", faults).setCause(cause).log("shard.fault");
    faults = 1;
    faultLoggedNs = nowNs;
  }

  /** Goes on with an event that takes several turns; false if there is none. */
  private boolean goOn() {
    if (unfinished == null) {
      return false;
    }
    try {
      if (unfinished.getAsBoolean()) {
        unfinished = null;
      }
    } catch (RuntimeException | OutOfMemoryError e) { // it goes on behind the client that failed
      onFault(e);
    }
    return true;
  }

  /** Goes one step further in the queue; false if it is empty. */
  private boolean takeOne() {
    ShardEvent event = queue.peek();
    if (event == null) {
      return false;
    }
    boolean continues =
        event instanceof ShardEvent.Delivery next
            && (run.isEmpty() || next.topic() == runTopic)
            && run.accepts(next.encoded());
    if (!continues && !run.isEmpty()) {
      deliverRun();
      if (batch.isFull() || unfinished != null) {
        return true; // the event has its turn later
      }
    }
    queue.poll();
    if (event instanceof ShardEvent.Delivery delivery) {
      taken(delivery.encoded().message.payload().length);
      runTopic = delivery.topic();
      run.add(delivery.encoded());
    } else {
      onEvent(event);
    }
    return true;
  }

  // A failure must not stop the shard for all of its clients. For messages that did not reach all
  // of them a gap is reported, before any event behind them.
  private void deliverRun() {
    if (run.isEmpty()) {
      return;
    }
    try {
      int delivered = runTopic.deliver(run, encoder, batch);
      for (int i = 0; i < run.size() && delivered > 0; i++) {
        batch.delivered(run.at(i).message.timeMs(), delivered);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      onFault(e);
      unfinished = runTopic::goOn;
      runTopic.onGap(GapReason.OVERLOAD, run.last().offset);
    } finally {
      run.clear(batch);
    }
  }

  private void pace(int mostVisits) {
    try {
      pacer.run(mostVisits);
    } catch (RuntimeException | OutOfMemoryError e) {
      onFault(e);
    }
  }

  private void scheduleNext(boolean lingers) {
    boolean isBehind = unfinished != null || pacer.isBehind();
    boolean isEvent = !queue.isEmpty() && !(queue.peek() instanceof ShardEvent.Delivery);
    if (lingers && !isBehind && !isEvent) {
      schedule.linger();
    } else if (isBehind || !queue.isEmpty()) {
      schedule.drainAgain();
    } else {
      schedule.sleep();
      if (!queue.isEmpty()) { // an event came in between, and its sender found this shard awake
        schedule.wake();
      }
    }
  }

  private void onEvent(ShardEvent event) {
    try {
      dispatch(event);
    } catch (RuntimeException | OutOfMemoryError e) {
      onFault(e);
    }
  }

  private void dispatch(ShardEvent event) {
    if (event instanceof ShardEvent.Attached attached) {
      unfinished = attached.topic()::goOn;
      attached.topic().onAttached(attached);
    } else if (event instanceof ShardEvent.NewChannel added) {
      unfinished = added.topic()::goOn;
      added.topic().onNewChannel(added.channel());
    } else if (event instanceof ShardEvent.Retired retired) {
      unfinished = retired.topic()::goOn;
      retired.topic().onRetired(retired);
    } else if (event instanceof ShardEvent.Gap gap) {
      unfinished = gap.topic::goOn;
      gap.tell();
    } else if (event instanceof ShardEvent.Restored restored) {
      unfinished = restored.topic()::goOn;
      restored.topic().onRestored(restored);
    } else if (event instanceof ShardEvent.Refused refused) {
      unfinished = refused.topic()::goOn;
      topics.remove(refused.topic().name, refused.topic());
      refused.topic().onRefused(refused);
    } else if (event instanceof ShardEvent.Proof proof) {
      provenMs = proof.timeMs();
    } else if (event instanceof ShardEvent.Held held) {
      held.topic().hold(held.limitMs());
    } else if (event instanceof ShardEvent.BrokerState state) {
      unfinished = this::notifyClients;
      onBrokerState(state);
    }
  }

  /** Number of losses of the broker of which this shard was notified. */
  int losses() {
    return losses;
  }

  HubClock clock() {
    return clock;
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  ShardLimits limits() {
    return limits;
  }

  Pacer pacer() {
    return pacer;
  }

  EventFrames events() {
    return events;
  }

  Replays replays() {
    return replays;
  }

  /** So many clients were handed something. */
  void visited(int clients) {
    batch.visited(clients);
  }

  private void onBrokerState(ShardEvent.BrokerState state) {
    if (!state.live()) {
      losses = state.losses();
      topics.values().forEach(ShardTopic::onBrokerLost);
    }
    brokerLive = state.live();
    clients.tellAll();
  }

  private boolean notifyClients() {
    while (!clients.isTold()) {
      if (isTurnOver()) {
        return false;
      }
      visited(1);
      clients.nextUntold().onBroker(brokerLive, events.brokerState(brokerLive));
    }
    return true;
  }

  /** Whether enough has been handed over, so that the loop's other tasks come next. */
  boolean isTurnOver() {
    return batch.isFull();
  }

  /** A client has something to flush; it will hear {@link Subscriber#onBatchEnd} soon, once. */
  public void touched(Subscriber client) {
    batch.touched(client);
    schedule.wake();
  }

  /** Releases a buffer when the batch has ended in which a client was touched that it was lent. */
  public void releaseAfterBatch(ByteBuf frame) {
    batch.releaseAtEnd(frame);
  }
}
