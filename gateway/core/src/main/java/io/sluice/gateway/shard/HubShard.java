package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.metrics.EgressCounters;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.Start;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Part of the hub that one event loop owns: its clients, their subscriptions, and the queue through
 * which the sequencers reach them. Bound to the loop, except for the {@code offer} methods, which
 * any thread may call.
 */
public final class HubShard {
  /** Source of a shard's topics. Called on the shard's event loop. */
  public interface Upstream {
    /**
     * Subscribes to a topic; the reply is an event.
     *
     * @return whether the request was accepted, so that {@link #detach} must follow
     */
    boolean attach(TopicUser topic);

    /** Ends a subscription to a topic. */
    void detach(TopicUser topic);

    /** Returns the number of the source of a topic or pattern. */
    int sourceOf(InterestKey key);

    /** Returns whether the identities of a source's messages are equal on all nodes. */
    boolean isIdentified(int source);

    /**
     * Reads the messages between a place and the topic's log from the source, for a user.
     *
     * @param claimed identities of messages that the source must have had
     */
    void readBack(TopicUser topic, String user, StreamPlace after, Set<Long> claimed);
  }

  private static final Logger log = LoggerFactory.getLogger(HubShard.class);

  /** Maximum number of events between two flushes, a trade-off of shared writes and latency. */
  private static final int MAX_EVENTS = 1024;

  /** Deliveries per batch reserved for paced subscriptions left over by a full batch. */
  private static final int RESERVED_PACED_VISITS = FlushBatch.MAX_VISITS / 4;

  private static final GapReason[] GAP_REASONS = GapReason.values();

  private final Upstream upstream;
  private final HubClock clock;
  private final ShardLoop loop;
  private final MessageEncoder encoder;
  private final GatewayMetrics metrics;
  private final EgressCounters egress;
  private final LatencyRecorder latency;
  private final ShardLimits limits;
  private final boolean traced;

  // The queue is unbounded, but its content is bounded: messages by the limits, other events by the
  // number of topics.
  private final MpscUnboundedArrayQueue<ShardEvent> queue = new MpscUnboundedArrayQueue<>(1024);
  private final AtomicInteger waitingMessages = new AtomicInteger();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final QueueWindow.Budget windows;
  private final DrainSchedule schedule;

  private final Map<InterestKey, ShardTopic> topics = new HashMap<>();
  private final FlushBatch batch = new FlushBatch(this::onFault);
  private final MessageBatch messages;

  /** The topic of {@link #messages}. */
  private ShardTopic messagesTopic;

  private final StreamDelivery streams;
  private final Pacer pacer;
  private final EventFrames events;
  private final PromisedSnapshots snapshots;
  private final ClientList clients = new ClientList();

  /** Unfinished work of the latest event, which precedes the next event; or null. */
  private BooleanSupplier unfinished;

  private final List<ShardSource> sources;

  private final FaultLog faults;
  private final int[] gaps = new int[GAP_REASONS.length];

  /**
   * Creates a shard without clients.
   *
   * @param encoder encoder for the event loop's thread
   * @param cache encoded frames of recent messages, shared with other shards
   * @param sources the node's sources by their numbers, for this shard only
   * @param traced whether messages may have a trace
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
      ShardLimits limits,
      List<ShardSource> sources,
      boolean traced) {
    this.upstream = upstream;
    this.traced = traced;
    this.sources = sources;
    this.clock = clock;
    this.faults = new FaultLog(log, clock);
    this.loop = loop;
    this.schedule = new DrainSchedule(loop, this::drain, limits.lingerMs());
    this.encoder = encoder;
    this.metrics = metrics;
    this.egress = metrics.egressCounters();
    this.latency = metrics.latencyRecorder();
    this.limits = limits;
    this.windows = new QueueWindow.Budget(limits.batchBytes());
    FrameJoiner joiner = new FrameJoiner(allocator, batch);
    this.messages = new MessageBatch(joiner, limits.batchBytes());
    this.events = new EventFrames(frames, batch, clock, limits.batchBytes());
    this.snapshots = new PromisedSnapshots(limits.snapshotBytes(), metrics);
    this.streams = new StreamDelivery(encoder, batch, joiner, clock);
    this.pacer =
        new Pacer(
            loop,
            schedule::wake,
            batch,
            encoder,
            cache,
            joiner,
            streams,
            events,
            clock,
            limits.batchBytes());
  }

  /** Returns the number of the node's sources. */
  public int sources() {
    return sources.size();
  }

  /**
   * Returns the sources that are lost as a bit set of their numbers, as last reported to this
   * shard's clients.
   */
  public int lostSources() {
    int lost = 0;
    for (int i = 0; i < sources.size(); i++) {
      lost |= sources.get(i).live ? 0 : 1 << i;
    }
    return lost;
  }

  /**
   * Returns an upper bound of {@link Subscription#provenMs} for all sources that prove delivery.
   * Messages that such a source accepted before have been passed to this shard's clients, or a gap
   * was reported.
   */
  public long provenMs() {
    long latest = 0;
    for (ShardSource source : sources) {
      latest = Math.max(latest, source.provenMs);
    }
    return latest;
  }

  /** Adds a client, which is notified of the sources' states from now on. */
  public void join(Subscriber client) {
    clients.add(client);
  }

  /** Removes a client without subscriptions. */
  public void leave(Subscriber client) {
    clients.remove(client);
  }

  /**
   * Subscribes a client to a valid topic. The reply is a callback, possibly during this call.
   *
   * @param tagged whether the frames of the subscription carry its ref
   */
  public Subscription subscribe(
      Subscriber client,
      InterestKey key,
      long ref,
      boolean tagged,
      Start start,
      Delivery delivery) {
    ShardTopic known = topics.get(key);
    if (known != null) {
      return known.subscribe(client, ref, tagged, start, delivery);
    }
    ShardTopic added =
        new ShardTopic(this, key, sources.get(upstream.sourceOf(key)), client.user());
    topics.put(key, added);
    added.attachAccepted = upstream.attach(added);
    return added.subscribe(client, ref, tagged, start, delivery);
  }

  /** Removes a topic that has lost its last subscription. */
  void onUnused(ShardTopic topic) {
    if (topics.remove(topic.key, topic)) {
      topic.detach();
      if (topic.attachAccepted) {
        upstream.detach(topic);
      }
    }
  }

  /** Queues a message of a topic, with a reference to it, unless the queue is full. Any thread. */
  boolean offerMessage(ShardTopic topic, EncodedMessage message) {
    int size = message.bytes();
    if (waitingMessages.incrementAndGet() > limits.queue()
        | waitingBytes.addAndGet(size) > limits.queueBytes()) {
      dequeued(size);
      metrics.dropped("shard-queue-full", 1);
      if (message.trace != null) {
        message.trace.onRejected();
      }
      return false;
    }
    message.retain();
    topic.window().added(message.message.payload().length);
    queue.offer(new ShardEvent.Delivery(topic, message));
    schedule.wakeForMessage();
    return true;
  }

  private void dequeued(int bytes) {
    waitingMessages.decrementAndGet();
    waitingBytes.addAndGet(-bytes);
  }

  /** Appends an event to the queue. Any thread may call it. */
  public void offer(ShardEvent event) {
    queue.offer(event);
    schedule.wake();
  }

  /** Counts a gap sent to one subscription; reported once per batch. */
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
      if (unfinished == null && pacer.isBehind()) { // full batches must not starve the pacer
        pace(RESERVED_PACED_VISITS);
      }
      for (int i = 0; i < MAX_EVENTS && !batch.isFull() && (continueEvent() || takeOne()); i++) {
        // until the batch is full, or the queue is empty
      }
      deliverMessages();
      if (unfinished == null) {
        pace(Integer.MAX_VALUE);
      }
      lingers = !batch.isFull() && schedule.lingersAfter(batch.visits(), waitingMessages.get());
      batch.end(loop::endBatch, egress, metrics.compression(), latency);
      reportGaps();
    } finally {
      pacer.endBatch();
      events.endBatch();
      scheduleNext(lingers);
    }
  }

  /** Logs a failure, at most one of each kind per minute. */
  void onFault(Throwable cause) {
    faults.add(cause);
  }

  /** Continues an event that takes several batches; returns false if there is none. */
  private boolean continueEvent() {
    if (unfinished == null) {
      return false;
    }
    try {
      if (unfinished.getAsBoolean()) {
        unfinished = null;
      }
    } catch (RuntimeException | OutOfMemoryError e) { // it continues after the failed client
      onFault(e);
    }
    return true;
  }

  /** Processes the next event; returns false if the queue is empty. */
  private boolean takeOne() {
    ShardEvent event = queue.peek();
    if (event == null) {
      return false;
    }
    boolean continues =
        event instanceof ShardEvent.Delivery next
            && (messages.isEmpty() || next.topic() == messagesTopic)
            && messages.accepts(next.encoded());
    if (!continues && !messages.isEmpty()) {
      deliverMessages();
      if (batch.isFull() || unfinished != null) {
        return true; // the event is processed later
      }
    }
    queue.poll();
    if (event instanceof ShardEvent.Delivery delivery) {
      EncodedMessage encoded = delivery.encoded();
      dequeued(encoded.bytes());
      delivery.topic().window().removed(encoded.message.payload().length);
      messagesTopic = delivery.topic();
      messages.add(delivery.encoded());
    } else {
      onEvent(event);
    }
    return true;
  }

  // A failure must not stop the shard for all clients. A gap is reported for messages that did not
  // reach all of them, before any later event.
  private void deliverMessages() {
    if (messages.isEmpty()) {
      return;
    }
    int delivered = 0;
    try {
      delivered = messagesTopic.deliver(messages, encoder, batch);
      if (messagesTopic.hasReadyStart()) {
        unfinished = messagesTopic::continueEvent;
      }
      for (int i = 0; i < messages.size() && delivered > 0; i++) {
        batch.delivered(messages.at(i).message.timeMs(), delivered);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      onFault(e);
      unfinished = messagesTopic::continueEvent;
      messagesTopic.onGap(GapReason.OVERLOAD, messages.last().offset);
    } finally {
      if (traced) {
        messages.addTraces(delivered, batch);
      }
      messages.clear(batch);
    }
  }

  private void pace(int maxVisits) {
    try {
      pacer.serve(maxVisits);
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
      if (!queue.isEmpty()) { // the sender of a concurrent event found this shard awake
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
      unfinished = attached.topic()::continueEvent;
      attached.topic().onAttached(attached);
    } else if (event instanceof ShardEvent.NewChannel added) {
      unfinished = added.topic()::continueEvent;
      added.topic().onNewChannel(added.channel());
    } else if (event instanceof ShardEvent.Retired retired) {
      unfinished = retired.topic()::continueEvent;
      retired.topic().onRetired(retired);
    } else if (event instanceof ShardEvent.Gap gap) {
      unfinished = gap.topic::continueEvent;
      gap.report();
    } else if (event instanceof ShardEvent.Restored restored) {
      unfinished = restored.topic()::continueEvent;
      restored.topic().onRestored(restored);
    } else if (event instanceof ShardEvent.Refused refused) {
      unfinished = refused.topic()::continueEvent;
      topics.remove(refused.topic().key, refused.topic());
      refused.topic().onRefused(refused);
    } else if (event instanceof ShardEvent.NewStream begun) {
      unfinished = begun.topic()::continueEvent;
      begun.topic().onNewStream(begun);
    } else if (event instanceof ShardEvent.Earlier earlier) {
      unfinished = earlier.topic()::continueEvent;
      earlier.topic().onEarlier(earlier);
    } else if (event instanceof ShardEvent.Overdue overdue) {
      unfinished = overdue.topic()::continueEvent;
      overdue.topic().onOverdue(overdue.subscription());
    } else if (event instanceof ShardEvent.Proof proof) {
      sources.get(proof.source()).provenMs = proof.timeMs();
    } else if (event instanceof ShardEvent.ProofLimit limit) {
      limit.topic().limitProof(limit.limitMs());
    } else if (event instanceof ShardEvent.SourceState state) {
      unfinished = this::notifyClients;
      onSourceState(state);
    }
  }

  /** Returns the number of a source of this shard. */
  int number(ShardSource source) {
    return sources.indexOf(source);
  }

  HubClock clock() {
    return clock;
  }

  /** Returns the wall-clock time of a proof, in milliseconds since 1970. */
  public long wallMs(long provenMs) {
    return clock.toWall(provenMs);
  }

  /** Returns whether the identities of a source's messages are equal on all nodes. */
  boolean isIdentified(ShardSource source) {
    return upstream.isIdentified(number(source));
  }

  /** Requests messages that the log no longer has; the reply is an event. */
  void readBack(TopicUser topic, String user, StreamPlace after, Set<Long> claimed) {
    upstream.readBack(topic, user, after, claimed);
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  ShardLimits limits() {
    return limits;
  }

  /** Returns the bytes in the queue, which the windows of all topics share. */
  QueueWindow.Budget windows() {
    return windows;
  }

  /** Returns the delivery to clients with a compression window. */
  StreamDelivery streams() {
    return streams;
  }

  Pacer pacer() {
    return pacer;
  }

  EventFrames events() {
    return events;
  }

  PromisedSnapshots snapshots() {
    return snapshots;
  }

  /** Counts deliveries to clients in this batch. */
  void visited(int clients) {
    batch.visited(clients);
  }

  private void onSourceState(ShardEvent.SourceState state) {
    ShardSource source = sources.get(state.source());
    if (!state.live()) {
      source.losses = state.losses();
      topics.values().stream()
          .filter(topic -> topic.source() == source)
          .forEach(ShardTopic::onSourceLost);
    }
    source.live = state.live();
    clients.beginNotice();
  }

  private boolean notifyClients() {
    while (!clients.isNoticeComplete()) {
      if (isBatchFull()) {
        return false;
      }
      visited(1);
      clients.nextToNotify().onSources();
    }
    return true;
  }

  /**
   * Returns the frame with the state of a client's sources, borrowed until the end of the batch.
   *
   * @param lost bit set of the sources that are lost and concern the client
   */
  public ByteBuf stateFrame(int lost) {
    return events.state(lost, sources);
  }

  /** Returns whether the batch is full, so that the loop's other tasks must messages. */
  boolean isBatchFull() {
    return batch.isFull();
  }

  /** Registers a client for a flush, which calls {@link Subscriber#onBatchEnd} once. */
  public void touched(Subscriber client) {
    batch.touched(client);
    schedule.wake();
  }

  /** Runs a task on the event loop after a delay. */
  public void executeLater(Runnable task, long delayMs) {
    loop.executeLater(task, delayMs);
  }

  /** Releases a buffer at the end of the batch in which a touched client borrowed it. */
  public void releaseAfterBatch(ByteBuf frame) {
    batch.releaseAtEnd(frame);
  }
}
