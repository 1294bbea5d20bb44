package io.sluice.gateway.hub;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.Lineage;
import io.sluice.gateway.history.LogMemory;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.ShardLoop;
import io.sluice.gateway.shard.TopicUser;
import io.sluice.gateway.store.MessageStore;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.gateway.store.TopicStore;
import io.sluice.gateway.trace.MessageTrace;
import io.sluice.gateway.trace.Tracing;
import io.sluice.gateway.websocket.Deflation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Table of the node's upstream subscriptions and the shards that use them; the only subscriber at
 * the broker. The table is bound to the control thread: shards send requests to it and receive
 * replies through their queues.
 */
public final class Hub {
  private static final Logger log = LoggerFactory.getLogger(Hub.class);

  private static final int DEFLATE_LEVEL = 6;
  private static final long EVICT_MS = 1_000;
  private static final ByteBufAllocator HEAP = new UnpooledByteBufAllocator(false);

  private final ScheduledExecutorService control;
  private final ByteBufAllocator allocator;
  private final GatewayMetrics metrics;

  /** Null without tracing. */
  private final Tracing tracing;

  private final ServerFrames frames;
  private final ThreadLocal<MessageEncoder> encoders;
  private final ChannelNumbers channelNumbers;
  private final Sources sources;
  private final HubLimits limits;
  private final long lingerMs;
  private final String clientId;
  private final List<String> durablePatterns;

  /** Written by the control thread. */
  private volatile List<String> warmPatterns;

  private final List<String> compressedAlone;
  private final WarmRetries warmRetries;
  private final HubClock clock;
  private final LongSupplier epochs;
  private final MessageFormats formats;
  private final LongSupplier identities;
  private final LogMemory logMemory;
  private final FrameCache frameCache;
  private final MessageStore journal;
  private final Sequencers sequencers;
  private final IngressBudget ingress;
  private final UnidentifiedLog unidentified;

  /** Those that this node has received. */
  private final LateDeliveries lateDeliveries;

  /** Those that any node has received. */
  private final LateDeliveries lateAnywhere;

  /** Those that another node has announced too late. */
  private final LateDeliveries overdue;

  private volatile Consumer<List<LateDelivery>> otherNodes = late -> {};

  /** Latest failure of each durable pattern that cannot be written to the journal. */
  private final Map<String, String> journalFailures = new ConcurrentHashMap<>();

  /** Interests in the order in which they were opened. */
  private final Map<InterestKey, Interest> interests = new LinkedHashMap<>();

  /** Interests that are open independently of clients; control thread only. */
  private final WarmInterests<Interest> warm = new WarmInterests<>();

  private final SelectorTable selectors;

  /** Interests without a subscriber, the longest lingering first; control thread only. */
  private final Set<Interest> lingering = new LinkedHashSet<>();

  /** Interests that were closed and still own channel numbers; control thread only. */
  private final Set<Interest> closing = new LinkedHashSet<>();

  /** Topics queued for a channel number of one of these; control thread only. */
  private final Set<TopicUser> unnumbered = new LinkedHashSet<>();

  /** Topics that stay open without a client below the limit of topics; control thread only. */
  private final Set<InterestKey> pinned = new HashSet<>();

  /** Number of attach requests queued for the control thread. */
  private final AtomicInteger pendingAttaches = new AtomicInteger();

  /** True if a topic may have gained its first or lost its last subscriber; control thread only. */
  private boolean usesChanged;

  private final HubShard.Upstream upstream =
      new HubShard.Upstream() {
        @Override
        public boolean attach(TopicUser topic) {
          return Hub.this.attach(topic);
        }

        @Override
        public void detach(TopicUser topic) {
          Hub.this.detach(topic);
        }

        @Override
        public int sourceOf(InterestKey key) {
          HubSource source = sources.of(key.topic());
          return source == null ? 0 : source.index(); // it will be refused
        }

        @Override
        public boolean isIdentified(int source) {
          return sources.all().get(source).identity().isComparable();
        }

        @Override
        public void readBack(TopicUser topic, String user, StreamPlace after, Set<Long> claimed) {
          Hub.this.readBack(topic, user, after, claimed);
        }
      };

  private final HubSource.Owner sourceOwner =
      new HubSource.Owner() {
        @Override
        public Collection<Interest> interests(HubSource source) {
          return Hub.this.interests(source);
        }

        @Override
        public void afterMailboxes(HubSource source, Runnable task) {
          Hub.this.afterMailboxes(Hub.this.interests(source), task);
        }

        @Override
        public void offerToShards(ShardEvent event) {
          shards.forEach(shard -> shard.offer(event));
          if (event instanceof ShardEvent.SourceState) {
            onSources.forEach(Runnable::run);
          }
        }

        @Override
        public void onIdentity() {
          metrics.identity(identity().code());
        }
      };

  private final ReadBacks readBacks = new ReadBacks();
  private volatile List<String> topicsInUse = List.of();
  private final List<HubShard> shards = new CopyOnWriteArrayList<>();
  private final List<Runnable> onSources = new CopyOnWriteArrayList<>();

  /** Creates the hub of a node. */
  public Hub(HubOptions options, HubParts parts) {
    this.control = parts.control();
    this.allocator = parts.allocator();
    this.metrics = parts.metrics();
    this.clock = parts.clock();
    this.formats = parts.formats();
    this.tracing = parts.tracing();
    this.journal = parts.journal();
    this.sequencers = parts.sequencers().get();
    this.epochs = parts.epochs();
    this.identities = parts.identities();
    this.limits = options.limits();
    this.selectors = new SelectorTable(limits, this::hasSeparateStreams);
    this.logMemory = new LogMemory(options.logMemory(), metrics);
    this.frameCache = new FrameCache(options.frameMemory(), metrics);
    this.frames = new ServerFrames(allocator);
    this.encoders = ThreadLocal.withInitial(this::newEncoder);
    this.clientId = options.clientId();
    this.durablePatterns = options.durable();
    this.warmPatterns = options.warm();
    this.compressedAlone = options.compressedAlone();
    this.warmRetries = new WarmRetries(control, metrics, this::reopenWarm);
    this.channelNumbers = new ChannelNumbers(options.channels());
    this.ingress = new IngressBudget(limits);
    this.unidentified = new UnidentifiedLog(log, clock);
    this.lingerMs = options.lingerMs();
    this.lateDeliveries =
        new LateDeliveries(
            control, limits.log().spreadMs(), LateDeliveries.MAX_SENT, this::reportLateDeliveries);
    this.lateAnywhere =
        new LateDeliveries(
            control, limits.log().spreadMs(), LateDeliveries.MAX_TOPICS, this::applyLateDeliveries);
    this.overdue =
        new LateDeliveries(
            control, limits.log().spreadMs(), LateDeliveries.MAX_SENT, this::announceOverdue);
    List<HubSource> created = new ArrayList<>();
    for (SourceParts each : parts.sources()) {
      created.add(
          new HubSource(
              sourceOwner,
              created.size(),
              each,
              clock,
              metrics,
              limits,
              options.congestionHoldMs()));
    }
    this.sources = new Sources(created, durablePatterns);
  }

  /**
   * Sets the listener that sends this node's late deliveries to all other nodes. It is called on
   * the control thread, at most once per spread, and must not block. Any thread may call it.
   */
  public void onLateDeliveries(Consumer<List<LateDelivery>> listener) {
    otherNodes = listener;
  }

  private void reportLateDeliveries(List<LateDelivery> late) {
    otherNodes.accept(late);
    late.forEach(lateAnywhere::add);
  }

  /**
   * Reports a gap to the interests whose consumers were opened between the sending and the delivery
   * of messages that another node has received. Any thread may call it.
   */
  public void lateDeliveries(List<LateDelivery> late) {
    for (LateDelivery each : late) {
      if (isOverdue(each)) {
        onControl(() -> applyLateDeliveries(List.of(each))); // not merged with recent ones
      } else {
        lateAnywhere.add(each);
      }
    }
  }

  // Clients without these messages may have moved to other nodes with a time that seems proven. The
  // reports of both nodes take a spread. A second announcement has no time of sending.
  private boolean isOverdue(LateDelivery late) {
    return late.sentMs() > 0
        && clock.wallMs() - late.deliveredMs() > marginMs() - 2 * limits.log().spreadMs();
  }

  /** Records that an interest has reported a gap for messages. Any thread; never blocks. */
  void onReportedLate(LateDelivery late) {
    if (isOverdue(late)) {
      overdue.add(new LateDelivery(late.topic(), List.of(), 0, clock.wallMs(), 0));
    }
  }

  private void announceOverdue(List<LateDelivery> late) {
    log.atWarn().addKeyValue("topics", late.size()).log("late-deliveries.overdue");
    otherNodes.accept(late);
  }

  /** Returns the retention time of messages in a log. Any thread may call it. */
  public long historyMs() {
    return limits.log().ageMs();
  }

  /** Returns the site of the broker. Any thread may call it. */
  public Site site() {
    return limits.log().site();
  }

  private void applyLateDeliveries(List<LateDelivery> late) {
    long earliestMs = late.stream().mapToLong(LateDelivery::sentMs).min().orElse(Long.MAX_VALUE);
    for (Interest interest : interests.values()) {
      if (interest.mayLack(earliestMs)) {
        late.forEach(interest::onLateDelivery);
      }
    }
  }

  /** Records that a message has arrived long after it was sent. Any thread; never blocks. */
  void onLateDelivery(LateDelivery late) {
    lateDeliveries.add(late);
  }

  /**
   * Restores the durable interests from the journal. Called once, before {@link #start}.
   *
   * @throws StoreFailure if the disk fails
   */
  public void restore() throws StoreFailure {
    if (journal == null) {
      return;
    }
    for (String pattern : new LinkedHashSet<>(durablePatterns)) {
      TopicStore stored = journal.topic(pattern);
      HubSource source = sources.of(pattern);
      Lineage lineage =
          Lineage.of(
              pattern, stored.epoch(), clientId, source.broker().preservesOrderAcrossTopics());
      TopicLog topicLog = newLog(lineage.of(pattern));
      Interest interest =
          new Interest(this, source, InterestKey.of(pattern), true, topicLog, lineage, null, null);
      DurableIntake intake = new DurableIntake(this, interest, stored, limits.log().spreadMs());
      interest.durable(intake::hasPassed);
      intake.restore(limits.log().messages());
      onControl(() -> openDurable(interest, intake));
    }
    for (String pattern : journal.names()) {
      if (!durablePatterns.contains(pattern)) {
        TopicStore obsolete = journal.topic(pattern);
        // The pattern may be configured again before its deletion is complete.
        obsolete.append(
            StoredMessage.gap(obsolete.nextOffset(), clock.wallMs(), GapReason.BROKER_LOST));
        obsolete.sync();
        unsubscribeDurable(pattern);
      }
    }
  }

  private void unsubscribeDurable(String pattern) {
    HubSource source = sources.of(pattern);
    if (source != null) { // its topics may belong to other sources than before
      onControl(() -> source.broker().unsubscribeDurable(pattern, () -> deleteJournal(pattern)));
    }
  }

  /** Starts to connect to the sources, asynchronously. */
  public void start() {
    onControl(this::openWarm);
    sources.all().forEach(each -> each.broker().start());
    control.scheduleWithFixedDelay(this::evict, EVICT_MS, EVICT_MS, TimeUnit.MILLISECONDS);
  }

  private void evict() {
    long nowMs = clock.monoMs();
    interests.values().forEach(interest -> interest.evict(nowMs));
    if (usesChanged) {
      usesChanged = false;
      topicsInUse =
          interests.values().stream()
              .filter(Interest::isUsed)
              .filter(interest -> !selectors.isAtBroker(interest.key))
              .map(interest -> interest.key.name())
              .toList();
    }
  }

  /**
   * Returns the {@linkplain InterestKey#name names} of the interests with subscribers, at most
   * about a second old. Any thread may call it.
   */
  public List<String> topicsInUse() {
    return topicsInUse;
  }

  /**
   * Pre-subscribes topics before the first client needs them. Topics above {@code
   * limits.per-node.topics} are omitted. Any thread may call it.
   *
   * @param names {@linkplain InterestKey#name names} of interests
   * @param lingerMs time for which they stay open without a subscriber
   * @return the number of active consumers, once each has become active or failed
   */
  public CompletionStage<Integer> preSubscribe(List<String> names, long lingerMs) {
    PreSubscription opening =
        new PreSubscription(this::onControl, names, name -> openWithoutClient(name, lingerMs));
    onControl(opening::openBatch);
    return opening.activeCount();
  }

  /**
   * Opens topics and pins them: they stay open without a client until {@link #unpin}. At the limit
   * of topics, pinned ones without a client are closed in favor of clients' topics; the next call
   * reopens them. Any thread may call it.
   *
   * @return the number of active consumers, once each has become active or failed
   */
  public CompletionStage<Integer> pin(List<String> names) {
    onControl(() -> names.forEach(name -> pin(InterestKey.ofName(name))));
    return preSubscribe(names, lingerMs);
  }

  private void pin(InterestKey key) {
    Interest existing = interests.get(key);
    if (pinned.add(key) && existing != null) {
      existing.scheduledClose(null);
    }
  }

  /** Unpins topics. Those without a client close after the linger time. Any thread may call it. */
  public void unpin(List<String> names) {
    onControl(() -> names.forEach(name -> unpin(InterestKey.ofName(name))));
  }

  private void unpin(InterestKey key) {
    Interest existing = interests.get(key);
    if (pinned.remove(key) && existing != null && !existing.isNeeded()) {
      scheduleClose(existing, lingerMs);
    }
  }

  /** Returns pinned topics that are closed due to the limit of topics or refused by the broker. */
  public CompletionStage<List<String>> pinnedButClosed() {
    CompletableFuture<List<String>> closed = new CompletableFuture<>();
    onControl(
        () ->
            closed.complete(
                pinned.stream()
                    .filter(key -> !interests.containsKey(key))
                    .map(InterestKey::name)
                    .toList()));
    return closed;
  }

  /** Opens a topic unless it is open; returns whether it becomes active, null at a limit. */
  private CompletionStage<Boolean> openWithoutClient(String name, long forMs) {
    InterestKey key = InterestKey.ofName(name);
    Interest interest = interests.get(key);
    boolean room = interests.size() + needed(key) <= limits.topics();
    if (interest == null && room && !selectors.isAtBroker(key)) {
      try {
        interest = open(key, "", opened -> scheduleClose(opened, forMs));
      } catch (SelectorTable.Refused e) {
        return null; // another node may have other limits
      }
    }
    return interest == null ? null : interest.settled();
  }

  /**
   * Returns the figures of the interests that match, in the order in which they were opened. Any
   * thread may call it.
   */
  public CompletionStage<List<TopicFigures>> figures(Predicate<InterestKey> matches) {
    CompletableFuture<List<TopicFigures>> figures = new CompletableFuture<>();
    onControl(
        () ->
            figures.complete(
                interests.values().stream()
                    .filter(interest -> matches.test(interest.key))
                    .map(Interest::figures)
                    .toList()));
    return figures;
  }

  /**
   * Returns a reader of the interest in a topic or, without it, of one without a selector that
   * covers it; null if there is none. Any thread may call it.
   */
  public CompletionStage<LogReader> reader(String topic) {
    CompletableFuture<LogReader> found = new CompletableFuture<>();
    onControl(() -> found.complete(readerNow(topic)));
    return found;
  }

  private LogReader readerNow(String topic) {
    Interest exact = interests.get(InterestKey.of(topic));
    return Stream.concat(Stream.ofNullable(exact), interests.values().stream())
        .filter(each -> !each.key.hasSelector() && TopicPattern.covers(each.topic(), topic))
        .findFirst()
        .map(Interest::reader)
        .orElse(null);
  }

  /** Returns the number of interests and their maximum. Any thread may call it. */
  public CompletionStage<TopicLoad> topicLoad() {
    CompletableFuture<TopicLoad> load = new CompletableFuture<>();
    onControl(() -> load.complete(new TopicLoad(interests.size(), limits.topics())));
    return load;
  }

  /** Closes all consumers and the connection. */
  public void stop() {
    sources.all().forEach(each -> each.broker().stop());
    sequencers.stop();
    frameCache.clear();
  }

  /** Adds a listener of changes of {@link #lostSources}, called on the control thread. */
  public void onSources(Runnable listener) {
    onSources.add(listener);
  }

  /** Returns the names of the sources that are lost. Any thread may call it. */
  public List<String> lostSources() {
    return sources.all().stream().filter(each -> !each.isLive()).map(HubSource::name).toList();
  }

  /** Creates the shard of an event loop. Called while the node starts. */
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
            limits.shard(),
            sources.all().stream().map(HubSource::shardSource).toList(),
            tracing != null);
    shards.add(shard);
    for (HubSource source : sources.all()) {
      if (source.isLive()) {
        shard.offer(new ShardEvent.SourceState(source.index(), true, source.losses()));
      }
    }
    return shard;
  }

  /** Returns the tracing of this node, or null. */
  public Tracing tracing() {
    return tracing;
  }

  /** Begins the trace of a message that has arrived; returns null if it is not traced. */
  MessageTrace trace(Message message) {
    return tracing == null ? null : tracing.receive(message);
  }

  /** Returns the hub's clock. */
  public HubClock clock() {
    return clock;
  }

  /** Returns the maximum difference of two nodes' clocks. */
  long marginMs() {
    return limits.log().marginMs();
  }

  /** Returns the maximum time between two nodes' arrivals of messages in another order. */
  long spreadMs() {
    return limits.log().spreadMs();
  }

  Mailbox newMailbox() {
    return new Mailbox(sequencers, ingress);
  }

  void onJournalSynced() {
    metrics.journalBytes(journal.diskBytes());
  }

  /** Returns a random epoch. Any thread. */
  long newEpoch() {
    return epochs.getAsLong();
  }

  private TopicLog newLog(Lineage lineage) {
    long random = newEpoch();
    return new TopicLog(
        lineage == null ? random : lineage.epoch(random), lineage, limits.log(), logMemory);
  }

  /** Returns the number of identities that a client stores for each subscription. */
  int overlap() {
    return limits.log().overlap();
  }

  /** Records that a message has no id, or that of an earlier message. Sequencers. */
  void onUnidentified(Message message) {
    metrics.unidentified();
    unidentified.add(message);
  }

  /** Returns an identity that no other message on any node has. Any thread. */
  long localIdentity() {
    return identities.getAsLong() | Message.NO_IDENTITY;
  }

  /** Returns whether all sources are connected and every consumer is active. Any thread. */
  public boolean isLive() {
    return sources.all().stream().allMatch(HubSource::isLive);
  }

  /** Returns whether a source is connected and its consumers are active. Any thread. */
  public boolean isAnyLive() {
    return sources.all().stream().anyMatch(HubSource::isLive);
  }

  /**
   * Returns the state of each source as text for operators, but only once if there is no problem.
   * Any thread may call it.
   */
  public String brokerState() {
    Map<String, String> states = new LinkedHashMap<>();
    sources.all().forEach(each -> states.put(each.name(), each.state()));
    boolean connected = states.values().stream().allMatch(HubSource.CONNECTED::equals);
    return connected ? HubSource.CONNECTED : named(states);
  }

  /** Returns how many topics wait although their source is connected; empty for none. */
  public String waiting() {
    Map<String, String> waiting = new LinkedHashMap<>();
    sources.all().forEach(each -> waiting.put(each.name(), each.broker().waiting()));
    waiting.values().removeIf(String::isEmpty);
    return named(waiting);
  }

  private String named(Map<String, String> texts) {
    return texts.entrySet().stream()
        .map(each -> (sources.all().size() == 1 ? "" : each.getKey() + ": ") + each.getValue())
        .collect(Collectors.joining("; "));
  }

  /**
   * Returns why no message of a topic arrives although its source is connected; empty if there is
   * no known reason. Any thread may call it.
   */
  public String waiting(String topic) {
    HubSource source = sources.of(topic);
    return source == null ? "" : source.broker().waiting(topic);
  }

  /** Returns the state of the source of a topic. Any thread may call it. */
  public String brokerState(String topic) {
    HubSource source = sources.of(topic);
    return source == null ? sources.refusal() : source.state();
  }

  /** Returns the sources, for publishes, requests and queues. Any thread may call it. */
  public Sources sources() {
    return sources;
  }

  /** Returns the journal's failures, one line per topic. Any thread may call it. */
  public Collection<String> journalFailures() {
    return List.copyOf(journalFailures.values());
  }

  /** Records a failure to store a durable interest's messages; null ends it. */
  void onJournal(String topic, StoreFailure failure) {
    if (failure == null) {
      journalFailures.remove(topic);
    } else {
      journalFailures.put(topic, failure.getMessage());
    }
  }

  /** Returns the number of losses of sources so far. Any thread may call it. */
  public int losses() {
    return sources.all().stream().mapToInt(HubSource::losses).sum();
  }

  private Collection<Interest> interests(HubSource source) {
    return sources.all().size() == 1
        ? interests.values()
        : interests.values().stream().filter(each -> each.source() == source).toList();
  }

  private void afterMailboxes(Collection<Interest> posted, Runnable task) {
    Fence fence = new Fence(() -> onControl(task));
    for (Interest interest : posted) {
      if (!interest.mailbox().isIdle()) {
        fence.await(interest.mailbox());
      }
    }
    fence.open();
  }

  /**
   * Returns the strongest evidence for the identity of messages: without any, no position of
   * another node is recovered. Any thread may call it.
   */
  public IdentityState identity() {
    return strongest().identity();
  }

  private HubSource strongest() {
    return sources.all().stream().min(Comparator.comparing(HubSource::identity)).orElseThrow();
  }

  /** Returns that evidence in words. Any thread may call it. */
  public String identityReason() {
    return strongest().identityReason();
  }

  /**
   * Returns why no position of another node is recovered for a topic or pattern; empty if such are.
   * Any thread may call it.
   */
  public String identityProblem(String topic) {
    HubSource source = sources.of(topic);
    return source == null || source.identity().isComparable() ? "" : source.identityReason();
  }

  /** Returns the memory of messages that wait to be encoded. */
  IngressBudget ingress() {
    return ingress;
  }

  /** Returns the lag for which the node is not ready, or null. Any thread may call it. */
  public String lagProblem() {
    return sources.all().stream()
        .map(each -> each.lag().problem())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Returns a source by its number. */
  HubSource source(int index) {
    return sources.all().get(index);
  }

  /** Logs and counts a message that could not be encoded and is reported as a gap. Any thread. */
  void onSequencerFault(InterestKey key, Throwable cause) {
    metrics.dropped("encoding-failed", 1);
    log.atError().addKeyValue("topic", key).setCause(cause).log("sequencer.fault");
  }

  // While the control thread blocks on the broker, requests accumulate. Clients that subscribe and
  // unsubscribe repeatedly must not exhaust the memory with them.
  /**
   * Adds a user to the interest in its topic or pattern, which is opened if there is none. Any
   * thread.
   *
   * @return false if it was refused at once, so that no {@link #detach} must follow
   */
  public boolean attach(TopicUser topic) {
    if (pendingAttaches.incrementAndGet() > limits.topics()) {
      pendingAttaches.decrementAndGet();
      refuse(
          topic,
          LimitSettings.TOPICS,
          limits.topics() + " topics are already queued for the broker");
      return false;
    }
    onControl(
        () -> {
          pendingAttaches.decrementAndGet();
          attachNow(topic);
        });
    return true;
  }

  /** Removes a user. Any thread. */
  public void detach(TopicUser topic) {
    onControl(() -> detachNow(topic));
  }

  private void attachNow(TopicUser topic) {
    usesChanged = true;
    Interest known = interests.get(topic.key());
    if (known != null) {
      lingering.remove(known);
      known.attach(topic);
    } else if (!makeRoom(topic.key())) {
      String reason = "this node has " + limits.topics() + " topics, the maximum";
      refuse(topic, LimitSettings.TOPICS, reason);
    } else {
      open(topic);
    }
  }

  /**
   * Requests messages that the source has stored; {@link TopicUser#readBack} is the answer. Any
   * thread.
   *
   * @param user user of the request
   * @param after place before the first message, as the answer has it; null for the log's
   * @param claimed messages that the source must have had
   */
  public void readBack(TopicUser topic, String user, StreamPlace after, Set<Long> claimed) {
    onControl(() -> readBacks.add(user, () -> readBack(topic, after, claimed)));
  }

  /** Reads messages back; returns whether the request was sent, so that an answer follows. */
  private boolean readBack(TopicUser topic, StreamPlace after, Set<Long> claimed) {
    Interest interest = interests.get(topic.key());
    boolean isAttached = interest != null && interest.isUsedBy(topic);
    if (isAttached) { // otherwise its clients have left
      interest.readBack(topic, after, claimed);
    }
    return isAttached;
  }

  /** Records the end of a request to read back, with the reason of a failure. Sequencers. */
  void onReadBack(InterestKey key, boolean complete, String reason) {
    if (!complete) {
      log.atInfo().addKeyValue("topic", key).addKeyValue("reason", reason).log("source.not-read");
    }
    onControl(readBacks::onAnswer);
  }

  /** Returns the maximum number of messages that are read back at a time. */
  int readBack() {
    return limits.readBack();
  }

  /** Returns the maximum bytes per second that a source reads back. */
  long readBackRate() {
    return limits.readBackRate();
  }

  private void refuse(TopicUser topic, Setting<?> limit, String reason) {
    metrics.limitReached(limit.key());
    topic.refused(ErrorCode.TOO_MANY_TOPICS, reason);
  }

  private boolean makeRoom(InterestKey key) {
    while (interests.size() + needed(key) > limits.topics()) {
      if (!closeLongestLingering()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of interests that a new one adds: 2 if it selects from no open one. */
  private int needed(InterestKey key) {
    boolean selects = key.hasSelector() && !selectors.isAtBroker(key);
    return selects && selectable(key.topic()) == null ? 2 : 1;
  }

  // An unused interest must not block the topic of a new subscriber.
  private boolean closeLongestLingering() {
    Iterator<Interest> oldest = lingering.iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    closeIfUnneeded(oldest.next());
    return true;
  }

  private void open(TopicUser topic) {
    try {
      if (open(topic.key(), topic.user(), interest -> interest.attach(topic)) != null) {
        return;
      }
    } catch (SelectorTable.Refused e) {
      if (e.limit() != null) {
        metrics.limitReached(e.limit().key());
      }
      topic.refused(e.code(), e.getMessage());
      return;
    }
    boolean numbersReturn = !closing.isEmpty() || closeLongestLingering();
    if (numbersReturn && unnumbered.size() < limits.topics()) {
      unnumbered.add(topic);
    } else {
      String reason = "this node has no free channel number for the topic";
      refuse(topic, LimitSettings.CHANNELS, reason);
    }
  }

  /** Attaches queued topics after a closed interest has released its channel numbers. */
  private void onClosed(Interest closed) {
    closing.remove(closed);
    boolean isNumbered = true;
    while (isNumbered && !unnumbered.isEmpty()) {
      TopicUser next = unnumbered.iterator().next();
      unnumbered.remove(next);
      attachNow(next);
      isNumbered = !unnumbered.contains(next);
    }
  }

  /**
   * Opens an interest.
   *
   * @param user key of the requesting user; empty for the node
   * @param attaching called with the interest before its consumer exists
   * @return null if no channel number is free for the topic
   * @throws SelectorTable.Refused if its selector is invalid, or one too many
   */
  private Interest open(InterestKey key, String user, Consumer<Interest> attaching)
      throws SelectorTable.Refused {
    HubSource source = sources.of(key.topic());
    if (source == null) {
      throw new SelectorTable.Refused(null, ErrorCode.UNSUPPORTED, sources.refusal());
    }
    if (key.hasSelector() && !source.broker().hasFields()) {
      throw SelectorTable.unsupported();
    }
    Selector selector = selectors.add(key);
    Interest feeder = selector == null ? feeder(key) : selectedFrom(key.topic(), user);
    Lineage lineage = feeder == null || selector != null ? null : feeder.lineage(key.topic());
    Interest interest =
        new Interest(this, source, key, false, newLog(lineage), null, feeder, selector);
    if (!interest.hasNumber()) {
      interest.discard();
      selectors.remove(key);
      if (feeder != null) {
        onFeedEnd(feeder);
      }
      return null;
    }
    interests.put(key, interest);
    interest.user(user);
    attaching.accept(interest);
    interest.consumer(consumerOf(interest));
    return interest;
  }

  private Broker.Consumer consumerOf(Interest interest) {
    Interest feeder = interest.feeder();
    return feeder == null
        ? interest.source().broker().open(interest.key, interest)
        : feeder.feed(interest);
  }

  /** Returns whether each interest of a topic's source has a separate stream. */
  private boolean hasSeparateStreams(String topic) {
    HubSource source = sources.of(topic);
    return source != null && source.broker().hasSeparateStreams();
  }

  /** Returns the warm interest that feeds an interest which the node does not select; or null. */
  private Interest feeder(InterestKey key) {
    return key.hasSelector() || hasSeparateStreams(key.topic()) ? null : warm.covering(key.topic());
  }

  /**
   * Returns the interest in all messages of a topic, from which selectors select; opens it if there
   * is none. Returns null if it cannot be opened: the broker or the lack of a channel number also
   * refuses the interest with the selector.
   */
  private Interest selectedFrom(String topic, String user) throws SelectorTable.Refused {
    Interest known = selectable(topic);
    if (known == null) {
      open(InterestKey.of(topic), user, opened -> {});
      known = selectable(topic);
    }
    if (known == null) {
      return null;
    }
    Interest origin = known.origin();
    lingering.remove(origin);
    origin.scheduledClose(null);
    return origin;
  }

  /** Returns an open interest with all messages of a topic or pattern, or null. */
  private Interest selectable(String topic) {
    Interest exact = interests.get(InterestKey.of(topic));
    return exact == null ? warm.covering(topic) : exact;
  }

  /** Schedules the close of an interest that has no user and feeds no other one any more. */
  void onFeedEnd(Interest interest) {
    if (!interest.isNeeded()) {
      scheduleClose(interest, lingerMs);
    }
  }

  private void openDurable(Interest interest, DurableIntake intake) {
    interests.put(interest.key, interest);
    warm.add(interest.topic(), interest);
    interest.consumer(interest.source().broker().openDurable(interest.topic(), intake));
  }

  private void deleteJournal(String pattern) {
    try {
      journal.topic(pattern).delete();
    } catch (StoreFailure e) {
      log.atWarn().addKeyValue("topic", pattern).setCause(e).log("journal.not-deleted");
    }
  }

  private void openWarm() {
    for (String pattern : warmPatterns) {
      InterestKey key = InterestKey.of(pattern);
      Interest interest = newWarm(key);
      if (interest.hasNumber() && interests.putIfAbsent(key, interest) == null) {
        if (!interest.isFed()) { // its feeder also feeds its topics
          warm.add(pattern, interest);
        }
        interest.consumer(consumerOf(interest));
      } else {
        interest.discard();
        if (!interests.containsKey(key)) {
          warmRetries.onRefused(pattern);
        }
      }
    }
  }

  /**
   * Replaces the patterns that are pre-subscribed without a client. New ones are opened; removed
   * ones close once they have no user. Any thread may call it.
   */
  public void warm(List<String> patterns) {
    onControl(() -> replaceWarm(new LinkedHashSet<>(patterns)));
  }

  private void replaceWarm(Set<String> patterns) {
    Set<String> former = new LinkedHashSet<>(warmPatterns);
    warmPatterns = List.copyOf(patterns);
    former.stream().filter(each -> !patterns.contains(each)).forEach(this::closeWarm);
    patterns.stream().filter(each -> !former.contains(each)).forEach(this::reopenWarm);
  }

  private void closeWarm(String pattern) {
    warmRetries.remove(pattern);
    Interest interest = interests.get(InterestKey.of(pattern));
    if (interest == null || durablePatterns.contains(pattern)) {
      return;
    }
    interest.warm(false);
    warm.remove(interest);
    if (!interest.isNeeded()) {
      scheduleClose(interest, lingerMs);
    }
  }

  // It feeds other interests only once it is active, so that a refusal does not affect them.
  private void reopenWarm(String pattern) {
    if (!warmPatterns.contains(pattern)) {
      return; // removed since its refusal
    }
    InterestKey key = InterestKey.of(pattern);
    Interest existing = interests.get(key);
    if (existing != null) {
      existing.warm(true);
      lingering.remove(existing);
      addOnceActive(existing);
      return;
    }
    Interest interest = newWarm(key);
    boolean isFull = interests.size() >= limits.topics() && !closeLongestLingering();
    if (isFull || !interest.hasNumber()) {
      interest.discard();
      warmRetries.onRefused(pattern);
      return;
    }
    interests.put(key, interest);
    addOnceActive(interest);
    interest.consumer(consumerOf(interest));
  }

  // A separate consumer would not receive what the broker stores for the durable interest.
  private Interest newWarm(InterestKey key) {
    Interest covering = warm.covering(key.topic());
    Interest feeder =
        covering != null && durablePatterns.contains(covering.topic()) ? covering : null;
    Lineage lineage = feeder == null ? null : feeder.lineage(key.topic());
    return new Interest(
        this, sources.of(key.topic()), key, true, newLog(lineage), null, feeder, null);
  }

  private void addOnceActive(Interest interest) {
    interest.settled().thenAccept(active -> onControl(() -> onReopened(interest)));
  }

  private void onReopened(Interest interest) {
    if (interests.get(interest.key) != interest || !interest.isWarm()) {
      return;
    }
    warmRetries.remove(interest.topic());
    if (!interest.isFed()) { // its feeder also feeds its topics
      warm.add(interest.topic(), interest);
    }
  }

  private void detachNow(TopicUser topic) {
    usesChanged = true;
    unnumbered.remove(topic);
    Interest interest = interests.get(topic.key());
    if (interest != null && interest.detach(topic)) {
      scheduleClose(interest, lingerMs);
    }
  }

  private void scheduleClose(Interest interest, long afterMs) {
    lingering.remove(interest); // moves it to the end
    lingering.add(interest);
    if (pinned.contains(interest.key)) {
      interest.scheduledClose(null);
      return;
    }
    interest.scheduledClose(
        control.schedule(() -> closeIfUnneeded(interest), afterMs, TimeUnit.MILLISECONDS));
  }

  private void closeIfUnneeded(Interest interest) {
    lingering.remove(interest);
    if (!interest.isNeeded() && interests.remove(interest.key, interest)) {
      selectors.remove(interest.key);
      closing.add(interest);
      interest.close(() -> onControl(() -> onClosed(interest)));
    }
  }

  void onInterestRefused(Interest interest) {
    warm.remove(interest);
    lingering.remove(interest);
    if (interests.remove(interest.key, interest)) {
      selectors.remove(interest.key);
    }
    if (interest.isWarm() && warmPatterns.contains(interest.topic())) {
      warmRetries.onRefused(interest.topic());
    }
  }

  void onControl(Runnable change) {
    try {
      control.execute(change);
    } catch (RejectedExecutionException e) {
      // The node is stopping: all interests are closed with the connection.
    }
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  /** Returns the cache of encoded frames. */
  FrameCache frameCache() {
    return frameCache;
  }

  ChannelNumbers channelNumbers() {
    return channelNumbers;
  }

  /** Returns whether messages of a topic are not compressed together with others. */
  boolean isCompressedAlone(String topic) {
    return TopicPattern.anyCovers(compressedAlone, topic);
  }

  /** Returns the encoder of the calling thread. */
  MessageEncoder encoder() {
    return encoders.get();
  }

  // Threads are not tracked; the encoder of a terminated thread is garbage-collected.
  private MessageEncoder newEncoder() {
    return new MessageEncoder(
        allocator, new Deflation(HEAP, DEFLATE_LEVEL, metrics.compression().nanos()), formats);
  }
}
