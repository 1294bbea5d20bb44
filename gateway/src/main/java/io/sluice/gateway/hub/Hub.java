package io.sluice.gateway.hub;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.Lineage;
import io.sluice.gateway.history.LogMemory;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.JournalFailure;
import io.sluice.gateway.journal.StoredMessage;
import io.sluice.gateway.journal.TopicJournal;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Deflation;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.ShardLoop;
import io.sluice.gateway.shard.ShardTopic;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Table of the node's upstream subscriptions and the shards that use them; the only user of the
 * broker. The table is bound to the control thread: shards send requests there and receive the
 * answers through their queues.
 */
public final class Hub implements BrokerListener {
  private static final Logger log = LoggerFactory.getLogger(Hub.class);

  private static final int DEFLATE_LEVEL = 6;
  private static final long EVICT_MS = 1_000;
  private static final ByteBufAllocator HEAP = new UnpooledByteBufAllocator(false);

  private final ScheduledExecutorService control;
  private final ByteBufAllocator allocator;
  private final GatewayMetrics metrics;
  private final ServerFrames frames;
  private final ThreadLocal<MessageEncoder> encoders;
  private final ChannelNumbers channelNumbers;
  private final Broker broker;
  private final HubLimits limits;
  private final long lingerMs;
  private final String clientId;
  private final List<String> durablePatterns;
  private final List<String> warmPatterns;
  private final WarmRetries warmRetries;
  private final HubClock clock;
  private final LongSupplier epochs;
  private final LogMemory logMemory;
  private final FrameCache frameCache;
  private final Journal journal;
  private final Sequencers sequencers;
  private final IngressBudget ingress;
  private final DeliveryWatermark watermark;
  private final IngressLag lag;

  /** The latest failure of each durable pattern that cannot be written. */
  private final Map<String, String> journalFailures = new ConcurrentHashMap<>();

  /** In the order in which they were opened. */
  private final Map<String, Interest> interests = new LinkedHashMap<>();

  /** Those of them that the node wants itself; control thread only. */
  private final WarmInterests<Interest> warm = new WarmInterests<>();

  /** Interests without a subscriber, the longest lingering first; control thread only. */
  private final Set<Interest> lingering = new LinkedHashSet<>();

  /** Interests that were closed and still own channel numbers; control thread only. */
  private final Set<Interest> closing = new LinkedHashSet<>();

  /** Topics for which there was no channel number until one of these has ended. */
  private final Set<ShardTopic> unnumbered = new LinkedHashSet<>();

  /** Topics that stay open without a client while there is room; control thread only. */
  private final Set<String> kept = new HashSet<>();

  /** Attachments that wait for the control thread. */
  private final AtomicInteger wishes = new AtomicInteger();

  /** Whether a topic may have got its first subscriber or lost its last; control thread only. */
  private boolean usesChanged;

  private final HubShard.Upstream upstream =
      new HubShard.Upstream() {
        @Override
        public boolean attach(ShardTopic topic) {
          return Hub.this.attach(topic);
        }

        @Override
        public void detach(ShardTopic topic) {
          Hub.this.detach(topic);
        }
      };

  private volatile List<String> topicsInUse = List.of();
  private final List<HubShard> shards = new CopyOnWriteArrayList<>();
  private final AtomicInteger losses = new AtomicInteger();
  private volatile boolean live;

  /** Creates the hub of a node. */
  public Hub(HubOptions options, HubParts parts) {
    this.control = parts.control();
    this.allocator = parts.allocator();
    this.metrics = parts.metrics();
    this.clock = parts.clock();
    this.journal = parts.journal();
    this.sequencers = parts.sequencers().get();
    this.epochs = parts.epochs();
    this.limits = options.limits();
    this.logMemory = new LogMemory(options.logMemory(), metrics);
    this.frameCache = new FrameCache(options.frameMemory(), metrics);
    this.frames = new ServerFrames(allocator);
    this.encoders = ThreadLocal.withInitial(this::newEncoder);
    this.clientId = options.clientId();
    this.durablePatterns = options.durable();
    this.warmPatterns = options.warm();
    this.warmRetries = new WarmRetries(control, metrics, this::reopenWarm);
    this.channelNumbers = new ChannelNumbers(options.channels());
    this.ingress = new IngressBudget(limits);
    this.watermark = new DeliveryWatermark(options.congestionHoldMs());
    this.lag = new IngressLag(metrics, limits.log().marginMs());
    this.lingerMs = options.lingerMs();
    this.broker = parts.brokers().apply(this);
  }

  /**
   * Reads what durable interests have kept. Once, before {@link #start}.
   *
   * @throws JournalFailure if the disk fails
   */
  public void restore() throws JournalFailure {
    if (journal == null) {
      return;
    }
    for (String pattern : new LinkedHashSet<>(durablePatterns)) {
      TopicJournal kept = journal.topic(pattern);
      Lineage lineage =
          Lineage.of(pattern, kept.epoch(), clientId, broker.preservesOrderAcrossTopics());
      TopicLog topicLog = newLog(lineage.of(pattern));
      Interest interest = new Interest(this, pattern, true, topicLog, lineage, null);
      DurableIntake intake = new DurableIntake(this, interest, kept, limits.log().spreadMs());
      interest.durable(intake::hasPassed);
      intake.restore(limits.log().messages());
      onControl(() -> openDurable(interest, intake));
    }
    for (String pattern : journal.names()) {
      if (!durablePatterns.contains(pattern)) {
        TopicJournal unwanted = journal.topic(pattern);
        // It may be wanted again before everything about it is gone.
        unwanted.append(
            StoredMessage.gap(unwanted.nextOffset(), clock.wallMs(), GapReason.BROKER_LOST));
        unwanted.sync();
        onControl(() -> broker.unsubscribeDurable(pattern, () -> forget(pattern)));
      }
    }
  }

  /** Begins to connect to the broker; returns at once. */
  public void start() {
    onControl(this::openWarm);
    broker.start();
    control.scheduleWithFixedDelay(this::evict, EVICT_MS, EVICT_MS, TimeUnit.MILLISECONDS);
  }

  private void evict() {
    long nowMs = clock.monoMs();
    interests.values().forEach(interest -> interest.evict(nowMs));
    if (usesChanged) {
      usesChanged = false;
      topicsInUse = interests.values().stream().filter(Interest::isUsed).map(i -> i.name).toList();
    }
  }

  /** Topics and patterns that clients are subscribed to, as they were a second ago. Any thread. */
  public List<String> topicsInUse() {
    return topicsInUse;
  }

  /**
   * Wants topics before the first client does. What is more than {@code limits.per-node.topics} is
   * left out. Any thread.
   *
   * @param lingerMs how long they stay without a subscriber
   * @return how many stand, once each of them does or can't
   */
  public CompletionStage<Integer> warm(List<String> topics, long lingerMs) {
    PreSubscription opening =
        new PreSubscription(this::onControl, topics, topic -> openForNobody(topic, lingerMs));
    onControl(opening::openSome);
    return opening.standing();
  }

  /**
   * Opens topics and keeps them open without a client until they are released, or a client's topic
   * needs the room. Those that had to make room are opened again by the next call. Any thread.
   *
   * @return how many of them stand, once each of them does or can't
   */
  public CompletionStage<Integer> keepWarm(List<String> topics) {
    onControl(() -> topics.forEach(this::keep));
    return warm(topics, lingerMs);
  }

  private void keep(String topic) {
    Interest known = interests.get(topic);
    if (kept.add(topic) && known != null) {
      known.scheduledClose(null);
    }
  }

  /** Keeps topics no longer; they go like those whose last client has left. Any thread. */
  public void release(List<String> topics) {
    onControl(() -> topics.forEach(this::release));
  }

  private void release(String topic) {
    Interest known = interests.get(topic);
    if (kept.remove(topic) && known != null && !known.isWanted()) {
      scheduleClose(known, lingerMs);
    }
  }

  /** Kept topics that are not open, because there was no room or the broker refused them. */
  public CompletionStage<List<String>> keptButClosed() {
    CompletableFuture<List<String>> closed = new CompletableFuture<>();
    onControl(() -> closed.complete(kept.stream().filter(t -> !interests.containsKey(t)).toList()));
    return closed;
  }

  /** Opens a topic if need be; returns whether it becomes active, null if there is no room. */
  private CompletionStage<Boolean> openForNobody(String topic, long forMs) {
    Interest interest = interests.get(topic);
    if (interest == null && interests.size() < limits.topics()) {
      interest = open(topic, opened -> scheduleClose(opened, forMs));
    }
    return interest == null ? null : interest.settled();
  }

  /** Gives all consumers and the connection back. */
  public void stop() {
    broker.stop();
    sequencers.stop();
    frameCache.clear();
  }

  /** Adds the shard of one more event loop. Called while the node starts. */
  public HubShard newShard(ShardLoop loop) {
    HubShard shard =
        new HubShard(
            upstream,
            loop,
            frames,
            newEncoder(),
            allocator,
            frameCache,
            clock,
            metrics,
            limits.shard());
    shards.add(shard);
    if (live) {
      shard.offer(new ShardEvent.BrokerState(true, losses.get()));
    }
    return shard;
  }

  /** What the hub goes by. */
  public HubClock clock() {
    return clock;
  }

  /** By how much two clocks may differ. */
  long marginMs() {
    return limits.log().marginMs();
  }

  /** Evidence for proofs that the broker delivers. */
  DeliveryWatermark watermark() {
    return watermark;
  }

  Mailbox newMailbox() {
    return new Mailbox(sequencers, ingress);
  }

  void onJournalSynced() {
    metrics.journalBytes(journal.diskBytes());
  }

  private TopicLog newLog(Lineage lineage) {
    long random = epochs.getAsLong();
    return new TopicLog(
        lineage == null ? random : lineage.epoch(random), lineage, limits.log(), logMemory);
  }

  /** Whether the broker is there and every topic stands. Any thread. */
  public boolean isLive() {
    return live;
  }

  /** The broker's state in words, for operators. Any thread. */
  public String brokerState() {
    String state = broker.state();
    return state.equals("connected") ? "connected, messages wait to be processed" : state;
  }

  /** Returns why the journal takes no messages, a line per topic; empty if it does. Any thread. */
  public Collection<String> journalFailures() {
    return List.copyOf(journalFailures.values());
  }

  /** A durable interest's messages are not safe; a null failure is its end. */
  void onJournal(String topic, JournalFailure failure) {
    if (failure == null) {
      journalFailures.remove(topic);
    } else {
      journalFailures.put(topic, failure.getMessage());
    }
  }

  /** How often the broker was lost; each time all logs begin anew. Any thread. */
  public int losses() {
    return losses.get();
  }

  /** Sends a client's message to the broker. Any thread; never blocks. */
  public void publish(Publication publication, PublishListener listener) {
    broker.publish(publication, listener);
  }

  @Override
  public void onLive() {
    int loss = losses.get();
    afterMailboxes(
        () -> {
          if (loss == losses.get()) {
            live = true;
            shards.forEach(shard -> shard.offer(new ShardEvent.BrokerState(true, loss)));
          }
        });
  }

  /** Runs a task on the control thread behind all commands that have been posted. */
  private void afterMailboxes(Runnable task) {
    Fence fence = new Fence(() -> onControl(task));
    for (Interest interest : interests.values()) {
      if (!interest.mailbox().isIdle()) {
        fence.await(interest.mailbox());
      }
    }
    fence.open();
  }

  @Override
  public void onCanary(long sequence, long roundTripMs) {
    watermark.mark(floor(sequence), clock.monoMs() - roundTripMs);
    if (roundTripMs > limits.log().spreadMs()) {
      // Messages that arrived before the first canary cannot be measured; it was late like them.
      watermark.congested(clock.monoMs());
    }
  }

  @Override
  public void onProbe(long sequence, long roundTripMs) {
    onCanary(sequence, roundTripMs);
    watermark.open(floor(sequence), clock.monoMs());
  }

  private static long floor(long sequence) {
    return sequence == Broker.NO_SEQUENCE ? Long.MAX_VALUE : sequence;
  }

  @Override
  public void onProof(long sentMs) {
    DeliveryWatermark.Round round = watermark.current();
    if (round == null) {
      return; // the broker was lost meanwhile
    }
    for (Interest interest : interests.values()) {
      if (interest.lagMs(round) > limits.log().spreadMs()) {
        watermark.congested(clock.monoMs());
      }
    }
    boolean congested = watermark.isCongested(clock.monoMs());
    for (Interest interest : interests.values()) {
      interest.onProof(round, sentMs, marginMs(), congested);
    }
    lag.update(interests.values(), clock.monoMs());
    shards.forEach(shard -> shard.offer(new ShardEvent.Proof(sentMs)));
  }

  /** Topics that lag behind the broker. */
  public IngressLag lag() {
    return lag;
  }

  /** A message could not be encoded; a gap is reported in its place. Any thread. */
  void onSequencerFault(String topic, Throwable cause) {
    metrics.dropped("encoding-failed", 1);
    log.atError().addKeyValue("topic", topic).setCause(cause).log("sequencer.fault");
  }

  @Override
  public void onLost() {
    live = false;
    int loss = losses.incrementAndGet();
    watermark.clear();
    lag.clear();
    interests.values().forEach(Interest::onBrokerLost);
    shards.forEach(shard -> shard.offer(new ShardEvent.BrokerState(false, loss)));
  }

  // While the control thread waits for the broker, requests pile up; clients that subscribe and
  // unsubscribe again and again must not fill the memory with them.
  private boolean attach(ShardTopic topic) {
    if (wishes.incrementAndGet() > limits.topics()) {
      wishes.decrementAndGet();
      refuse(topic, LimitSettings.TOPICS, limits.topics() + " topics wait for the broker already");
      return false;
    }
    onControl(
        () -> {
          wishes.decrementAndGet();
          attachNow(topic);
        });
    return true;
  }

  private void detach(ShardTopic topic) {
    onControl(() -> detachNow(topic));
  }

  private void attachNow(ShardTopic topic) {
    usesChanged = true;
    Interest known = interests.get(topic.name());
    if (known != null) {
      lingering.remove(known);
      known.attach(topic);
    } else if (interests.size() >= limits.topics() && !closeOneThatLingers()) {
      String why = "this node has " + limits.topics() + " topics, as many as it is allowed";
      refuse(topic, LimitSettings.TOPICS, why);
    } else {
      open(topic);
    }
  }

  private void refuse(ShardTopic topic, Setting<?> limit, String why) {
    metrics.limitReached(limit.key());
    topic.post(new ShardEvent.Refused(topic, ErrorCode.TOO_MANY_TOPICS, why));
  }

  // What nobody wants any more must not keep out what somebody wants now.
  private boolean closeOneThatLingers() {
    Iterator<Interest> oldest = lingering.iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    closeUnlessWanted(oldest.next());
    return true;
  }

  private void open(ShardTopic topic) {
    if (open(topic.name(), interest -> interest.attach(topic)) != null) {
      return;
    }
    boolean numbersReturn = !closing.isEmpty() || closeOneThatLingers();
    if (numbersReturn && unnumbered.size() < limits.topics()) {
      unnumbered.add(topic);
    } else {
      String why = "this node has numbered as many topics as it is allowed";
      refuse(topic, LimitSettings.CHANNELS, why);
    }
  }

  /** A closed interest has returned its channel numbers. */
  private void onClosed(Interest closed) {
    closing.remove(closed);
    boolean isNumbered = true;
    while (isNumbered && !unnumbered.isEmpty()) {
      ShardTopic next = unnumbered.iterator().next();
      unnumbered.remove(next);
      attachNow(next);
      isNumbered = !unnumbered.contains(next);
    }
  }

  /**
   * Opens an interest.
   *
   * @param user takes it before its consumer is there
   * @return null if there is no number for the topic
   */
  private Interest open(String name, Consumer<Interest> user) {
    Interest feeder = warm.covering(name);
    Lineage lineage = feeder == null ? null : feeder.lineage(name);
    Interest interest = new Interest(this, name, false, newLog(lineage), null, feeder);
    if (!interest.hasNumber()) {
      interest.discard();
      return null;
    }
    interests.put(name, interest);
    user.accept(interest);
    interest.consumer(feeder == null ? broker.open(name, interest) : feeder.feed(interest));
    return interest;
  }

  private void openDurable(Interest interest, DurableIntake intake) {
    interests.put(interest.name, interest);
    warm.add(interest.name, interest);
    interest.consumer(broker.openDurable(interest.name, intake));
  }

  private void forget(String pattern) {
    try {
      journal.topic(pattern).delete();
    } catch (JournalFailure e) {
      log.atWarn().addKeyValue("topic", pattern).setCause(e).log("journal.not-deleted");
    }
  }

  private void openWarm() {
    for (String pattern : warmPatterns) {
      Interest interest = new Interest(this, pattern, true, newLog(null), null, null);
      if (interest.hasNumber() && interests.putIfAbsent(pattern, interest) == null) {
        warm.add(interest.name, interest);
        interest.consumer(broker.open(pattern, interest));
      } else {
        interest.discard();
        if (!interests.containsKey(pattern)) {
          warmRetries.onRefused(pattern);
        }
      }
    }
  }

  // It feeds other interests only once it stands: nobody else shall be refused with it.
  private void reopenWarm(String pattern) {
    Interest interest = new Interest(this, pattern, true, newLog(null), null, null);
    boolean isFull = interests.size() >= limits.topics() && !closeOneThatLingers();
    if (isFull || interests.containsKey(pattern) || !interest.hasNumber()) {
      interest.discard();
      warmRetries.onRefused(pattern);
      return;
    }
    interests.put(pattern, interest);
    interest.settled().thenAccept(stands -> onControl(() -> onReopened(interest)));
    interest.consumer(broker.open(pattern, interest));
  }

  private void onReopened(Interest interest) {
    if (interests.get(interest.name) == interest) {
      warm.add(interest.name, interest);
      warmRetries.onActive(interest.name);
    }
  }

  private void detachNow(ShardTopic topic) {
    usesChanged = true;
    unnumbered.remove(topic);
    Interest interest = interests.get(topic.name());
    if (interest != null && interest.detach(topic)) {
      scheduleClose(interest, lingerMs);
    }
  }

  private void scheduleClose(Interest interest, long afterMs) {
    lingering.remove(interest); // it begins to linger now
    lingering.add(interest);
    if (kept.contains(interest.name)) {
      interest.scheduledClose(null);
      return;
    }
    interest.scheduledClose(
        control.schedule(() -> closeUnlessWanted(interest), afterMs, TimeUnit.MILLISECONDS));
  }

  private void closeUnlessWanted(Interest interest) {
    lingering.remove(interest);
    if (!interest.isWanted() && interests.remove(interest.name, interest)) {
      closing.add(interest);
      interest.close(() -> onControl(() -> onClosed(interest)));
    }
  }

  void onInterestRefused(Interest interest) {
    warm.remove(interest);
    lingering.remove(interest);
    interests.remove(interest.name, interest);
    if (interest.isWarm() && warmPatterns.contains(interest.name)) {
      warmRetries.onRefused(interest.name);
    }
  }

  void onControl(Runnable change) {
    try {
      control.execute(change);
    } catch (RejectedExecutionException e) {
      // The node is stopping: its interests are given back all at once.
    }
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  /** The encoded frames of recent messages. */
  FrameCache frameCache() {
    return frameCache;
  }

  ChannelNumbers channelNumbers() {
    return channelNumbers;
  }

  /** The encoder of the calling thread. */
  MessageEncoder encoder() {
    return encoders.get();
  }

  // Threads are not tracked; the encoder of one that ends is left to the garbage collector.
  private MessageEncoder newEncoder() {
    return new MessageEncoder(allocator, new Deflation(HEAP, DEFLATE_LEVEL));
  }
}
