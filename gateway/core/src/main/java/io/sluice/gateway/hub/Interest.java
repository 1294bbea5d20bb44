package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.Lineage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.LogFigures;
import io.sluice.gateway.history.RecentIdentities;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.TopicUser;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.gateway.trace.MessageTrace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * Upstream subscription of the node to a topic or pattern, and the shards that subscribe to it.
 *
 * <p>Its state has two owners. The control thread owns the use of the interest: attach, detach,
 * close. The sequencer, which runs the commands of its {@link Mailbox}, owns the stream: the log,
 * the channels and the attached shards. The control thread changes the stream by commands, which
 * are ordered with the messages. Threads of the JMS client post to the mailbox, and run it if it is
 * idle.
 */
final class Interest implements TopicListener, SourceInterest, RetroactiveFilter.Stream {
  /** Maximum number of selectors that the thread evaluates which receives a message. */
  private static final int CALLER_SELECTORS = 16;

  /** Maximum bytes of the payloads that are read back at a time, and of those that arrive then. */
  private static final long MAX_READ_BACK_BYTES = 16 << 20;

  /** Maximum number of requests to the source for one read-back. */
  private static final int MAX_READ_BACKS = 3;

  final InterestKey key;
  private final boolean pattern;
  private final Hub hub;
  private final HubSource source;
  private final Mailbox mailbox;
  private final Interest feeder;

  /** Selects the feeder's messages; null for all of them, or if the broker selects. */
  private final Selector selector;

  private final TopicLog log;
  private final RetroactiveFilter history;

  /** Identities of the latest messages. Clients drop a repetition of one of them. */
  private final RecentIdentities identities;

  /** Identities of messages that are reported as a gap; null before the first. */
  private RecentIdentities reportedLate;

  /** Number of the stream in compressed frames. */
  private final int stream;

  /** Key of the first user; empty for the node. Control thread. */
  private String user = "";

  private final Lineage lineage;

  /** Channel of a topic; null for a pattern, or if no number was free. */
  private final Channel ownChannel;

  // Sequencer.
  /** Null unless this interest is for a pattern. */
  private final PatternChannels channels;

  private TopicUser[] attached = {};

  /** The latest message, with which the next one may be compressed; null before the first. */
  private LogEntry latest;

  private final List<TopicUser> waiting = new ArrayList<>(1);

  private final List<PendingReadBack> readBacks = new ArrayList<>(0);

  /** Written by the sequencer, likewise the next one; the control thread reads them. */
  private volatile boolean active;

  private volatile boolean wasActive;

  /** True if the source has offsets, which show what arrives. Written by the control thread. */
  private volatile boolean ordered;

  /** True once the consumer is active, before the sequencer has processed that. */
  private volatile boolean activates;

  /** Number of losses of the broker before the consumer became active. */
  private int losses;

  /** Reason of a gap whose report failed, or null. Written by the sequencer. */
  private volatile GapReason unreportedGap;

  private boolean closed;

  /** True while a stream has begun of which clients have not received the gap. */
  private boolean unannounced;

  /** Interests without a consumer, fed by this one; null until the first one. */
  private FedInterests served;

  /** Completed when the consumer is active for the first time, or never will be. */
  private CompletableFuture<Boolean> settled;

  // Control thread.
  private final Set<TopicUser> users = new LinkedHashSet<>(2);
  private final Set<Interest> fed = new LinkedHashSet<>(0);
  private final InterestRates rates;
  private boolean warm;

  /** Number of fed interests with a selector. Any thread may read it. */
  private volatile int selectors;

  private Broker.Consumer consumer;
  private Future<?> scheduledClose;
  private LongPredicate hasPassed;

  /** True while this interest is excluded from proofs. */
  private boolean excluded;

  private boolean lagging;

  /** Proof that becomes valid once the mailbox has run all commands posted before it. */
  private PendingProof pendingProof = PendingProof.NONE;

  private long lagMs;

  /** The latest valid proof. */
  private long provenMs;

  // Thread of the JMS client; the control thread reads the lateness.
  private Overflow overflow;
  private volatile Lateness lateness = Lateness.NONE;

  /** Arrival of the latest message without a sequence number; others may be queued behind it. */
  private volatile long unnumberedMs = DeliveryWatermark.NEVER;

  /** Number of the latest round with a message that was accepted after the round's canary. */
  private volatile int newerRound = -1;

  /** Number of the latest round with a message. */
  private volatile int arrivalRound = -1;

  /** Messages of that round. The post to the mailbox publishes both numbers. */
  private int arrivals;

  private int lateArrivals;

  /** The highest number of a message of this consumer whose place shows what precedes it. */
  private volatile long newestSequence = Broker.NO_SEQUENCE;

  /** Lowest priority of a message so far, or {@link LogEntry#DEFAULT_RANK}. */
  private volatile int lowestPriority = LogEntry.DEFAULT_RANK;

  /** Times of the latest activation of the consumer, by both clocks. */
  private volatile long activeMs = DeliveryWatermark.NEVER;

  private volatile long activeWallMs;

  /**
   * Lateness of messages of a round that the broker had accepted before the round's canary.
   *
   * @param round number of the round
   * @param lagMs the largest lag of these messages; 0 if the broker does not number messages
   */
  private record Lateness(int round, long lagMs) {
    static final Lateness NONE = new Lateness(-1, 0);
  }

  private record PendingProof(Mailbox mailbox, long posted, long sentMs) {
    static final PendingProof NONE = new PendingProof(null, 0, 0);

    boolean isDone() {
      return mailbox != null && mailbox.executed() >= posted;
    }
  }

  /** Command at the position in the mailbox at which messages were dropped. */
  private final class Overflow implements Runnable {
    private final long number;
    private volatile boolean reported;

    Overflow(long number) {
      this.number = number;
    }

    @Override
    public void run() {
      reported = true;
      reportGap(GapReason.OVERLOAD);
    }

    /**
     * Returns whether this command also reports a message that is dropped now. It must be the last
     * one posted: a later command may attach a shard, to which this gap would not apply.
     */
    boolean covers(long posted) {
      return !reported && posted == number;
    }
  }

  /** A message in the mailbox. */
  private record QueuedMessage(
      Interest interest,
      Message message,
      long arrivedMs,
      long lagMs,
      int rank,
      int size,
      boolean stored,
      MessageFields fields,
      MessageTrace trace)
      implements Runnable {
    @Override
    public void run() {
      try {
        interest.sequence(message, arrivedMs, lagMs, rank, stored, fields, trace);
      } catch (RuntimeException | Error e) {
        interest.onFault(message, e);
      } finally {
        interest.mailbox.release(size);
        if (trace != null) {
          trace.onSequenced();
        }
      }
    }
  }

  /**
   * Creates an interest without a consumer.
   *
   * @param source the source of its messages
   * @param warm whether it stays open without a client
   * @param lineage lineage of a durable interest, or null
   * @param feeder the interest whose consumer feeds this one, or null if it has its own
   * @param selector selects the feeder's messages; null for all of them
   */
  Interest(
      Hub hub,
      HubSource source,
      InterestKey key,
      boolean warm,
      TopicLog log,
      Lineage lineage,
      Interest feeder,
      Selector selector) {
    this.selector = selector;
    this.hub = hub;
    this.source = source;
    this.warm = warm;
    this.key = key;
    this.pattern = TopicPattern.isPattern(topic());
    this.log = log;
    this.lineage = lineage;
    this.feeder = feeder;
    this.rates = new InterestRates(hub.clock().monoMs());
    this.mailbox = feeder == null ? hub.newMailbox() : feeder.mailbox;
    this.history =
        new RetroactiveFilter(topic(), hub.clock(), hub.metrics(), hub.marginMs(), log, this);
    this.identities = new RecentIdentities(hub.overlap());
    this.stream = hub.channelNumbers().nextStream();
    if (pattern) {
      this.channels =
          new PatternChannels(
              topic(), log, mailbox, hub.channelNumbers(), hub::isCompressedAlone, stream);
      this.ownChannel = null;
      log.counter(channels);
    } else {
      int number = hub.channelNumbers().acquire();
      this.channels = null;
      boolean alone = hub.isCompressedAlone(topic());
      this.ownChannel =
          number < 0 ? null : new Channel(number, topic(), null, alone, stream, log.epochText());
    }
  }

  /** Returns whether a channel number was free for the topic. */
  boolean hasNumber() {
    return pattern || ownChannel != null;
  }

  /** Sets the first user. Called before {@link #consumer}. */
  void user(String first) {
    user = first;
  }

  @Override
  public String user() {
    return user;
  }

  void consumer(Broker.Consumer opened) {
    consumer = opened;
  }

  /**
   * Closes the consumer, the log and the channels. Control thread.
   *
   * @param closed called by the sequencer once the channel numbers are released
   */
  void close(Runnable closed) {
    cancelScheduledClose();
    consumer.close();
    discard();
    mailbox.post(closed);
  }

  /** Discards an interest without an open consumer. Control thread. */
  void discard() {
    mailbox.post(this::end);
  }

  /** Adds a shard. Control thread. */
  void attach(TopicUser topic) {
    cancelScheduledClose();
    users.add(topic);
    if (excluded) {
      topic.proofLimited(provenMs);
    }
    mailbox.post(() -> admitOrQueue(topic));
  }

  // A log of a source with offsets is continued, or a gap follows.
  private void admitOrQueue(TopicUser topic) {
    if (active || wasActive && log.hasPlaces()) {
      admit(topic);
    } else {
      waiting.add(topic);
    }
  }

  /** Removes a shard; returns whether the interest is unused. Control thread. */
  boolean detach(TopicUser topic) {
    if (!users.remove(topic)) {
      return false; // it was attached to an interest that the broker refused
    }
    mailbox.post(() -> remove(topic));
    return !isNeeded();
  }

  private void remove(TopicUser topic) {
    waiting.remove(topic);
    List<TopicUser> rest = new ArrayList<>(List.of(attached));
    rest.remove(topic);
    attached = rest.toArray(TopicUser[]::new);
  }

  /** Replaces the scheduled close of an unused interest; null cancels it. Control thread. */
  void scheduledClose(Future<?> close) {
    cancelScheduledClose();
    scheduledClose = close;
  }

  private void cancelScheduledClose() {
    if (scheduledClose != null) {
      scheduledClose.cancel(false);
      scheduledClose = null;
    }
  }

  /** Returns whether it is warm, has subscribers, or feeds other interests. Control thread. */
  boolean isNeeded() {
    return warm || isUsed() || !fed.isEmpty();
  }

  /** Sets whether it stays open without a client. Control thread. */
  void warm(boolean value) {
    warm = value;
    if (warm) {
      cancelScheduledClose();
    }
  }

  @Override
  public InterestKey key() {
    return key;
  }

  @Override
  public boolean isFed() {
    return feeder != null;
  }

  /** Returns the interest that feeds this one; null if this one has a consumer. */
  Interest feeder() {
    return feeder;
  }

  /** Returns the interest whose consumer receives its messages: this one, or one that feeds it. */
  Interest origin() {
    return feeder == null ? this : feeder.origin();
  }

  /** Returns the source of its messages. */
  HubSource source() {
    return source;
  }

  /** Returns whether it stays open without a client. */
  boolean isWarm() {
    return warm;
  }

  /** Returns whether a client uses it. Control thread. */
  boolean isUsed() {
    return !users.isEmpty();
  }

  /** Returns whether a shard uses it. Control thread. */
  boolean isUsedBy(TopicUser topic) {
    return users.contains(topic);
  }

  /** Completes with whether the consumer has become active, once that is decided. Any thread. */
  CompletionStage<Boolean> settled() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    mailbox.post(
        () -> {
          if (active || closed) {
            answer.complete(active);
          } else if (settled == null) {
            settled = answer;
          } else {
            settled.thenAccept(answer::complete);
          }
        });
    return answer;
  }

  private void settle(boolean isActive) {
    if (settled != null) {
      settled.complete(isActive);
    }
  }

  @Override
  public void onStream(StreamPlace start) {
    ordered = true;
    mailbox.post(() -> beginStream(start));
  }

  @Override
  public void onLog(StreamPlace start) {
    ordered = true;
    mailbox.post(() -> beginLog(start));
  }

  private void beginLog(StreamPlace start) {
    if (closed) {
      return;
    }
    unannounced = wasActive || log.hasPlaces();
    readBacks.forEach(PendingReadBack::cut);
    log.beginCopy(start, hub.newEpoch());
    if (unannounced) { // a client that lags must not read what follows
      log.skip(GapReason.BROKER_LOST, hub.clock().monoMs());
    }
  }

  @Override
  public void onLogRead() {
    mailbox.post(
        () -> {
          if (unannounced && !closed) {
            announce(log.latestPlace(), log.last());
          }
        });
  }

  private void announce(StreamPlace start, long offset) {
    unannounced = false;
    for (TopicUser topic : attached) {
      topic.closeGap(); // a later loss is a separate gap
      topic.streamBegun(log.epoch(), start, offset);
    }
  }

  private void beginStream(StreamPlace start) {
    boolean again = wasActive || log.hasPlaces();
    unreportedGap = again ? GapReason.BROKER_LOST : unreportedGap; // in case the report fails
    readBacks.forEach(PendingReadBack::cut);
    log.beginStream(start, hub.newEpoch());
    if (again) {
      announce(start, log.appendGap(GapReason.BROKER_LOST, hub.clock().monoMs()));
      unreportedGap = null;
    }
    fedInterests().forEach(interest -> interest.beginStream(start));
  }

  @Override
  public boolean isRetained() {
    return ordered && (wasActive || activates);
  }

  /** Returns whether the mailbox is full, so that the source or the intake must pause. */
  @Override
  public boolean isFull() {
    return mailbox.isFull();
  }

  /**
   * Requests messages for a user that the source has stored. Control thread.
   *
   * @param after place before the first message; null for those before the log
   */
  void readBack(TopicUser topic, StreamPlace after, Set<Long> claimed) {
    mailbox.post(
        () -> {
          boolean isFromLog = after == null && log.hasPlaces();
          readBack(topic, isFromLog ? log.base() : after, claimed, MAX_READ_BACKS);
        });
  }

  // Messages that arrive during the request are not in the answer, and may leave the log.
  private void readBack(TopicUser topic, StreamPlace after, Set<Long> claimed, int attempts) {
    if (closed || !log.hasPlaces() || after == null || after.stream() != log.base().stream()) {
      hub.onReadBack(key, false, "the stream has ended");
      topic.readBack(after, null, false);
      return;
    }
    PendingReadBack pending =
        new PendingReadBack(topic, after, claimed, attempts, log.afterBase(), MAX_READ_BACK_BYTES);
    readBacks.add(pending);
    source
        .broker()
        .readBack(
            new ReadBack(
                key,
                after,
                claimed,
                log.base(),
                hub.readBack(),
                MAX_READ_BACK_BYTES,
                hub.readBackRate(),
                (messages, reason) -> mailbox.post(() -> onReadBack(pending, messages, reason))));
  }

  private void onReadBack(PendingReadBack pending, List<Message> messages, String reason) {
    readBacks.remove(pending);
    if (messages != null && pending.isCut() && pending.attempts() > 1) {
      readBack(pending.topic(), pending.after(), pending.claimed(), pending.attempts() - 1);
      return;
    }
    boolean isComplete = messages != null && !pending.isCut() && !closed;
    List<String> used = isComplete && pattern ? useChannels(messages, pending.later()) : List.of();
    List<LogEntry> entries =
        isComplete
            ? log.withEarlier(messages, pending.later(), hub.clock().monoMs(), this::knownChannel)
            : null;
    hub.onReadBack(key, entries != null, messages == null ? reason : "messages were lost since");
    pending.topic().closeGap(); // a later loss is not in the entries
    pending.topic().readBack(pending.after(), entries, ReadBack.REFUTED.equals(reason));
    used.forEach(
        topic -> channels.onDiscarded(topic)); // last: shards receive retirements after the entries
  }

  private Channel knownChannel(String topic) {
    return pattern ? channels.get(topic) : ownChannel;
  }

  // A channel in use is not retired for that of another topic.
  private List<String> useChannels(List<Message> messages, List<LogEntry> later) {
    Set<String> topics = new LinkedHashSet<>();
    messages.forEach(message -> topics.add(message.topic()));
    later.forEach(entry -> topics.add(entry.message().topic()));
    topics.removeIf(topic -> channel(topic) == null);
    topics.forEach(channels::onLogged);
    return List.copyOf(topics);
  }

  @Override
  public void onSourceLost() {
    pendingProof = PendingProof.NONE;
    mailbox.post(
        () -> {
          active = false;
          if (lineage != null) {
            becomeLate(); // the broker delivers the stored messages after it has returned
          }
        });
  }

  @Override
  public void onActive(boolean again) {
    activates = true; // a loss and a return may precede the mailbox
    int lossesNow = source.losses();
    newestSequence = Broker.NO_SEQUENCE; // another broker may have other numbers
    activeWallMs = hub.clock().wallMs();
    activeMs = hub.clock().monoMs();
    // As a message: this thread runs an idle mailbox. A pattern may feed many topics.
    mailbox.postMessage(
        () -> {
          history.onActive();
          opened(hub.clock().monoMs());
          if (again) {
            restored(true, lossesNow);
          } else {
            activateFirst(lossesNow);
          }
        },
        again || pattern ? Integer.MAX_VALUE : 0);
  }

  private void activateFirst(int lossesBefore) {
    log.completeSince(hub.clock().monoMs());
    fedInterests().forEach(interest -> interest.activateFirst(lossesBefore));
    activate(lossesBefore);
  }

  private void opened(long nowMs) {
    log.opened(nowMs);
    fedInterests().forEach(interest -> interest.opened(nowMs));
  }

  // Sequencer.
  @Override
  public void completeSince(long nowMs) {
    log.completeSince(nowMs);
    fedInterests().forEach(interest -> interest.completeSince(nowMs));
  }

  private void activate(int lossesBefore) {
    losses = lossesBefore;
    active = true;
    wasActive = true;
    waiting.forEach(this::admit);
    waiting.clear();
    settle(true);
  }

  @Override
  public void onReturned(boolean lost) {
    int lossesNow = source.losses();
    mailbox.post(() -> restored(lost, lossesNow));
  }

  private void restored(boolean lost, int lossesBefore) {
    boolean isGap = lost || wasActive && !continuesInOrder();
    unreportedGap = isGap ? GapReason.BROKER_LOST : unreportedGap; // in case the report fails
    if (isGap) {
      readBacks.forEach(PendingReadBack::cut);
    }
    long offset =
        isGap
            ? log.appendGap(GapReason.BROKER_LOST, hub.clock().monoMs())
            : ShardEvent.Restored.WHOLE;
    for (TopicUser topic : attached) {
      topic.closeGap(); // a later loss is a separate gap
      topic.restored(offset, lossesBefore);
    }
    unreportedGap = isGap ? null : unreportedGap;
    fedInterests().forEach(interest -> interest.restored(lost, lossesBefore));
    activate(lossesBefore);
  }

  // A log of a selector has no lineage, because another one starts at another message.
  private boolean continuesInOrder() {
    return log.isContinued() || selector != null && feeder.lineage(topic()) != null;
  }

  /** Fills the empty log from the journal. Called before any command is posted. */
  void restore(List<StoredMessage> stored) {
    long nowMs = hub.clock().monoMs();
    long arrivedMs = Long.MIN_VALUE;
    log.completeSince(nowMs);
    for (StoredMessage entry : stored) {
      long byWallClock = Math.min(nowMs, hub.clock().toMono(entry.arrivalMs()));
      if (arrivedMs == Long.MIN_VALUE) {
        log.completeSince(byWallClock);
      }
      arrivedMs = Math.max(arrivedMs, byWallClock);
      Channel channel = entry.message() == null ? null : channel(entry.message().topic());
      if (channel != null) {
        identities.add(entry.message().identity());
        log.append(entry.message(), channel, arrivedMs);
      } else {
        log.appendGap(
            entry.gapReason() == null ? GapReason.OVERLOAD : entry.gapReason(), arrivedMs);
      }
    }
    becomeLate();
  }

  /** Records that the broker may have accepted later messages long before they arrive. */
  void markLate() {
    mailbox.post(this::becomeLate);
  }

  private void becomeLate() {
    log.markLate();
    fedInterests().forEach(Interest::becomeLate);
  }

  /** Records that messages arrive when the broker accepts them from now on. */
  void markOnTime(long nowMs) {
    mailbox.post(() -> becomeOnTime(nowMs));
  }

  private void becomeOnTime(long nowMs) {
    log.markOnTime(nowMs);
    fedInterests().forEach(interest -> interest.becomeOnTime(nowMs));
  }

  private void becomeLagging() {
    log.markLagging();
    fedInterests().forEach(Interest::becomeLagging);
  }

  /**
   * Makes this a durable interest.
   *
   * @param passed whether all messages that its source received up to a time have been passed on
   */
  void durable(LongPredicate passed) {
    hasPassed = passed;
  }

  /** Returns the lineage of an interest with another name fed by this one, or null. */
  Lineage lineage(String other) {
    return lineage == null ? null : lineage.of(other);
  }

  @Override
  public void onRefused(ErrorCode code, String reason) {
    onClosedByBroker();
    mailbox.post(() -> refuse(code, reason));
  }

  private void onClosedByBroker() {
    hub.onInterestRefused(this);
    fed.forEach(Interest::onClosedByBroker);
    fed.clear();
    users.clear();
  }

  private void refuse(ErrorCode code, String reason) {
    fedInterests().forEach(interest -> interest.refuse(code, reason));
    waiting.forEach(topic -> topic.refused(code, reason));
    for (TopicUser topic : attached) {
      topic.refused(code, reason);
    }
    end();
  }

  @Override
  public boolean needsFields() {
    return selectors > 0;
  }

  @Override
  public void onMessage(Message message, DeliveryInfo delivery) {
    onMessage(message, delivery, null);
  }

  @Override
  public void onMessage(Message message, DeliveryInfo delivery, MessageFields fields) {
    long nowMs = hub.clock().monoMs();
    int size = size(message, fields);
    if (ordered) {
      mailbox.reserve(size); // the source has checked isFull
      mailbox.postMessage(
          new QueuedMessage(
              this,
              message,
              nowMs,
              0,
              LogEntry.DEFAULT_RANK,
              size,
              true,
              fields,
              hub.trace(message)),
          size);
      return;
    }
    long lagMs = observe(message, delivery, nowMs);
    if (mailbox.admit(size)) {
      mailbox.postMessage(
          new QueuedMessage(
              this,
              message,
              nowMs,
              lagMs,
              rank(delivery, lagMs),
              size,
              false,
              fields,
              hub.trace(message)),
          selectors > CALLER_SELECTORS ? Integer.MAX_VALUE : size);
    } else {
      hub.metrics().dropped("ingress-queue-full", 1);
      reportOverflow();
    }
  }

  private static int size(Message message, MessageFields fields) {
    return LogEntry.size(message) + (fields == null ? 0 : fields.size());
  }

  /** Appends a message that is in the journal. Thread of the durable intake, which may block. */
  void onStored(Message message, DeliveryInfo delivery, MessageFields fields) {
    observePriority(delivery);
    long nowMs = hub.clock().monoMs();
    source.lag().onArrival(nowMs);
    if (delivery.scheduled()) {
      observeLate(message, delivery, 0);
    }
    int size = size(message, fields);
    mailbox.reserve(size);
    mailbox.post(
        new QueuedMessage(
            this, message, nowMs, 0, rank(delivery, 0), size, true, fields, hub.trace(message)));
  }

  // A client that lacks a late message may move before a gap is reported.
  private int rank(DeliveryInfo delivery, long lagMs) {
    boolean late = lagMs < -hub.spreadMs() || lagMs > hub.marginMs();
    return late || delivery.mayOvertakeAny() ? LogEntry.OVERTAKING : delivery.priority();
  }

  @Override
  public void onMissed(GapReason reason, DeliveryInfo delivery) {
    onMissed(reason, delivery, null);
  }

  @Override
  public void onMissed(GapReason reason, DeliveryInfo delivery, MessageFields fields) {
    if (!ordered) {
      observe(null, delivery, hub.clock().monoMs());
    }
    onMissed(reason, fields, ordered ? delivery.sequence() : Broker.NO_SEQUENCE);
  }

  @Override
  public void onMissed(GapReason reason) {
    onMissed(reason, null, Broker.NO_SEQUENCE);
  }

  private void onMissed(GapReason reason, MessageFields fields, long identity) {
    mailbox.post(
        () -> {
          recordLost(identity);
          reportGap(reason, interest -> interest.mayMatch(fields));
        });
  }

  private void recordLost(long identity) {
    if (identity != Broker.NO_SEQUENCE) {
      log.lost(identity);
      fedInterests().forEach(interest -> interest.recordLost(identity));
    }
  }

  /** Returns whether its selector may be true for a message; null if the message is unknown. */
  private boolean mayMatch(MessageFields fields) {
    return selector == null
        || fields == null
        || fields == MessageFields.UNREADABLE
        || selector.matches(fields);
  }

  /** Reports a message of a durable interest that is not forwarded. */
  void onLost(GapReason reason, DeliveryInfo delivery, MessageFields fields) {
    observePriority(delivery);
    onMissed(reason, fields, Broker.NO_SEQUENCE);
  }

  private void observePriority(DeliveryInfo delivery) {
    if (delivery.priority() < lowestPriority) {
      lowestPriority = delivery.priority();
      newestSequence = Broker.NO_SEQUENCE; // those of higher priority show nothing for this one
    }
  }

  /**
   * Evaluates the place of a message among those that the broker accepted, and returns its known
   * lag. The lag of a message that is late by design is negative, and no evidence of a backlog.
   *
   * @param message null if it is not forwarded
   */
  private long observe(Message message, DeliveryInfo delivery, long nowMs) {
    long timeMs = message == null ? 0 : message.timeMs(); // 0 if it is unknown
    observePriority(delivery);
    source.lag().onArrival(nowMs);
    DeliveryWatermark.Round round = source.watermark().current();
    if (round != null) {
      count(round);
    }
    long sequence = delivery.sequence();
    boolean numbered = sequence != Broker.NO_SEQUENCE;
    if (delivery.scheduled()) { // its number is that of its publication
      observeScheduled(delivery, nowMs);
      observeLate(message, delivery, numbered ? source.watermark().lagMs(sequence, nowMs) : 0);
      return Math.min(0, timeMs > 0 ? timeMs - delivery.dueMs() : 0);
    }
    if (!numbered) {
      unnumberedMs = nowMs;
    }
    // The broker may deliver those of a higher priority before others that wait.
    boolean inOrder = delivery.priority() <= lowestPriority;
    if (numbered && inOrder && sequence > newestSequence && !delivery.redelivered()) {
      newestSequence = sequence;
    }
    if (round == null) {
      return 0;
    }
    if (sequence >= round.floor()) {
      if (inOrder && newerRound != round.number()) {
        newerRound = round.number();
      }
      return 0;
    }
    long ageMs = numbered ? source.watermark().lagMs(sequence, nowMs) : 0;
    // A transaction of a quiet topic looks like a backlog, the upload of a large message like both.
    if (ageMs > (delivery.slow() ? hub.marginMs() : hub.spreadMs())) {
      observeLate(message, delivery, ageMs);
    }
    // The broker delivers in order: what it accepted before the canary has arrived. This message
    // was committed, or its last byte arrived, after the newest one.
    if (numbered && newestSequence >= round.floor()) {
      return -ageMs;
    }
    boolean designed = delivery.redelivered() || delivery.slow() || isRetroactive(timeMs);
    if (delivery.slow()) {
      unnumberedMs = nowMs; // others may wait behind it
    }
    long lagMs = designed ? 0 : ageMs;
    if (lagMs > 0) {
      lateArrivals++;
    }
    Lateness before = lateness;
    if (before.round() != round.number() || before.lagMs() < lagMs) {
      lateness = new Lateness(round.number(), lagMs);
    }
    return lagMs;
  }

  private void count(DeliveryWatermark.Round round) {
    if (arrivalRound != round.number()) {
      arrivals = 0;
      lateArrivals = 0;
      arrivalRound = round.number();
    }
    arrivals++;
  }

  /**
   * Reports a message for which the broker may have selected the consumers long ago.
   *
   * @param message null if it is not forwarded
   * @param ageMs lower bound of the time since it was sent, by the broker's numbers
   */
  private void observeLate(Message message, DeliveryInfo delivery, long ageMs) {
    long timeMs = message == null ? 0 : message.timeMs();
    if (!source.broker().selectsConsumersAtSend()
        || delivery.redelivered()
        || lineage == null && isRetroactive(timeMs)) {
      return;
    }
    long nowMs = hub.clock().wallMs();
    long delayMs = timeMs > 0 ? Math.max(nowMs, delivery.dueMs()) - timeMs : 0;
    delayMs = Math.max(delayMs, ageMs);
    boolean known = timeMs > 0 || delivery.sequence() != Broker.NO_SEQUENCE;
    boolean identified = message != null && message.isIdentified();
    hub.onLateDelivery(
        new LateDelivery(
            message == null ? topic() : message.topic(),
            identified ? List.of(message.identity()) : List.of(),
            known ? nowMs - delayMs : 0,
            nowMs,
            delayMs));
  }

  /** Returns whether it may lack a message that was sent at a wall-clock time. Control thread. */
  boolean mayLack(long sentMs) {
    return feeder == null
        && lineage == null // the broker retains its messages
        && source.broker().selectsConsumersAtSend()
        && active
        && activeMs > hub.clock().toMono(sentMs) - hub.marginMs();
  }

  /** Reports a gap if it lacks messages that a consumer of any node has received late. */
  void onLateDelivery(LateDelivery late) {
    boolean openBefore = activeMs < hub.clock().toMono(late.deliveredMs()) + hub.marginMs();
    if (mayLack(late.sentMs()) && openBefore && late.concerns(topic())) {
      mailbox.post(() -> reportLate(late));
    }
  }

  private void reportLate(LateDelivery late) {
    boolean known = !late.ids().isEmpty() && !isRefuted();
    if (known && late.ids().stream().allMatch(this::isKnown)) {
      return;
    }
    reportedLate = reportedLate == null ? new RecentIdentities(hub.overlap()) : reportedLate;
    late.ids().forEach(reportedLate::add);
    recordLate(late);
    fedInterests().forEach(interest -> interest.recordLate(late));
    reportGap(GapReason.BROKER_LOST, interest -> late.concerns(interest.topic()));
    hub.onReportedLate(late);
  }

  private void recordLate(LateDelivery late) {
    log.recordDelay(late.delayMs());
    if (late.concerns(topic())) {
      log.recordLacked(hub.clock().toMono(late.deliveredMs()));
    }
  }

  /** Returns whether ids have been refuted, so that no other node has a message under its id. */
  boolean isRefuted() {
    return source.identity() == IdentityState.REFUTED;
  }

  private boolean isKnown(long identity) {
    return identities.contains(identity) || reportedLate != null && reportedLate.contains(identity);
  }

  // The broker puts it before all waiting messages when it is due. If it arrives later than that,
  // others may wait behind it.
  private void observeScheduled(DeliveryInfo delivery, long nowMs) {
    if (delivery.dueMs() > 0 && delivery.dueMs() < hub.clock().wallMs() - hub.marginMs()) {
      unnumberedMs = nowMs;
    }
  }

  /** Returns whether the broker accepted a message before it had this consumer. */
  private boolean isRetroactive(long timeMs) {
    return timeMs > 0
        && timeMs < activeWallMs - hub.marginMs()
        && hub.clock().monoMs() < activeMs + RetroactiveFilter.WATCH_MS;
  }

  private void reportOverflow() {
    if (overflow == null || !overflow.covers(mailbox.posted())) {
      overflow = new Overflow(mailbox.posted() + 1);
      mailbox.post(overflow);
    }
  }

  private void onFault(Message message, Throwable cause) {
    recordLost(log.hasPlaces() ? message.identity() : Broker.NO_SEQUENCE);
    unreportedGap = GapReason.OVERLOAD;
    hub.onSequencerFault(key, cause);
    reportGap(GapReason.OVERLOAD);
  }

  /** Reports a gap again whose report failed. */
  private void retryReport() {
    GapReason reason = unreportedGap;
    if (reason != null) {
      reportGap(reason);
    }
  }

  private void sequence(
      Message message,
      long arrivedMs,
      long lagMs,
      int rank,
      boolean stored,
      MessageFields fields,
      MessageTrace trace) {
    if (trace != null) {
      trace.onDequeued();
    }
    // A closed consumer may still deliver messages.
    if (!closed && (stored || !history.rejects(message))) {
      append(message, arrivedMs, lagMs, rank, fields, trace);
    }
  }

  private void append(
      Message arrived,
      long arrivedMs,
      long lagMs,
      int rank,
      MessageFields fields,
      MessageTrace trace) {
    retryReport();
    Message message = identified(arrived, lineage != null);
    feedOthers(message, arrivedMs, lagMs, rank, fields, trace);
    Channel channel = channel(message.topic());
    if (channel == null) {
      log.lowerRank(rank);
      hub.metrics().dropped("too-many-channels", 1);
      log.lost(message.identity());
      reportGap(GapReason.OVERLOAD);
      return;
    }
    if (lagMs > 0) {
      log.recordLag(lagMs, arrivedMs);
    } else if (lagMs < 0) {
      log.recordDelay(-lagMs);
    }
    LogEntry entry = log.append(message, channel, arrivedMs, rank);
    for (int i = 0; i < readBacks.size(); i++) {
      readBacks.get(i).add(entry);
    }
    LogEntry previous = latest;
    latest = entry;
    int encodings = 0;
    for (TopicUser topic : attached) {
      encodings |= topic.encodings();
    }
    if (attached.length == 0 || unannounced) {
      return; // no subscribers yet
    }
    EncodedMessage encoded = new EncodedMessage(entry, hub.frameCache(), trace);
    try {
      encoded.encode(encodings, previous, hub.encoder());
      if (trace != null) {
        trace.onLogged(attached.length);
      }
      for (TopicUser topic : attached) {
        topic.offer(encoded);
        if (topic.isFull()) {
          mailbox.await(topic);
        }
      }
    } finally {
      encoded.release();
    }
  }

  // A broker that forwards a message twice to one topic repeats its id.
  private Message identified(Message message, boolean stored) {
    if (log.hasPlaces()) {
      return message;
    }
    if (message.isIdentified() && identities.add(message.identity())) {
      return isRefuted() && !stored ? message.withIdentity(hub.localIdentity()) : message;
    }
    if (message.isIdentified() || message.identity() == Message.NO_IDENTITY) {
      hub.onUnidentified(message);
      return message.withIdentity(hub.localIdentity());
    }
    return message; // from the journal or the feeder
  }

  // Sequencer.
  @Override
  public void onDropped() {
    LogEntry before = log.at(log.last());
    if (before != null && before.isGap()) {
      unreportedGap = GapReason.BROKER_LOST; // clients may have received that gap long ago
    } else {
      reportGap(GapReason.BROKER_LOST);
    }
  }

  @Override
  public boolean hasVerifiedIds() {
    return source.identity().isComparable();
  }

  private void reportGap(GapReason reason) {
    reportGap(reason, interest -> true);
  }

  /** Reports a gap of this interest and of the fed ones that it concerns. */
  private void reportGap(GapReason reason, Predicate<Interest> concerned) {
    if (closed) {
      return;
    }
    // An earlier gap that waits for its report concerns all.
    Predicate<Interest> reported = unreportedGap == null ? concerned : interest -> true;
    unreportedGap = reason; // until the whole report has succeeded
    lowerRank(lowestPriority); // the gap may stand for a message of this priority
    readBacks.forEach(PendingReadBack::cut);
    long mark = log.appendGap(reason, hub.clock().monoMs());
    for (TopicUser topic : unannounced ? new TopicUser[0] : attached) {
      topic.offerGap(reason, mark);
    }
    fedInterests().stream()
        .filter(reported)
        .forEach(interest -> interest.reportGap(reason, reported));
    unreportedGap = null;
  }

  private void feedOthers(
      Message message,
      long arrivedMs,
      long lagMs,
      int rank,
      MessageFields fields,
      MessageTrace trace) {
    if (served != null) {
      served.forEachCovering(
          message.topic(),
          interest -> interest.appendFed(message, arrivedMs, lagMs, rank, fields, trace));
    }
  }

  private void appendFed(
      Message message,
      long arrivedMs,
      long lagMs,
      int rank,
      MessageFields fields,
      MessageTrace trace) {
    if (closed) {
      return;
    }
    if (selector != null && fields == null) { // read before this interest was fed
      completeSince(hub.clock().monoMs());
    } else if (selector != null && fields == MessageFields.UNREADABLE) {
      reportGap(GapReason.UNSUPPORTED);
    } else if (selector == null || selector.matches(fields)) {
      append(message, arrivedMs, lagMs, rank, fields, trace);
    }
  }

  private void lowerRank(int rank) {
    log.lowerRank(rank);
    fedInterests().forEach(interest -> interest.log.lowerRank(rank));
  }

  private List<Interest> fedInterests() {
    return served == null ? List.of() : served.all();
  }

  /**
   * Feeds another interest. Its log starts as a copy of this one's; with a selector it starts
   * empty, because a log does not show which messages are selected. Control thread.
   */
  Broker.Consumer feed(Interest other) {
    fed.add(other);
    selectors += other.selector == null ? 0 : 1;
    other.provenMs = provenMs;
    if (excluded) {
      other.exclude(true);
    }
    mailbox.post(() -> beginFeeding(other));
    return () -> {
      mailbox.post(() -> stopFeeding(other));
      if (fed.remove(other)) {
        selectors -= other.selector == null ? 0 : 1;
        hub.onFeedEnd(this);
      }
    };
  }

  private void beginFeeding(Interest other) {
    if (other.selector == null) {
      other.log.copyFrom(log, other.topic(), hub.newEpoch(), other::channel);
      other.identifyCopied();
    } else {
      other.log.startBehind(log, hub.clock().monoMs(), hub.newEpoch());
    }
    if (active) {
      other.activate(losses);
    }
    if (served == null) {
      served = new FedInterests();
    }
    served.add(other);
  }

  // This topic may remember the identities of its messages for longer than its feeder.
  private void identifyCopied() {
    long before = log.last();
    while (log.at(before) != null) {
      before--;
    }
    for (long offset = before + 1; offset <= log.last(); offset++) {
      LogEntry entry = log.at(offset);
      if (!entry.isGap()) {
        identities.add(entry.message().identity());
      }
    }
  }

  private void stopFeeding(Interest other) {
    if (served != null) {
      served.remove(other);
    }
  }

  /** Returns a reader of the log. */
  LogReader reader() {
    return new TopicLogReader(log);
  }

  /** Returns the figures of the interest. Control thread. */
  TopicFigures figures() {
    long nowMs = hub.clock().monoMs();
    LogFigures content = log.figures();
    InterestRates.Rates perSecond = rates.rates(nowMs, content);
    long lastMs = hub.clock().wallMs() - (nowMs - content.latestMs());
    return new TopicFigures(
        key,
        source.name(),
        perSecond.messages(),
        perSecond.bytes(),
        users.stream().mapToInt(TopicUser::subscriptions).sum(),
        content.logMessages(),
        content.logBytes(),
        content.logMessages() == 0 ? TopicFigures.NONE : Math.max(0, nowMs - content.oldestMs()),
        content.messages() == 0 ? TopicFigures.NONE : lastMs,
        content.gaps(),
        consumerState(),
        log.hasPlaces());
  }

  private ConsumerState consumerState() {
    if (active) {
      return ConsumerState.ACTIVE;
    }
    return wasActive ? ConsumerState.LOST : ConsumerState.OPENING;
  }

  /** Evicts expired entries and releases channel numbers. Control thread, once a second. */
  void evict(long nowMs) {
    if (rates.isDue(nowMs)) {
      rates.add(nowMs, log.figures());
    }
    boolean maintenance = pattern && channels.needsMaintenance();
    if (maintenance || log.mayEvict(nowMs)) {
      mailbox.post(() -> evictNow(nowMs));
    }
  }

  private void evictNow(long nowMs) {
    if (closed) {
      return;
    }
    log.evict(nowMs);
    if (pattern) {
      channels.maintain(List.of(attached));
    }
  }

  @Override
  public void onProof(
      DeliveryWatermark.Round round, long sentMs, long marginMs, boolean congested) {
    if (feeder != null || ordered) {
      return; // the feeder applies it, or offsets show more
    }
    // In this order: a message passed on in between is visible in the round or in the mailbox.
    boolean reading = consumer != null && consumer.readingSequence() < round.floor();
    Lateness late = lateness;
    boolean shown = !congested || newerRound == round.number();
    boolean unknown = source.watermark().isWithinHold(unnumberedMs, hub.clock().monoMs());
    boolean onTime = !reading && late.round() != round.number() && shown && !unknown;
    boolean arrived = hasPassed == null ? onTime : hasPassed.test(round.openedMs());
    boolean idle = mailbox.isIdle();
    boolean done = pendingProof.isDone();
    if (unreportedGap != null) { // checked last: a command that has run may have failed
      arrived = false;
      done = false;
      pendingProof = PendingProof.NONE;
      mailbox.post(this::retryReport);
    }
    boolean proven = arrived && idle;
    boolean moved = proven || done;
    if (moved) {
      proven(proven ? sentMs : pendingProof.sentMs());
      pendingProof = PendingProof.NONE;
    }
    if (proven == excluded || moved && excluded) {
      exclude(!proven);
    }
    if (arrived && !proven && pendingProof == PendingProof.NONE) {
      pendingProof = new PendingProof(mailbox, mailbox.posted(), sentMs);
    }
    if (hasPassed == null) {
      lag(lagMs(round), marginMs);
    }
  }

  @Override
  public long lagMs(DeliveryWatermark.Round round) {
    Lateness late = lateness;
    return late.round() == round.number() ? late.lagMs() : 0;
  }

  private void proven(long sentMs) {
    provenMs = sentMs;
    fed.forEach(interest -> interest.proven(sentMs));
  }

  private void lag(long measuredMs, long marginMs) {
    boolean lags = measuredMs > marginMs;
    lagMs = lags ? measuredMs : 0;
    if (lags == lagging) {
      return;
    }
    lagging = lags;
    if (lags) {
      mailbox.post(this::becomeLagging);
    } else {
      long nowMs = hub.clock().monoMs();
      mailbox.post(() -> becomeOnTime(nowMs));
    }
  }

  private void exclude(boolean exclusion) {
    excluded = exclusion;
    long limitMs = exclusion ? provenMs : ShardEvent.ProofLimit.NO_LIMIT;
    users.forEach(topic -> topic.proofLimited(limitMs));
    fed.forEach(interest -> interest.exclude(exclusion));
  }

  /** Returns the topic or pattern. */
  String topic() {
    return key.topic();
  }

  @Override
  public int arrivals(int round) {
    return arrivalRound == round ? arrivals : 0;
  }

  @Override
  public int lateArrivals(int round) {
    return arrivalRound == round ? lateArrivals : 0;
  }

  @Override
  public long lagMs() {
    return lagMs;
  }

  /** Returns the mailbox, for fences and gauges. */
  Mailbox mailbox() {
    return mailbox;
  }

  private void admit(TopicUser topic) {
    TopicUser[] more = new TopicUser[attached.length + 1];
    System.arraycopy(attached, 0, more, 0, attached.length);
    more[attached.length] = topic;
    attached = more;
    List<Channel> known = pattern ? channels.all() : List.of();
    topic.attached(
        log, log.epoch(), log.last(), log.latestPlace(), ownChannel, known, stream, losses);
  }

  /** Returns the channel of the next message in the log, or null if no number is free. */
  private Channel channel(String topic) {
    if (ownChannel != null) {
      return ownChannel;
    }
    Channel known = channels.get(topic);
    return known != null ? known : addChannel(topic);
  }

  private Channel addChannel(String topic) {
    if (channels.hasBatch()) {
      channels.retireIdle(List.of(attached));
    }
    Channel added = channels.add(topic);
    if (added != null) {
      for (TopicUser user : attached) {
        user.channelAdded(added);
      }
    }
    return added;
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    log.close();
    if (feeder == null) {
      mailbox.close();
    }
    settle(false);
    waiting.clear();
    attached = new TopicUser[0];
    latest = null;
    served = null;
    if (ownChannel != null) {
      hub.channelNumbers().release(ownChannel.number());
    }
    if (pattern) {
      channels.close();
    }
  }
}
