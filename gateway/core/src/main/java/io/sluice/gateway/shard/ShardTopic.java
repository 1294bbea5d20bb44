package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.BegunStream;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.ArrayList;
import java.util.List;

/**
 * Subscribers of one interest on one event loop. Bound to that loop, except for the public methods,
 * which the interest's sequencer calls.
 *
 * <p>Subscriptions that have caught up are {@link LiveSubscriptions}; those with {@code latest}
 * change to a {@link Conflation} while their client lags. All others are paced.
 *
 * <p>An event for all subscribers may take several batches: {@link #continueEvent}.
 */
public final class ShardTopic extends SubscribedTopic implements TopicUser {
  final HubShard shard;
  private final ShardSource source;
  final boolean pattern;
  private final String user;

  /** The {@link MessageForm}s in use, as a bit set of ordinals. */
  private volatile int encodings;

  /** Number of subscriptions; written by the event loop only. */
  private volatile int subscriptions;

  /**
   * The gap offered after the latest message or return of the broker, or null; owned by the
   * interest's sequencer.
   */
  private ShardEvent.Gap lastGap;

  /** True if the hub has accepted the request to attach this topic. */
  boolean attachAccepted;

  private final LiveSubscriptions live;

  /** Live subscriptions whose clients failed to accept a message of the current batch. */
  private final List<SubscriptionState> failed = new ArrayList<>(0);

  /** Subscriptions that are not admitted, in the order of arrival; admitted from the end. */
  private final List<SubscriptionState> waiting = new ArrayList<>(1);

  private final List<SubscriptionState> paced = new ArrayList<>(0);

  /** The number of admitted tagged subscriptions by their {@link MessageForm}; null at first. */
  private int[] tagged;

  private List<Channel> channels;

  /** Removal of retired channels that takes several batches, or null. */
  private ChannelRemoval removal;

  /** The channels that {@link #removal} removes. */
  private RetiredChannels retiring;

  private final SubscriptionStarts starts = new SubscriptionStarts(this);

  /** Null until the first one. */
  private HeldStarts held;

  private boolean active;
  private boolean detached;

  /** Time up to which proofs of delivery are valid for this topic. */
  private long provenLimitMs = ShardEvent.ProofLimit.NO_LIMIT;

  /** Unfinished notice to the live subscriptions, or null. */
  private Notice notice;

  /** True while the {@link #waiting} subscriptions are being admitted. */
  private boolean admitting;

  /** Refusal that is being sent to all subscribers, or null. */
  private ShardEvent.Refused refusal;

  private final StreamTraffic stream;
  private final QueueWindow window;

  /** The latest live message if a client may need it as dictionary, or null. */
  private LogEntry latest;

  private TopicLog log;
  private long offset;

  /** Identifies the log, or the stream of a source with offsets. */
  private long epoch;

  /** Number of this stream. */
  private int sourceStream;

  /** See {@link StreamPlace#whole}. */
  private boolean whole;

  /** The latest offset of each of its partitions; null without offsets. */
  private PartitionOffsets places;

  /** The latest stream that has begun at a gap, or null. */
  private ShardEvent.NewStream begun;

  /** Offset of the gap of the latest stream that was announced to all live subscriptions. */
  private long liveStream;

  private Channel channel;
  private int streamNumber;

  ShardTopic(HubShard shard, InterestKey key, ShardSource source, String user) {
    super(key);
    this.shard = shard;
    this.source = source;
    this.stream = new StreamTraffic(shard.pacer().nowNs());
    this.window = new QueueWindow(shard.windows());
    this.pattern = TopicPattern.isPattern(key.topic());
    this.user = user;
    this.channels = pattern ? new ArrayList<>(0) : List.of();
    this.live = new LiveSubscriptions(shard.streams(), stream, this::conflate, this::onFailed);
  }

  @Override
  public String user() {
    return user;
  }

  /** Notification of one subscriber. */
  @FunctionalInterface
  private interface Notice {
    void send(SubscriptionState subscription);
  }

  SubscriptionState subscribe(
      Subscriber subscriber, long ref, boolean tagged, Start start, Delivery delivery) {
    SubscriptionState subscription =
        new SubscriptionState(
            subscriber, this, ref, tagged, start, delivery, shard.clock().wallMs());
    subscriptions = subscriptions + 1;
    if (active || places != null) {
      admit(subscription);
    } else {
      subscription.index = waiting.size();
      waiting.add(subscription);
    }
    return subscription;
  }

  @Override
  public InterestKey key() {
    return key;
  }

  @Override
  public int encodings() {
    return encodings;
  }

  @Override
  public int subscriptions() {
    return subscriptions;
  }

  @Override
  public void attached(
      TopicLog attachedLog,
      long logEpoch,
      long from,
      StreamPlace place,
      Channel own,
      List<Channel> known,
      int number,
      int losses) {
    shard.offer(
        new ShardEvent.Attached(
            this, attachedLog, logEpoch, from, place, own, known, number, losses));
  }

  @Override
  public void streamBegun(long newEpoch, StreamPlace start, long at) {
    shard.offer(new ShardEvent.NewStream(this, newEpoch, start, at));
  }

  @Override
  public void restored(long at, int losses) {
    shard.offer(new ShardEvent.Restored(this, at, losses));
  }

  @Override
  public void refused(ErrorCode code, String reason) {
    shard.offer(new ShardEvent.Refused(this, code, reason));
  }

  @Override
  public void channelAdded(Channel added) {
    shard.offer(new ShardEvent.NewChannel(this, added));
  }

  @Override
  public void channelsRetired(RetiredChannels retired, boolean discards) {
    shard.offer(new ShardEvent.Retired(this, retired, discards));
  }

  @Override
  public void proofLimited(long limitMs) {
    shard.offer(new ShardEvent.ProofLimit(this, limitMs));
  }

  @Override
  public void readBack(StreamPlace after, List<LogEntry> messages, boolean refuted) {
    shard.offer(new ShardEvent.Earlier(this, after, messages, refuted));
  }

  @Override
  public void offer(EncodedMessage message) {
    if (shard.offerMessage(this, message)) {
      lastGap = null;
    } else {
      offerGap(GapReason.OVERLOAD, message.offset);
    }
  }

  @Override
  public boolean isFull() {
    return window.isFull();
  }

  @Override
  public boolean whenReady(Runnable task) {
    return window.whenReady(task);
  }

  /** Returns the messages in the shard's queue. Any thread. */
  QueueWindow window() {
    return window;
  }

  @Override
  public void offerGap(GapReason reason, long offset) {
    if (lastGap == null || !lastGap.extendTo(offset)) {
      lastGap = new ShardEvent.Gap(this, reason, offset);
      shard.offer(lastGap);
    }
  }

  @Override
  public void closeGap() {
    lastGap = null;
  }

  @Override
  void end(SubscriptionState subscription) {
    if (unsubscribe(subscription)) {
      shard.onUnused(this);
    }
  }

  @Override
  void endSnapshot(PromisedSnapshot snapshot) {
    shard.snapshots().end(snapshot);
  }

  @Override
  void dropped(String cause, int count) {
    shard.metrics().dropped(cause, count);
  }

  /** Removes a subscription; returns whether the topic has none left. */
  boolean unsubscribe(SubscriptionState subscription) {
    subscriptions = subscriptions - 1;
    if (subscription.subscriber.window() != null) {
      subscription.subscriber.window().deselect(stream);
    }
    if (subscription.paced != null) {
      endPacing(subscription);
    } else if (subscription.admitted) {
      remove(subscription);
    } else if (held == null || !held.remove(subscription)) {
      removeAtIndex(waiting, subscription);
    }
    return isEmpty();
  }

  private void endPacing(SubscriptionState subscription) {
    subscription.paced.close();
    subscription.paced = null;
    removeAtIndex(paced, subscription);
    count(subscription, -1);
  }

  // By index, because a search would be quadratic when all clients of a long list leave at once.
  private static void removeAtIndex(List<SubscriptionState> from, SubscriptionState subscription) {
    SubscriptionState last = from.remove(from.size() - 1);
    if (last != subscription) {
      from.set(subscription.index, last);
      last.index = subscription.index;
    }
  }

  boolean isEmpty() {
    boolean isHolding = held != null && !held.isEmpty();
    return waiting.isEmpty() && paced.isEmpty() && encodings == 0 && !isHolding;
  }

  @Override
  TopicLog log() {
    return log;
  }

  /** Returns the channel of a topic; null for a pattern. */
  Channel channel() {
    return channel;
  }

  /** Returns the number of the stream in compressed frames. */
  int streamNumber() {
    return streamNumber;
  }

  @Override
  StreamTraffic stream() {
    return stream;
  }

  @Override
  long offset() {
    return offset;
  }

  /** Detaches this topic: later events of it are ignored. */
  void detach() {
    detached = true;
  }

  /** Limits the validity of proofs for this topic. */
  void limitProof(long limitMs) {
    provenLimitMs = limitMs;
  }

  @Override
  long provenMs() {
    return Math.min(source.provenMs, provenLimitMs);
  }

  @Override
  ShardSource source() {
    return source;
  }

  @Override
  int sourceNumber() {
    return shard.number(source);
  }

  /** Returns whether the identities of its messages are equal on all nodes. */
  boolean isIdentified() {
    return shard.isIdentified(source);
  }

  void onAttached(ShardEvent.Attached event) {
    if (detached) {
      return;
    }
    log = event.log();
    offset = event.offset();
    onStream(event.epoch(), event.place());
    channel = event.channel();
    streamNumber = event.stream();
    if (pattern) {
      channels.addAll(event.channels());
    }
    activateSince(event.losses());
  }

  /** Processes the beginning of another stream. */
  void onNewStream(ShardEvent.NewStream event) {
    if (!detached) {
      for (SubscriptionState subscription : paced) {
        if (subscription.paced.stream != begunAt()) { // the client will not learn of that stream
          subscription.paced.discardAfter(begunAt());
        }
      }
      begun = event;
      onStream(event.epoch(), event.start());
      if (held != null) {
        held.onNewStream();
      }
      onGap(GapReason.BROKER_LOST, event.offset());
    }
  }

  /** Returns the offset of the gap at which the latest stream has begun; 0 if none has. */
  private long begunAt() {
    return begun == null ? 0 : begun.offset();
  }

  // The start is null without offsets.
  private void onStream(long newEpoch, StreamPlace start) {
    epoch = newEpoch;
    if (start != null) {
      sourceStream = start.stream();
      whole = start.whole();
      places = new PartitionOffsets(start);
    }
  }

  /** Returns the place at {@link #offset}; null if the source has no offsets. */
  StreamPlace place() {
    return places == null ? null : places.place(sourceStream);
  }

  /** Returns the epoch at {@link #offset}. */
  long epoch() {
    return epoch;
  }

  /** Returns the number of the stream at {@link #offset}. */
  int sourceStream() {
    return sourceStream;
  }

  /** Returns the place of a position; null if it is of another stream, or without offsets. */
  PartitionOffsets place(Start.Position position) {
    return places == null ? null : log.placeOf(position, sourceStream);
  }

  /** Returns whether all messages before a client's place arrive here. */
  boolean isWhole() {
    return whole;
  }

  /** Returns whether a place may be that of a message which the source has removed. */
  boolean isAmbiguous(PartitionOffsets place) {
    return log.isAmbiguous(place);
  }

  /** Returns the messages after a place up to {@link #offset}; null if the log lacks some. */
  List<LogEntry> after(PartitionOffsets place) {
    return log.after(place, sourceStream, offset);
  }

  /** Returns whether all messages before a place have arrived here. */
  boolean reaches(PartitionOffsets place) {
    return places.reaches(place);
  }

  /** Processes the reactivation of the consumer after an outage. */
  void onRestored(ShardEvent.Restored event) {
    if (!detached) {
      if (event.offset() != ShardEvent.Restored.WHOLE) {
        onGap(GapReason.BROKER_LOST, event.offset());
      }
      activateSince(event.losses());
    }
  }

  // A consumer that was lost in between admits no subscription; its reactivation follows. With
  // offsets, clients receive what the node has.
  private void activateSince(int losses) {
    if (losses >= source.losses) {
      activate();
    } else {
      admitting = places != null;
    }
  }

  void onSourceLost() {
    active = false;
  }

  void onNewChannel(Channel added) {
    if (detached) {
      return;
    }
    int before = channels.size();
    channels.add(added);
    live.beginNotice(true);
    notice = subscription -> subscription.subscriber.onFrames(shard.events().channel(added));
    for (SubscriptionState subscription :
        paced) { // the pacer announces it to clients that lack earlier channels
      if (isBinary(subscription) && subscription.paced.announced == before) {
        shard.visited(1);
        announce(subscription, added);
      }
    }
  }

  // After a failure the pacer announces it again, before the channel's first message.
  private void announce(SubscriptionState subscription, Channel added) {
    try {
      subscription.subscriber.onFrames(shard.events().channel(added));
      subscription.paced.announced++;
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
    }
  }

  /**
   * Replies whether no subscription has a message for the retired channels. The removal of the
   * channels may take several batches: {@link #continueEvent}.
   */
  void onRetired(ShardEvent.Retired event) {
    RetiredChannels retired = event.retired();
    ChannelRemoval begun = null;
    try {
      if (!detached && !retainsMessages(retired, event.discards())) {
        begun = new ChannelRemoval(channels, retired.channels());
      }
    } finally {
      if (begun == null) {
        retired.answer(this, detached);
      }
    }
    if (begun != null) {
      starts.invalidateSnapshot(); // later subscriptions must not share it
      retiring = retired;
      removal = begun;
    }
  }

  /** Returns whether a subscription may send a message for one of the retired channels. */
  private boolean retainsMessages(RetiredChannels retired, boolean discards) {
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      Paced state = subscription.paced;
      if (state.oldestRetained() <= retired.lastOffset()) {
        if (!discards) {
          return true;
        }
        state.discardRetained(retired.lastOffset());
        shard.pacer().add(subscription);
      }
    }
    return false;
  }

  private boolean removeChannels() {
    while (removal != null) {
      if (shard.isBatchFull()) {
        return false;
      }
      shard.visited(1);
      if (removal.isDoneAfterStep()) {
        finish(removal);
      }
    }
    return true;
  }

  private void finish(ChannelRemoval done) {
    removal = null;
    channels = done.rest();
    shard.events().invalidateChannels();
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      subscription.paced.announced -= done.removedBefore(subscription.paced.announced);
    }
    retiring.answer(this, true);
  }

  /** Reports a gap to all subscriptions. */
  void onGap(GapReason reason, long gapOffset) {
    if (detached) {
      return;
    }
    long at = Math.max(offset, gapOffset); // offsets never decrease
    passPlaces(at);
    offset = at;
    startReached();
    live.beginNotice(false);
    notice =
        subscription -> {
          if (subscription.delivery.latest() && subscription.subscriber.isLagging()) {
            conflate(subscription).onGap(reason, at);
          } else {
            sendGap(subscription, reason, at);
          }
        };
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      onGap(subscription, reason, at);
    }
  }

  // The log may have the messages that only this event loop has lost. Without them the place is too
  // low, and a client receives messages at another node that precede its subscription.
  private void passPlaces(long upTo) {
    for (long at = upTo; places != null && at > offset; at--) {
      LogEntry entry = log.at(at);
      if (entry == null) {
        return;
      }
      if (!entry.isGap()) {
        places.raise(entry.message().identity());
      }
    }
  }

  // The failure of one subscription must not affect the others.
  private void onGap(SubscriptionState subscription, GapReason reason, long at) {
    try {
      subscription.paced.onGap(reason, at);
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
    }
    shard.pacer().add(subscription);
  }

  @Override
  void sendGap(SubscriptionState subscription, GapReason reason, long at) {
    shard.gapSent(reason);
    subscription.countGap(shard.clock().wallMs());
    Paced state = subscription.paced;
    long known = state == null ? liveStream : state.stream;
    boolean isNew = begunAt() != known && at >= begunAt();
    BegunStream other =
        isNew ? new BegunStream(begun.epoch(), log.site(), begun.start().ids()) : null;
    ByteBuf frame = shard.events().gap(subscription.tag(), name(), reason, at, other);
    subscription.subscriber.onGap(name(), reason, at, frame);
    if (state != null && isNew) {
      state.stream = begunAt();
    }
  }

  void onRefused(ShardEvent.Refused event) {
    detach();
    refusal = event;
  }

  /**
   * Continues the latest event until the batch is full.
   *
   * @return whether the event is finished, so that the next one may follow
   */
  boolean continueEvent() {
    return notifyAll(false) && admitAll() && startHeld() && removeChannels() && refuseAll();
  }

  /**
   * Sends the notice to the live subscriptions; returns whether all have received it.
   *
   * @param complete whether to continue when the batch is full
   */
  private boolean notifyAll(boolean complete) {
    while (notice != null) {
      if (!complete && shard.isBatchFull() && live.isBeingNotified()) {
        return false;
      }
      SubscriptionState next = live.nextToNotify();
      if (next == null) {
        notice = null;
        liveStream = begunAt();
      } else {
        shard.visited(1);
        send(notice, next);
      }
    }
    return true;
  }

  // The failure of one subscription must not affect the others.
  private void send(Notice current, SubscriptionState subscription) {
    try {
      current.send(subscription);
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
      scheduleGap(subscription);
    }
  }

  private boolean admitAll() {
    while (admitting && !waiting.isEmpty()) {
      if (shard.isBatchFull()) {
        return false;
      }
      shard.visited(1);
      admit(waiting.remove(waiting.size() - 1));
    }
    admitting = false;
    return true;
  }

  private boolean refuseAll() {
    while (refusal != null && !isEmpty()) {
      if (shard.isBatchFull()) {
        return false;
      }
      shard.visited(1);
      SubscriptionState refused = any();
      unsubscribe(refused);
      refused.subscriber.onRefused(refused, refusal.code(), refusal.reason());
    }
    return true;
  }

  private SubscriptionState any() {
    if (!waiting.isEmpty()) {
      return waiting.get(waiting.size() - 1);
    }
    if (!paced.isEmpty()) {
      return paced.get(paced.size() - 1);
    }
    return held == null || held.isEmpty() ? live.any() : held.any();
  }

  /** Delivers messages to every subscriber; returns the number of live deliveries. */
  int deliver(MessageBatch messages, MessageEncoder encoder, FlushBatch batch) {
    if (detached) {
      return 0;
    }
    if (messages.first().offset != offset + 1) { // messages were lost before they arrived here
      onGap(GapReason.OVERLOAD, messages.first().offset - 1);
      notifyAll(true);
    }
    int delivered = live.deliver(messages, encoder, batch, before(messages.first()));
    if (live.hasStreams()) {
      latest = messages.last().entry;
      markEncodings();
    } else {
      latest = null;
    }
    for (int i = 0; places != null && i < messages.size(); i++) {
      places.raise(messages.at(i).message.identity());
    }
    offset = messages.last().offset; // after the delivery, so that a failure is detected as a loss
    startReached();
    for (SubscriptionState subscription : paced) {
      offer(subscription, messages);
    }
    reportToFailed();
    return delivered;
  }

  private LogEntry before(EncodedMessage first) {
    if (latest != null || !live.hasStreams()) {
      return latest;
    }
    return log.at(first.offset - 1);
  }

  private void onFailed(SubscriptionState subscription, Throwable cause) {
    shard.onFault(cause);
    failed.add(subscription);
  }

  /** Reports a gap to each client that failed to accept messages. */
  private void reportToFailed() {
    for (SubscriptionState subscription : failed) {
      try {
        sendGap(subscription, GapReason.OVERLOAD, offset);
      } catch (RuntimeException | OutOfMemoryError e) {
        shard.onFault(e);
        scheduleGap(subscription);
      }
    }
    failed.clear();
  }

  /** Schedules a gap and the channels for a client whose notification failed. */
  private void scheduleGap(SubscriptionState subscription) {
    if (subscription.paced != null) {
      subscription.paced.onFault(offset);
      return;
    }
    if (subscription.delivery.latest()) {
      Conflation conflation = conflation(subscription, null, offset);
      conflation.onGap(GapReason.OVERLOAD, offset);
      leaveLive(subscription, conflation, 0);
    } else {
      CatchUp catchUp = new CatchUp(subscription, null, offset);
      catchUp.scheduleGap(GapReason.OVERLOAD, offset);
      leaveLive(subscription, catchUp, 0);
    }
  }

  // The failure of one subscription must not affect the others.
  private void offer(SubscriptionState subscription, MessageBatch messages) {
    try {
      if (subscription.paced.onMessages(messages, shard.pacer())) {
        shard.pacer().add(subscription);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
      subscription.paced.onFault(messages.last().offset);
      shard.pacer().add(subscription);
    }
  }

  /** Changes a live subscription with {@code latest} to conflation, because its client lags. */
  private Paced conflate(SubscriptionState subscription) {
    Paced lagging = conflation(subscription, null, offset);
    leaveLive(subscription, lagging, channelsFor(subscription).size());
    return lagging;
  }

  /** Changes a live subscription to paced. It stays live if the memory is insufficient. */
  private void leaveLive(SubscriptionState subscription, Paced state, int announced) {
    state.stream = liveStream;
    paced.add(subscription);
    remove(subscription);
    pace(subscription, state, announced, paced.size() - 1);
  }

  private void activate() {
    active = true;
    admitting = true;
    if (held != null) {
      held.onActive();
    }
  }

  private void admit(SubscriptionState subscription) {
    subscription.admitted = starts.admit(subscription);
  }

  /** Holds a subscription until the messages since a place have been read back. */
  void hold(SubscriptionState subscription, PartitionOffsets place) {
    held().hold(subscription, place);
  }

  /** Holds a subscription until the messages before its place have arrived. */
  void holdAhead(SubscriptionState subscription, PartitionOffsets place) {
    held().holdAhead(subscription, place);
  }

  private HeldStarts held() {
    if (held == null) {
      held = new HeldStarts(this);
    }
    return held;
  }

  private void startReached() {
    if (held != null) {
      held.onArrived();
    }
  }

  /** Returns whether a held subscription can start, by {@link #continueEvent}. */
  boolean hasReadyStart() {
    return held != null && held.isReady();
  }

  /** Ends the wait of a subscription for messages before its place. */
  void onOverdue(SubscriptionState subscription) {
    if (!detached && held != null) {
      held.onOverdue(subscription, active);
    }
  }

  /** Processes messages that were read back for held subscriptions. */
  void onEarlier(ShardEvent.Earlier read) {
    if (!detached && held != null) {
      held.onEarlier(read, active);
    }
  }

  private boolean startHeld() {
    while (held != null && held.isReady() && !detached) {
      if (shard.isBatchFull()) {
        return false;
      }
      held.startNext(this::start);
    }
    return true;
  }

  private void start(SubscriptionState subscription, List<LogEntry> messages, int users) {
    subscription.admitted = true;
    starts.admit(subscription, messages, users);
  }

  /**
   * Starts to serve an admitted subscription.
   *
   * @param promised snapshot that precedes the log, or null
   * @param from offset after which the log follows
   */
  void begin(SubscriptionState subscription, PromisedSnapshot promised, long from) {
    PromisedSnapshot snapshot = promised == null || promised.size() == 0 ? null : promised;
    int announced = announceFew(subscription);
    boolean isAnnounced = announced == channelsFor(subscription).size();
    boolean isLive = snapshot == null && from == offset && isAnnounced;
    if (isLive && subscription.delivery.intervalNs() == 0 && !subscription.tagged) {
      join(subscription);
      return;
    }
    if (snapshot != null) {
      shard.snapshots().begin(snapshot);
    }
    Paced state =
        subscription.delivery.latest()
            ? conflation(subscription, snapshot, from)
            : new CatchUp(subscription, snapshot, from);
    state.stream = begunAt();
    pace(subscription, state, announced);
  }

  /** Announces the channels immediately if they are few; returns the number announced. */
  private int announceFew(SubscriptionState subscription) {
    List<Channel> known = channelsFor(subscription);
    boolean few = !known.isEmpty() && known.size() <= FrameJoiner.MAX_FRAMES;
    return few ? shard.pacer().sendChannels(subscription, known, 0) : 0;
  }

  @Override
  List<Channel> channelsFor(SubscriptionState subscription) {
    return isBinary(subscription) ? channels : List.of();
  }

  private static boolean isBinary(SubscriptionState subscription) {
    return subscription.subscriber.encoding().isBinary();
  }

  /**
   * Creates a conflation.
   *
   * @param from offset after which the messages of the log are queued
   */
  private Conflation conflation(
      SubscriptionState subscription, PromisedSnapshot snapshot, long from) {
    long maxBytes = shard.limits().pendingBytes();
    Conflation conflation = new Conflation(subscription, snapshot, shard.pacer().nowNs(), maxBytes);
    for (long next = from + 1; next <= offset; next++) {
      LogEntry entry = log.at(next);
      if (entry == null || entry.isGap()) { // evicted since the snapshot was chosen
        conflation.addGap(GapReason.OVERLOAD, offset);
        break;
      }
      conflation.enqueue(entry, Paced.NOT_PROVEN); // it may have arrived before the latest proof
    }
    return conflation;
  }

  private void pace(SubscriptionState subscription, Paced state, int announced) {
    paced.add(subscription);
    pace(subscription, state, announced, paced.size() - 1);
  }

  private void pace(SubscriptionState subscription, Paced state, int announced, int index) {
    state.announced = announced;
    subscription.paced = state;
    subscription.index = index;
    count(subscription, 1);
    shard.pacer().add(subscription);
  }

  // The sequencer also encodes live messages in the forms of tagged subscriptions.
  private void count(SubscriptionState subscription, int more) {
    if (subscription.tagged) {
      if (tagged == null) {
        tagged = new int[MessageForm.COUNT];
      }
      tagged[subscription.form().ordinal()] += more;
      markEncodings();
    }
  }

  @Override
  void join(SubscriptionState subscription) {
    if (subscription.paced != null) {
      endPacing(subscription);
    }
    live.add(subscription);
    markEncodings();
  }

  private void remove(SubscriptionState subscription) {
    live.remove(subscription);
    markEncodings();
  }

  private void markEncodings() {
    int used = live.encodings();
    for (int form = 0; tagged != null && form < MessageForm.COUNT; form++) {
      used |= tagged[form] > 0 ? 1 << form : 0;
    }
    if (used != encodings) {
      encodings = used;
    }
  }
}
