package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.Lineage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.journal.StoredMessage;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.SubjectTrie;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.ShardTopic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;

/**
 * Upstream subscription of the node to a topic or pattern, and the shards that subscribe to it.
 *
 * <p>Its state has two owners. The control thread owns who uses it: attach, detach, close. The
 * sequencer, which runs the commands of its {@link Mailbox}, owns the stream: the log, the channels
 * and the attached shards. Changes of the control thread reach the stream as commands, so that each
 * has its place between two messages. Threads of the JMS client only post to the mailbox.
 */
final class Interest implements TopicListener, IngressLag.Measured, BrokerHistory.Stream {
  final String name;
  private final boolean pattern;
  private final Hub hub;
  private final Mailbox mailbox;
  private final Interest feeder;
  private final TopicLog log;
  private final BrokerHistory history;
  private final Lineage lineage;

  /** The number of a topic; null for a pattern, or if there was none left. */
  private final Channel own;

  // Sequencer.
  /** Null unless it is for a pattern. */
  private final PatternChannels channels;

  private ShardTopic[] attached = {};
  private final List<ShardTopic> waiting = new ArrayList<>(1);
  private boolean standing;
  private boolean stoodBefore;

  /** Number of losses of the broker before the consumer stood. */
  private int losses;

  /** Reason of a gap of which the report has failed, or null. Written by the sequencer. */
  private volatile GapReason owed;

  private boolean closed;

  /**
   * Interests without a consumer, which get their messages from this one; null if none ever did.
   */
  private SubjectTrie<Interest> served;

  /** Completed when the consumer is active for the first time, or never will be. */
  private CompletableFuture<Boolean> settled;

  // Control thread.
  private final Set<ShardTopic> users = new LinkedHashSet<>(2);
  private final Set<Interest> fed = new LinkedHashSet<>(0);
  private final boolean warm;
  private Broker.Consumer consumer;
  private Future<?> scheduledClose;
  private LongPredicate hasPassed;
  private boolean held;
  private boolean lagging;

  /** A proof that holds once the mailbox has run what was posted before. */
  private Passed passed = Passed.NONE;

  private long lagMs;

  /** The latest proof that held. */
  private long provenMs;

  // Thread of the JMS client; the control thread reads the lateness.
  private Overflow overflow;
  private volatile Lateness lateness = Lateness.NONE;

  /** When the latest message without a number arrived: others may wait behind it. */
  private volatile long unnumberedMs = DeliveryWatermark.NEVER;

  /** The latest round in which a message arrived that was accepted after its canary. */
  private volatile int newerRound = -1;

  /**
   * Messages of a round that the broker had accepted before the canary which opened the round.
   *
   * @param round number of the round
   * @param lagMs the largest lag of these messages; 0 if the broker does not number messages
   */
  private record Lateness(int round, long lagMs) {
    static final Lateness NONE = new Lateness(-1, 0);
  }

  private record Passed(Mailbox mailbox, long posted, long sentMs) {
    static final Passed NONE = new Passed(null, 0, 0);

    boolean isDone() {
      return mailbox != null && mailbox.executed() >= posted;
    }
  }

  /** A place in the mailbox at which messages were dropped. */
  private final class Overflow implements Runnable {
    private final long place;
    private volatile boolean reported;

    Overflow(long place) {
      this.place = place;
    }

    @Override
    public void run() {
      reported = true;
      miss(GapReason.OVERLOAD);
    }

    /**
     * Whether a message that is dropped now is reported by this, too. A command behind this place
     * may have attached a shard to which it is not reported, and so may have a shard to which it
     * was.
     */
    boolean covers(long posted) {
      return !reported && posted == place;
    }
  }

  /** A message in the mailbox. */
  private record QueuedMessage(
      Interest interest, Message message, long arrivedMs, long lagMs, int size, boolean stored)
      implements Runnable {
    @Override
    public void run() {
      try {
        interest.sequence(message, arrivedMs, lagMs, stored);
      } catch (RuntimeException | Error e) {
        interest.onFault(e);
      } finally {
        interest.mailbox.release(size);
      }
    }
  }

  /**
   * Creates an interest that has no consumer yet.
   *
   * @param warm whether the node itself keeps it
   * @param lineage lineage of a durable interest, or null
   * @param feeder the interest whose consumer serves this one, or null if it has its own
   */
  Interest(Hub hub, String name, boolean warm, TopicLog log, Lineage lineage, Interest feeder) {
    this.hub = hub;
    this.warm = warm;
    this.name = name;
    this.pattern = TopicPattern.isPattern(name);
    this.log = log;
    this.lineage = lineage;
    this.feeder = feeder;
    this.mailbox = feeder == null ? hub.newMailbox() : feeder.mailbox;
    this.history = new BrokerHistory(name, hub.clock(), hub.metrics(), hub.marginMs(), log, this);
    if (pattern) {
      this.channels = new PatternChannels(name, log, mailbox, hub.channelNumbers());
      this.own = null;
      log.counter(channels);
    } else {
      int number = hub.channelNumbers().take();
      this.channels = null;
      this.own = number < 0 ? null : new Channel(number, name, null);
    }
  }

  /** Whether the node had a channel number for the topic. */
  boolean hasNumber() {
    return pattern || own != null;
  }

  void consumer(Broker.Consumer opened) {
    consumer = opened;
  }

  /**
   * Closes the consumer and everything else. Control thread.
   *
   * @param closed called by the sequencer once the channel numbers are free
   */
  void close(Runnable closed) {
    cancelScheduledClose();
    consumer.close();
    discard();
    mailbox.post(closed);
  }

  /** Gives up an interest that has no consumer, or no longer. Control thread. */
  void discard() {
    mailbox.post(this::end);
  }

  /** Adds a shard. Control thread. */
  void attach(ShardTopic topic) {
    cancelScheduledClose();
    users.add(topic);
    if (held) {
      topic.post(new ShardEvent.Held(topic, provenMs));
    }
    mailbox.post(() -> admitOrWait(topic));
  }

  private void admitOrWait(ShardTopic topic) {
    if (standing) {
      admit(topic);
    } else {
      waiting.add(topic);
    }
  }

  /** Removes a shard; returns whether the interest is unused. Control thread. */
  boolean detach(ShardTopic topic) {
    if (!users.remove(topic)) {
      return false; // it was attached to an interest that the broker refused
    }
    mailbox.post(() -> remove(topic));
    return !isWanted();
  }

  private void remove(ShardTopic topic) {
    waiting.remove(topic);
    List<ShardTopic> rest = new ArrayList<>(List.of(attached));
    rest.remove(topic);
    attached = rest.toArray(ShardTopic[]::new);
  }

  /** Replaces the time at which an unused interest is closed. Control thread. */
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

  /** Whether a client or the node itself uses it. Control thread. */
  boolean isWanted() {
    return warm || isUsed();
  }

  /** Whether the node itself subscribes to it. */
  boolean isWarm() {
    return warm;
  }

  /** Whether a client uses it. Control thread. */
  boolean isUsed() {
    return !users.isEmpty();
  }

  /** Whether the consumer has become active, as soon as that is known. Any thread. */
  CompletionStage<Boolean> settled() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    mailbox.post(
        () -> {
          if (standing || closed) {
            answer.complete(standing);
          } else if (settled == null) {
            settled = answer;
          } else {
            settled.thenAccept(answer::complete);
          }
        });
    return answer;
  }

  private void settle(boolean stands) {
    if (settled != null) {
      settled.complete(stands);
    }
  }

  void onBrokerLost() {
    passed = Passed.NONE;
    mailbox.post(
        () -> {
          standing = false;
          if (lineage != null) {
            becomeLate(); // messages that the broker has kept follow when it is back
          }
        });
  }

  @Override
  public void onActive(boolean again) {
    int lossesNow = hub.losses();
    mailbox.post(
        () -> {
          history.onActive();
          if (again) {
            restored(true, lossesNow);
          } else {
            standFirst(lossesNow);
          }
        });
  }

  private void standFirst(int lossesBefore) {
    log.completeSince(hub.clock().monoMs());
    fedInterests().forEach(interest -> interest.standFirst(lossesBefore));
    stand(lossesBefore);
  }

  // Sequencer.
  @Override
  public void completeSince(long nowMs) {
    log.completeSince(nowMs);
    fedInterests().forEach(interest -> interest.completeSince(nowMs));
  }

  private void stand(int lossesBefore) {
    losses = lossesBefore;
    standing = true;
    stoodBefore = true;
    waiting.forEach(this::admit);
    waiting.clear();
    settle(true);
  }

  /** The consumer is active again; replay starts from the log. Control thread. */
  void onReturned(boolean lost) {
    int lossesNow = hub.losses();
    mailbox.post(() -> restored(lost, lossesNow));
  }

  private void restored(boolean lost, int lossesBefore) {
    boolean isGap = lost || stoodBefore && !log.hasLineage();
    owed = isGap ? GapReason.BROKER_LOST : owed; // in case that its report fails
    long offset =
        isGap
            ? log.appendGap(GapReason.BROKER_LOST, hub.clock().monoMs())
            : ShardEvent.Restored.WHOLE;
    for (ShardTopic topic : attached) {
      topic.closeGap(); // a later loss is behind this one
      topic.post(new ShardEvent.Restored(topic, offset, lossesBefore));
    }
    owed = isGap ? null : owed;
    fedInterests().forEach(interest -> interest.restored(lost, lossesBefore));
    stand(lossesBefore);
  }

  /** Fills the empty log from the journal. Before any command is posted. */
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
        log.append(entry.message(), channel, arrivedMs);
      } else {
        log.appendGap(
            entry.gapReason() == null ? GapReason.OVERLOAD : entry.gapReason(), arrivedMs);
      }
    }
    becomeLate();
  }

  /** Messages that follow may have been accepted by the broker long before. */
  void late() {
    mailbox.post(this::becomeLate);
  }

  private void becomeLate() {
    log.markLate();
    fedInterests().forEach(Interest::becomeLate);
  }

  /** Messages arrive when the broker accepts them from now on. */
  void onTime(long nowMs) {
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
   * Makes it a durable interest.
   *
   * @param passed whether everything that its source had received at a time has been passed on
   */
  void durable(LongPredicate passed) {
    hasPassed = passed;
  }

  /** The lineage of an interest of this name that this one would feed, or null. */
  Lineage lineage(String other) {
    return lineage == null ? null : lineage.of(other);
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    onClosedByBroker();
    mailbox.post(() -> refuse(code, why));
  }

  private void onClosedByBroker() {
    hub.onInterestRefused(this);
    fed.forEach(Interest::onClosedByBroker);
    fed.clear();
    users.clear();
  }

  private void refuse(ErrorCode code, String why) {
    fedInterests().forEach(interest -> interest.refuse(code, why));
    waiting.forEach(topic -> topic.post(new ShardEvent.Refused(topic, code, why)));
    for (ShardTopic topic : attached) {
      topic.post(new ShardEvent.Refused(topic, code, why));
    }
    end();
  }

  @Override
  public void onMessage(Message message, long sequence) {
    long lagMs = observe(sequence);
    int size = LogEntry.size(message);
    if (mailbox.admit(size)) {
      mailbox.post(new QueuedMessage(this, message, hub.clock().monoMs(), lagMs, size, false));
    } else {
      hub.metrics().dropped("ingress-queue-full", 1);
      reportOverflow();
    }
  }

  /** Appends a message that is in the journal. Thread of the durable intake, which may wait. */
  void onStored(Message message) {
    int size = LogEntry.size(message);
    mailbox.reserve(size);
    mailbox.post(new QueuedMessage(this, message, hub.clock().monoMs(), 0, size, true));
  }

  /** Whether so many messages wait that the durable intake should take no more. */
  boolean isFull() {
    return mailbox.isFull();
  }

  @Override
  public void onMissed(GapReason reason, long sequence) {
    observe(sequence);
    onMissed(reason);
  }

  /** Messages are missing at this place of the stream. */
  void onMissed(GapReason reason) {
    mailbox.post(() -> miss(reason));
  }

  /** Returns by how much the message is known to lag. */
  private long observe(long sequence) {
    boolean numbered = sequence != Broker.NO_SEQUENCE;
    if (!numbered) {
      unnumberedMs = hub.clock().monoMs();
    }
    DeliveryWatermark.Round round = hub.watermark().current();
    if (round == null) {
      return 0;
    }
    if (sequence >= round.floor()) {
      if (newerRound != round.number()) {
        newerRound = round.number();
      }
      return 0;
    }
    long lagMs = numbered ? hub.watermark().lagMs(sequence, hub.clock().monoMs()) : 0;
    Lateness before = lateness;
    if (before.round() != round.number() || before.lagMs() < lagMs) {
      lateness = new Lateness(round.number(), lagMs);
    }
    return lagMs;
  }

  private void reportOverflow() {
    if (overflow == null || !overflow.covers(mailbox.posted())) {
      overflow = new Overflow(mailbox.posted() + 1);
      mailbox.post(overflow);
    }
  }

  private void onFault(Throwable cause) {
    owed = GapReason.OVERLOAD;
    hub.onSequencerFault(name, cause);
    miss(GapReason.OVERLOAD);
  }

  /** Reports a gap of which the report has failed. */
  private void reportOwed() {
    GapReason reason = owed;
    if (reason != null) {
      miss(reason);
    }
  }

  private void sequence(Message message, long arrivedMs, long lagMs, boolean stored) {
    // A consumer that is closed may still deliver.
    if (!closed && (stored || !history.leavesOut(message))) {
      take(message, arrivedMs, lagMs);
    }
  }

  private void take(Message message, long arrivedMs, long lagMs) {
    reportOwed();
    feedOthers(message, arrivedMs, lagMs);
    Channel channel = channel(message.topic());
    if (channel == null) {
      hub.metrics().dropped("too-many-channels", 1);
      miss(GapReason.OVERLOAD);
      return;
    }
    if (lagMs > 0) {
      log.recordLag(lagMs, arrivedMs);
    }
    LogEntry entry = log.append(message, channel, arrivedMs);
    int encodings = 0;
    for (ShardTopic topic : attached) {
      encodings |= topic.encodings();
    }
    if (attached.length == 0) {
      return; // it lingers
    }
    EncodedMessage encoded = new EncodedMessage(entry, hub.frameCache());
    try {
      encoded.encode(encodings, hub.encoder());
      for (ShardTopic topic : attached) {
        topic.offer(encoded);
      }
    } finally {
      encoded.release();
    }
  }

  // Sequencer.
  @Override
  public void miss(GapReason reason) {
    if (closed) {
      return;
    }
    owed = reason; // until all of the report is done, any part of which may fail
    long mark = log.appendGap(reason, hub.clock().monoMs());
    for (ShardTopic topic : attached) {
      topic.offerGap(reason, mark);
    }
    fedInterests().forEach(interest -> interest.miss(reason));
    owed = null;
  }

  private void feedOthers(Message message, long arrivedMs, long lagMs) {
    if (served != null) {
      served.forEachCovering(
          message.topic(), interest -> interest.takeFed(message, arrivedMs, lagMs));
    }
  }

  private void takeFed(Message message, long arrivedMs, long lagMs) {
    if (!closed) {
      take(message, arrivedMs, lagMs);
    }
  }

  private List<Interest> fedInterests() {
    if (served == null) {
      return List.of();
    }
    List<Interest> all = new ArrayList<>();
    served.forEach(all::add);
    return all;
  }

  /** Serves another interest, whose log begins with what this one's log has. Control thread. */
  Broker.Consumer feed(Interest other) {
    fed.add(other);
    other.provenMs = provenMs;
    if (held) {
      other.hold(true);
    }
    mailbox.post(() -> beginFeeding(other));
    return () -> {
      fed.remove(other);
      mailbox.post(() -> stopFeeding(other));
    };
  }

  private void beginFeeding(Interest other) {
    other.log.copyFrom(log, other.name, other::channel);
    if (standing) {
      other.stand(losses);
    }
    if (served == null) {
      served = new SubjectTrie<>();
    }
    served.put(other.name, other);
  }

  private void stopFeeding(Interest other) {
    if (served != null) {
      served.remove(other.name, other);
    }
  }

  /** Evicts entries that are too old and frees channel numbers. Control thread, once a second. */
  void evict(long nowMs) {
    boolean upkeep = pattern && channels.needsUpkeep();
    if (upkeep || log.mayEvict(nowMs)) {
      mailbox.post(() -> evictNow(nowMs));
    }
  }

  private void evictNow(long nowMs) {
    if (closed) {
      return;
    }
    log.evict(nowMs);
    if (pattern) {
      channels.upkeep(List.of(attached));
    }
  }

  /**
   * Applies a proof that the broker delivers, and excludes this interest from it where the evidence
   * does not hold for it. Control thread.
   *
   * @param round the round that ends
   * @param sentMs wall clock at which its canary was sent
   * @param congested whether a topic lagged so much in the round that others may starve
   * @param marginMs lag from which arrival times are not comparable with another node's
   */
  void onProof(DeliveryWatermark.Round round, long sentMs, long marginMs, boolean congested) {
    if (feeder != null) {
      return; // the feeder applies it
    }
    // In this order: a message that is passed on in between is found in the round or the mailbox.
    boolean reading = consumer != null && consumer.readingSequence() < round.floor();
    Lateness late = lateness;
    boolean shown = !congested || newerRound == round.number();
    boolean unknown = hub.watermark().isHeld(unnumberedMs, hub.clock().monoMs());
    boolean onTime = !reading && late.round() != round.number() && shown && !unknown;
    boolean arrived = hasPassed == null ? onTime : hasPassed.test(round.openedMs());
    boolean idle = mailbox.isIdle();
    boolean done = passed.isDone();
    if (owed != null) { // last: a command that has run may have failed
      arrived = false;
      done = false;
      passed = Passed.NONE;
      mailbox.post(this::reportOwed);
    }
    boolean proven = arrived && idle;
    boolean moved = proven || done;
    if (moved) {
      proven(proven ? sentMs : passed.sentMs());
      passed = Passed.NONE;
    }
    if (proven == held || moved && held) {
      hold(!proven);
    }
    if (arrived && !proven && passed == Passed.NONE) {
      passed = new Passed(mailbox, mailbox.posted(), sentMs);
    }
    if (hasPassed == null) {
      lag(lagMs(round), marginMs);
    }
  }

  /** The largest lag of a message that arrived in a round. Control thread. */
  long lagMs(DeliveryWatermark.Round round) {
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

  private void hold(boolean excluded) {
    held = excluded;
    long limitMs = excluded ? provenMs : ShardEvent.Held.NO_LIMIT;
    users.forEach(topic -> topic.post(new ShardEvent.Held(topic, limitMs)));
    fed.forEach(interest -> interest.hold(excluded));
  }

  @Override
  public String name() {
    return name;
  }

  // Control thread.
  @Override
  public long lagMs() {
    return lagMs;
  }

  /** The mailbox, for fences and gauges. */
  Mailbox mailbox() {
    return mailbox;
  }

  private void admit(ShardTopic topic) {
    ShardTopic[] more = new ShardTopic[attached.length + 1];
    System.arraycopy(attached, 0, more, 0, attached.length);
    more[attached.length] = topic;
    attached = more;
    List<Channel> known = pattern ? channels.all() : List.of();
    topic.post(new ShardEvent.Attached(topic, log, log.last(), own, known, losses));
  }

  /** The channel of a message that is appended to the log next, or null if no number is left. */
  private Channel channel(String topic) {
    if (own != null) {
      return own;
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
      for (ShardTopic user : attached) {
        user.post(new ShardEvent.NewChannel(user, added));
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
    attached = new ShardTopic[0];
    served = null;
    if (own != null) {
      hub.channelNumbers().giveBack(own.number());
    }
    if (pattern) {
      channels.close();
    }
  }
}
