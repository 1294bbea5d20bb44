package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;

/**
 * Subscribers of one topic on one event loop. Bound to that loop, except for the public methods,
 * which the interest's sequencer calls.
 *
 * <p>Subscriptions that have caught up are {@link LiveSubscriptions}; those with {@code latest}
 * leave them for a {@link Conflation} while their client lags. The others are paced.
 *
 * <p>An event that concerns all subscribers may take several turns of the loop: {@link #goOn}.
 */
public final class ShardTopic extends SubscribedTopic {
  final HubShard shard;
  final boolean pattern;

  /** The set of {@link MessageForm}s in use; bits by their ordinals. */
  private volatile int encodings;

  /**
   * The gap that was offered after the latest message or return of the broker, or null; owned by
   * the interest's sequencer.
   */
  private ShardEvent.Gap lastGap;

  /** Whether the hub has taken the wish for this topic. */
  boolean wanted;

  private final LiveSubscriptions live = new LiveSubscriptions(this::conflate, this::onFailed);

  /** Live subscriptions whose clients failed to accept a message of the current batch. */
  private final List<SubscriptionState> failed = new ArrayList<>(0);

  /** In the order in which they came; they are answered from the end. */
  private final List<SubscriptionState> waiting = new ArrayList<>(1);

  private final List<SubscriptionState> paced = new ArrayList<>(0);

  /** The number of admitted tagged subscriptions by their {@link MessageForm}; null at first. */
  private int[] tagged;

  private List<Channel> channels;

  /** Removal of retired channels that takes several turns, or null. */
  private ChannelRemoval removal;

  /** The channels that {@link #removal} removes. */
  private ShardEvent.RetiredChannels retiring;

  private final SubscriptionStarts starts = new SubscriptionStarts(this);
  private boolean standing;
  private boolean detached;

  /** Time up to which proofs that the broker delivers hold for this topic. */
  private long provenLimitMs = ShardEvent.Held.NO_LIMIT;

  /** Notice that is being sent to the subscribers in the lists, or null. */
  private Notice notice;

  /** Whether {@link #waiting} is being answered. */
  private boolean answering;

  /** Reason for which all subscribers are being refused, or null. */
  private ShardEvent.Refused refusal;

  private TopicLog log;
  private long offset;
  private Channel channel;

  ShardTopic(HubShard shard, String name) {
    super(name);
    this.shard = shard;
    this.pattern = TopicPattern.isPattern(name);
    this.channels = pattern ? new ArrayList<>(0) : List.of();
  }

  /** Notifies one subscriber of something. */
  @FunctionalInterface
  private interface Notice {
    void tell(SubscriptionState subscription);
  }

  SubscriptionState subscribe(
      Subscriber subscriber, long ref, boolean tagged, Start start, Delivery delivery) {
    SubscriptionState subscription =
        new SubscriptionState(subscriber, this, ref, tagged, start, delivery);
    if (standing) {
      admit(subscription);
    } else {
      subscription.index = waiting.size();
      waiting.add(subscription);
    }
    return subscription;
  }

  /** The topic or pattern. Any thread. */
  public String name() {
    return name;
  }

  /** The set of {@link MessageForm}s in use; bits by their ordinals. Any thread. */
  public int encodings() {
    return encodings;
  }

  /** Appends an event to the shard's queue. Any thread. */
  public void post(ShardEvent event) {
    shard.offer(event);
  }

  /** Offers a message to the shard, or a gap if too much waits. Called by the sequencer. */
  public void offer(EncodedMessage message) {
    if (shard.offerMessage(this, message)) {
      lastGap = null;
    } else {
      offerGap(GapReason.OVERLOAD, message.offset);
    }
  }

  /**
   * Offers a gap. One gap covers all losses up to the moment at which it is reported: at most one
   * for each topic waits at a shard. A loss after that moment needs another one, because a client
   * may have subscribed in between. Called by the sequencer.
   */
  public void offerGap(GapReason reason, long offset) {
    if (lastGap == null || !lastGap.extendTo(offset)) {
      lastGap = new ShardEvent.Gap(this, reason, offset);
      shard.offer(lastGap);
    }
  }

  /** The broker's return is offered next: a later loss is behind it. Called by the sequencer. */
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
  void endReplay(Replay replay) {
    shard.replays().end(replay);
  }

  @Override
  void dropped(String cause, int count) {
    shard.metrics().dropped(cause, count);
  }

  /** Takes a subscription out; returns whether the topic has none left. */
  boolean unsubscribe(SubscriptionState subscription) {
    if (subscription.paced != null) {
      endPace(subscription);
    } else if (subscription.admitted) {
      remove(subscription);
    } else {
      takeOut(waiting, subscription);
    }
    return isEmpty();
  }

  private void endPace(SubscriptionState subscription) {
    subscription.paced.close();
    subscription.paced = null;
    takeOut(paced, subscription);
    count(subscription, -1);
  }

  // As many may wait as there are clients, and all leave at once: no search.
  private static void takeOut(List<SubscriptionState> from, SubscriptionState subscription) {
    SubscriptionState last = from.remove(from.size() - 1);
    if (last != subscription) {
      from.set(subscription.index, last);
      last.index = subscription.index;
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty() && paced.isEmpty() && encodings == 0;
  }

  @Override
  TopicLog log() {
    return log;
  }

  /** The channel of a topic; null for a pattern. */
  Channel channel() {
    return channel;
  }

  @Override
  long offset() {
    return offset;
  }

  /** From now on events of this attachment are ignored: nobody listens. */
  void detach() {
    hold(ShardEvent.Held.NO_LIMIT);
    detached = true;
  }

  void hold(long limitMs) {
    if (!detached) {
      shard.held(held(limitMs) - held(provenLimitMs));
      provenLimitMs = limitMs;
    }
  }

  private static int held(long limitMs) {
    return limitMs == ShardEvent.Held.NO_LIMIT ? 0 : 1;
  }

  @Override
  long provenMs() {
    return Math.min(shard.provenMs(), provenLimitMs);
  }

  void onAttached(ShardEvent.Attached event) {
    if (detached) {
      return;
    }
    log = event.log();
    offset = event.offset();
    channel = event.channel();
    if (pattern) {
      channels.addAll(event.channels());
    }
    standSince(event.losses());
  }

  /** The consumer stands again after the broker was away. */
  void onRestored(ShardEvent.Restored event) {
    if (!detached) {
      if (event.offset() != ShardEvent.Restored.WHOLE) {
        onGap(GapReason.BROKER_LOST, event.offset());
      }
      standSince(event.losses());
    }
  }

  /** A consumer that was lost meanwhile answers nobody; its return follows. */
  private void standSince(int losses) {
    if (losses >= shard.losses()) {
      stand();
    }
  }

  void onBrokerLost() {
    standing = false;
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
        paced) { // the pacer announces it to those that lack others
      if (isBinary(subscription) && subscription.paced.announced == before) {
        shard.visited(1);
        announce(subscription, added);
      }
    }
  }

  // The pacer announces it again to one that fails, before the channel's first message.
  private void announce(SubscriptionState subscription, Channel added) {
    try {
      subscription.subscriber.onFrames(shard.events().channel(added));
      subscription.paced.announced++;
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
    }
  }

  /**
   * Answers whether no subscription can send a message of retired channels any more. Removing the
   * channels may take several turns: {@link #goOn}.
   */
  void onRetired(ShardEvent.Retired event) {
    ShardEvent.RetiredChannels retired = event.retired();
    ChannelRemoval begun = null;
    try {
      if (!detached && !holds(retired, event.discards())) {
        begun = new ChannelRemoval(channels, retired.channels());
      }
    } finally {
      if (begun == null) {
        retired.answer(this, detached);
      }
    }
    if (begun != null) {
      starts.forgetSnapshot(); // its first messages were sent, but it would serve others, too
      retiring = retired;
      removal = begun;
    }
  }

  /** Whether a subscription may send a message of one of the retired channels. */
  private boolean holds(ShardEvent.RetiredChannels retired, boolean discards) {
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      Paced state = subscription.paced;
      if (state.oldestHeld() <= retired.lastOffset()) {
        if (!discards) {
          return true;
        }
        state.discardHeld(retired.lastOffset());
        shard.pacer().add(subscription);
      }
    }
    return false;
  }

  private boolean removeChannels() {
    while (removal != null) {
      if (shard.isTurnOver()) {
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
    shard.events().forgetChannels();
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      subscription.paced.announced -= done.removedBefore(subscription.paced.announced);
    }
    retiring.answer(this, true);
  }

  /** Messages may be missing here. */
  void onGap(GapReason reason, long mark) {
    if (detached) {
      return;
    }
    long at = Math.max(offset, mark); // nobody goes back
    offset = at;
    live.beginNotice(false);
    notice =
        subscription -> {
          if (subscription.delivery.latest() && subscription.subscriber.isLagging()) {
            conflate(subscription).onGap(reason, at);
          } else {
            tellGap(subscription, reason, at);
          }
        };
    shard.visited(paced.size());
    for (SubscriptionState subscription : paced) {
      onGap(subscription, reason, at);
    }
  }

  // One that fails must not keep the gap from the others.
  private void onGap(SubscriptionState subscription, GapReason reason, long at) {
    try {
      subscription.paced.onGap(reason, at);
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
    }
    shard.pacer().add(subscription);
  }

  /** Notifies one subscription that messages may be missing up to an offset. */
  @Override
  void tellGap(SubscriptionState subscription, GapReason reason, long at) {
    shard.gapSent(reason);
    ByteBuf frame = shard.events().gap(subscription.tag(), name, reason, at);
    subscription.subscriber.onGap(name, reason, at, frame);
  }

  void onRefused(ShardEvent.Refused event) {
    detach();
    refusal = event;
  }

  /**
   * Goes on with what the latest event began, until the turn ends.
   *
   * @return whether it is done, so that the next event may come
   */
  boolean goOn() {
    return notifyAll(false) && answerAll() && removeChannels() && refuseAll();
  }

  /**
   * @param whole whether to go on past the end of the turn
   */
  private boolean notifyAll(boolean whole) {
    while (notice != null) {
      if (!whole && shard.isTurnOver() && live.isBeingNotified()) {
        return false;
      }
      SubscriptionState next = live.nextToNotify();
      if (next == null) {
        notice = null;
      } else {
        shard.visited(1);
        tell(notice, next);
      }
    }
    return true;
  }

  // One that fails must not keep the notice from the others.
  private void tell(Notice told, SubscriptionState subscription) {
    try {
      told.tell(subscription);
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
      oweGap(subscription);
    }
  }

  private boolean answerAll() {
    while (answering && !waiting.isEmpty()) {
      if (shard.isTurnOver()) {
        return false;
      }
      shard.visited(1);
      admit(waiting.remove(waiting.size() - 1));
    }
    answering = false;
    return true;
  }

  private boolean refuseAll() {
    while (refusal != null && !isEmpty()) {
      if (shard.isTurnOver()) {
        return false;
      }
      shard.visited(1);
      SubscriptionState refused = any();
      unsubscribe(refused);
      refused.subscriber.onRefused(refused, refusal.code(), refusal.why());
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
    return live.any();
  }

  /** Hands messages to every subscriber; returns how many there are. */
  int deliver(MessageBatch run, MessageEncoder encoder, Batch batch) {
    if (detached) {
      return 0;
    }
    if (run.first().offset != offset + 1) { // something failed on its way
      onGap(GapReason.OVERLOAD, run.first().offset - 1);
      notifyAll(true);
    }
    int delivered = live.deliver(run, encoder, batch);
    offset = run.last().offset; // not before: what fails on its way is a hole, too
    for (SubscriptionState subscription : paced) {
      offer(subscription, run);
    }
    reportToFailed();
    return delivered;
  }

  private void onFailed(SubscriptionState subscription, Throwable cause) {
    shard.onFault(cause);
    failed.add(subscription);
  }

  /** Reports a gap to each client that failed to accept messages which the others received. */
  private void reportToFailed() {
    for (SubscriptionState subscription : failed) {
      try {
        tellGap(subscription, GapReason.OVERLOAD, offset);
      } catch (RuntimeException | OutOfMemoryError e) {
        shard.onFault(e);
        oweGap(subscription);
      }
    }
    failed.clear();
  }

  /** Sends a gap and the channels to a client that could not be notified, as soon as possible. */
  private void oweGap(SubscriptionState subscription) {
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
      catchUp.owe(GapReason.OVERLOAD, offset);
      leaveLive(subscription, catchUp, 0);
    }
  }

  // One that fails must not keep the run from the others.
  private void offer(SubscriptionState subscription, MessageBatch run) {
    try {
      if (subscription.paced.onRun(run, shard.pacer())) {
        shard.pacer().add(subscription);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      shard.onFault(e);
      subscription.paced.onFault(run.last().offset);
      shard.pacer().add(subscription);
    }
  }

  /** Takes a subscription with {@code latest} out of its list, because its client lags. */
  private Paced conflate(SubscriptionState subscription) {
    Paced lagging = conflation(subscription, null, offset);
    leaveLive(subscription, lagging, channelsFor(subscription).size());
    return lagging;
  }

  /** Serves a live subscription at its own pace. It stays live if memory is insufficient. */
  private void leaveLive(SubscriptionState subscription, Paced how, int announced) {
    paced.add(subscription);
    remove(subscription);
    pace(subscription, how, announced, paced.size() - 1);
  }

  private void stand() {
    standing = true;
    answering = true;
  }

  private void admit(SubscriptionState subscription) {
    subscription.admitted = true;
    starts.admit(subscription);
  }

  /**
   * Begins to serve a subscription that has been answered.
   *
   * @param promised what comes first, or null
   * @param from behind which the log follows
   */
  void begin(SubscriptionState subscription, Replay promised, long from) {
    Replay replay = promised == null || promised.size() == 0 ? null : promised;
    int announced = announceFew(subscription);
    boolean isAnnounced = announced == channelsFor(subscription).size();
    boolean isLive = replay == null && from == offset && isAnnounced;
    if (isLive && subscription.delivery.intervalNs() == 0 && !subscription.tagged) {
      join(subscription);
      return;
    }
    if (replay != null) {
      shard.replays().begin(replay);
    }
    Paced how =
        subscription.delivery.latest()
            ? conflation(subscription, replay, from)
            : new CatchUp(subscription, replay, from);
    pace(subscription, how, announced);
  }

  /** Announces the channels at once if they are few; returns how many have been announced. */
  private int announceFew(SubscriptionState subscription) {
    List<Channel> known = channelsFor(subscription);
    boolean few = !known.isEmpty() && known.size() <= FrameJoiner.MOST;
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
   * @param from behind which messages of the log have yet to be sent
   */
  private Conflation conflation(SubscriptionState subscription, Replay replay, long from) {
    long mostBytes = shard.limits().pendingBytes();
    Conflation conflation = new Conflation(subscription, replay, shard.pacer().nowNs(), mostBytes);
    for (long next = from + 1; next <= offset; next++) {
      LogEntry entry = log.at(next);
      if (entry == null || entry.isGap()) { // evicted since the snapshot was chosen
        conflation.onGap(GapReason.OVERLOAD, offset);
        break;
      }
      conflation.keep(entry);
    }
    return conflation;
  }

  private void pace(SubscriptionState subscription, Paced how, int announced) {
    paced.add(subscription);
    pace(subscription, how, announced, paced.size() - 1);
  }

  private void pace(SubscriptionState subscription, Paced how, int announced, int index) {
    how.announced = announced;
    subscription.paced = how;
    subscription.index = index;
    count(subscription, 1);
    shard.pacer().add(subscription);
  }

  // Live messages are encoded for them, too, before they come here.
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
      endPace(subscription);
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
