package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.journal.StoredMessage;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/**
 * The node's one subscription to a topic or pattern, and the shards that want it. Changed on the
 * control thread; messages come on a thread of the JMS client. Its lock keeps an attaching shard
 * and the stream of messages apart, so that no message falls between; no event loop takes it.
 */
final class Interest implements TopicListener {
  final String name;
  private final boolean pattern;
  private final Hub hub;
  private final Map<String, Channel> channels = new HashMap<>();
  private ShardTopic[] attached = {};
  private final List<ShardTopic> waiting = new ArrayList<>();
  private boolean standing;
  private boolean stoodBefore;
  private boolean closed;
  private final TopicLog log;
  private final BrokerHistory history;

  /** Whether it has come to stand; null as long as nobody asks. */
  private CompletableFuture<Boolean> settled;

  /** Of what it feeds; null unless it is durable. */
  private Lines lines;

  /** Interests without a consumer of their own, which get what they want from this one. */
  private final Map<String, Interest> fedTopics = new HashMap<>(0);

  private final List<Interest> fedPatterns = new ArrayList<>(0);

  /** Whether the node itself wants it. */
  private final boolean warm;

  /** The consumer; set once, on the control thread. */
  private Broker.Consumer consumer;

  /** The end of its lingering, if nobody comes back; control thread only. */
  private Future<?> farewell;

  Interest(Hub hub, String name, boolean warm, TopicLog log) {
    this.hub = hub;
    this.warm = warm;
    this.name = name;
    this.pattern = TopicPattern.isPattern(name);
    this.log = log;
    this.history = new BrokerHistory(this, hub, log);
  }

  void consumer(Broker.Consumer opened) {
    consumer = opened;
  }

  /** Takes the number of a topic before anything else is done for it; false if there is none. */
  synchronized boolean takeNumber() {
    return pattern || channel(name) != null;
  }

  void closeConsumer() {
    cancelFarewell();
    consumer.close();
    releaseChannels();
  }

  /** It is not opened after all. */
  void discard() {
    releaseChannels();
  }

  /** A shard wants this topic. */
  synchronized void attach(ShardTopic topic) {
    cancelFarewell();
    if (standing) {
      admit(topic);
    } else {
      waiting.add(topic);
    }
  }

  /** A shard wants it no more; returns whether none does. */
  synchronized boolean detach(ShardTopic topic) {
    waiting.remove(topic);
    List<ShardTopic> rest = new ArrayList<>(List.of(attached));
    rest.remove(topic);
    attached = rest.toArray(ShardTopic[]::new);
    return !isWanted();
  }

  void farewell(Future<?> end) {
    cancelFarewell();
    farewell = end;
  }

  synchronized boolean isWanted() {
    return warm || isUsed();
  }

  /** Whether the node itself subscribes to it. */
  boolean isWarm() {
    return warm;
  }

  /** Whether a client wants it. */
  synchronized boolean isUsed() {
    return attached.length > 0 || !waiting.isEmpty();
  }

  /** Whether it stands, as soon as it does or never will. */
  synchronized CompletionStage<Boolean> settled() {
    if (settled == null) {
      settled = new CompletableFuture<>();
      if (standing || closed) {
        settled.complete(standing);
      }
    }
    return settled;
  }

  private void settle(boolean stands) {
    if (settled != null) {
      settled.complete(stands);
    }
  }

  synchronized void onBrokerLost() {
    standing = false;
    if (lines != null) {
      late(); // what comes when it is back
    }
  }

  @Override
  public synchronized void onStanding(boolean again) {
    history.onStanding();
    if (again) {
      onReturned(true);
    } else {
      standFirst();
    }
  }

  private synchronized void standFirst() {
    log.stand(hub.clock().monoMs());
    fed().forEach(Interest::standFirst);
    stand();
  }

  /** What came before may not be all that there was. */
  synchronized void completeSince(long nowMs) {
    log.stand(nowMs);
    fed().forEach(interest -> interest.completeSince(nowMs));
  }

  private void stand() {
    standing = true;
    stoodBefore = true;
    waiting.forEach(this::admit);
    waiting.clear();
    settle(true);
  }

  /** It stands, with what its log has. */
  synchronized void onReturned(boolean lost) {
    long offset =
        lost || stoodBefore && !log.goesOn()
            ? log.mark(GapReason.BROKER_LOST, hub.clock().monoMs())
            : ShardEvent.Restored.WHOLE;
    for (ShardTopic topic : attached) {
      topic.lastGap = null; // what is lost from here on is behind this
      topic.shard.offer(new ShardEvent.Restored(topic, offset));
    }
    fed().forEach(interest -> interest.onReturned(lost));
    stand();
  }

  /** Fills the empty log with what an earlier one of its line had. */
  synchronized void restore(List<StoredMessage> stored) {
    long nowMs = hub.clock().monoMs();
    long arrivedMs = Long.MIN_VALUE;
    log.stand(nowMs);
    for (StoredMessage entry : stored) {
      long byWallClock = Math.min(nowMs, hub.clock().toMono(entry.arrivalMs()));
      if (arrivedMs == Long.MIN_VALUE) {
        log.stand(byWallClock);
      }
      arrivedMs = Math.max(arrivedMs, byWallClock);
      Channel channel = entry.message() == null ? null : channel(entry.message().topic());
      if (channel != null) {
        log.append(entry.message(), channel, arrivedMs);
      } else {
        log.mark(entry.loss() == null ? GapReason.OVERLOAD : entry.loss(), arrivedMs);
      }
    }
  }

  /** What comes from now on may have been published long before. */
  synchronized void late() {
    log.late();
    fed().forEach(Interest::late);
  }

  /** Messages come when the broker takes them from now on. */
  synchronized void onTime(long nowMs) {
    log.onTime(nowMs);
    fed().forEach(interest -> interest.onTime(nowMs));
  }

  /** What it feeds goes on over restarts of the node. */
  void lines(Lines ofJournal) {
    lines = ofJournal;
  }

  /** The line of what it would feed to an interest of this name, or null. */
  Line line(String other) {
    return lines == null ? null : lines.of(other);
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    hub.onInterestRefused(this);
    synchronized (this) {
      fed().forEach(interest -> interest.onRefused(code, why));
      fedTopics.clear();
      fedPatterns.clear();
      waiting.forEach(topic -> topic.shard.offer(new ShardEvent.Refused(topic, code, why)));
      for (ShardTopic topic : attached) {
        topic.shard.offer(new ShardEvent.Refused(topic, code, why));
      }
      waiting.clear();
      attached = new ShardTopic[0];
    }
    releaseChannels();
  }

  @Override
  public synchronized void onMessage(Message message) {
    if (!closed && !history.leavesOut(message)) { // it may be a late call of a closed consumer
      take(message);
    }
  }

  /** A message that nobody has seen. */
  synchronized void take(Message message) {
    if (closed) {
      return;
    }
    feed(message);
    Channel channel = channel(message.topic());
    if (channel == null) {
      hub.metrics().dropped("too-many-channels", 1);
      onMissed(GapReason.OVERLOAD);
      return;
    }
    Logged entry = log.append(message, channel, hub.clock().monoMs());
    int encodings = 0;
    for (ShardTopic topic : attached) {
      encodings |= topic.encodings;
    }
    if (attached.length == 0) {
      return; // it lingers
    }
    Fanout fanout = new Fanout(entry);
    try {
      fanout.encode(encodings, hub.encoder());
      for (ShardTopic topic : attached) {
        offer(topic, fanout);
      }
    } finally {
      fanout.release();
    }
  }

  @Override
  public synchronized void onMissed(GapReason reason) {
    long mark = log.mark(reason, hub.clock().monoMs());
    for (ShardTopic topic : attached) {
      offerGap(topic, reason, mark);
    }
    fed().forEach(interest -> interest.onMissed(reason));
  }

  private void feed(Message message) {
    Interest topic = fedTopics.get(message.topic());
    if (topic != null) {
      topic.take(message);
    }
    for (Interest interest : fedPatterns) {
      if (TopicPattern.covers(interest.name, message.topic())) {
        interest.take(message);
      }
    }
  }

  private List<Interest> fed() {
    List<Interest> all = new ArrayList<>(fedTopics.values());
    all.addAll(fedPatterns);
    return all;
  }

  /** Whether it gets every message that an interest of this name wants. */
  boolean covers(String other) {
    return warm && !other.equals(name) && TopicPattern.covers(name, other);
  }

  /** Serves another interest from here on, which begins with what the log has for it. */
  synchronized Broker.Consumer feed(Interest other) {
    other.begin(log, standing);
    if (other.pattern) {
      fedPatterns.add(other);
    } else {
      fedTopics.put(other.name, other);
    }
    return () -> stopFeeding(other);
  }

  private synchronized void stopFeeding(Interest other) {
    fedPatterns.remove(other);
    fedTopics.remove(other.name, other);
  }

  private synchronized void begin(TopicLog source, boolean stands) {
    log.copy(source, name, this::channel);
    if (stands) {
      stand();
    }
  }

  /** Gives up what the log has for too long. */
  synchronized void evict(long nowMs) {
    log.evict(nowMs);
  }

  private static void offer(ShardTopic topic, Fanout fanout) {
    if (topic.shard.offerMessage(topic, fanout)) {
      topic.lastGap = null;
    } else {
      offerGap(topic, GapReason.OVERLOAD, fanout.offset);
    }
  }

  // One gap stands for all losses up to the moment at which it is told, so however much is lost
  // while a loop is behind, no more than one for each topic waits there. What is lost after that
  // moment needs another one: somebody may have subscribed in between.
  private static void offerGap(ShardTopic topic, GapReason reason, long offset) {
    if (topic.lastGap == null || !topic.lastGap.extendTo(offset)) {
      topic.lastGap = new ShardEvent.Gap(topic, reason, offset);
      topic.shard.offer(topic.lastGap);
    }
  }

  private void admit(ShardTopic topic) {
    ShardTopic[] more = new ShardTopic[attached.length + 1];
    System.arraycopy(attached, 0, more, 0, attached.length);
    more[attached.length] = topic;
    attached = more;
    Channel own = pattern ? null : channel(name);
    List<Channel> known = pattern ? List.copyOf(channels.values()) : List.of();
    topic.shard.offer(new ShardEvent.Attached(topic, log, log.last(), own, known));
  }

  private Channel channel(String topic) {
    Channel known = channels.get(topic);
    return known != null ? known : newChannel(topic);
  }

  private Channel newChannel(String topic) {
    int number = hub.channelNumbers().take();
    if (number < 0) {
      return null;
    }
    Channel added = new Channel(number, topic, pattern ? name : null);
    channels.put(topic, added);
    if (pattern) {
      for (ShardTopic wanted : attached) {
        wanted.shard.offer(new ShardEvent.NewChannel(wanted, added));
      }
    }
    return added;
  }

  private synchronized void releaseChannels() {
    if (!closed) {
      log.close();
    }
    closed = true;
    settle(false);
    channels.values().forEach(channel -> hub.channelNumbers().giveBack(channel.number()));
    channels.clear();
  }

  private void cancelFarewell() {
    if (farewell != null) {
      farewell.cancel(false);
      farewell = null;
    }
  }
}
