package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Admission;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The subscribers of one topic on one event loop. Bound to that loop, but for {@link #encodings},
 * which the broker's thread reads, and {@link #lastGap}, which only that thread uses.
 *
 * <p>Subscribers stand in one array for each encoding, so that the fan-out neither looks up nor
 * decides anything per subscriber.
 */
final class ShardTopic {
  private static final Subscription[] NONE = {};

  final HubShard shard;
  final String name;
  final boolean pattern;

  /** The set of encodings in use, by {@link Encoding#bit}. */
  volatile int encodings;

  /**
   * The gap that was offered after the latest message or return of the broker, or null; owned by
   * the interest's lock.
   */
  ShardEvent.Gap lastGap;

  /** Whether the hub has taken the wish for this topic. */
  boolean wanted;

  private final Subscription[][] lists = new Subscription[Encoding.COUNT][];
  private final int[] sizes = new int[Encoding.COUNT];
  private final List<Subscription> waiting = new ArrayList<>(1);
  private final List<Subscription> paced = new ArrayList<>(0);
  private final List<Channel> channels = new ArrayList<>(0);
  private boolean standing;
  private boolean detached;

  private TopicLog log;
  private long offset;
  private Channel channel;

  ShardTopic(HubShard shard, String name) {
    this.shard = shard;
    this.name = name;
    this.pattern = TopicPattern.isPattern(name);
    Arrays.fill(lists, NONE);
  }

  Subscription subscribe(Subscriber subscriber, long ref, Start start, Delivery delivery) {
    Subscription subscription = new Subscription(subscriber, this, ref, start, delivery);
    if (standing) {
      admit(subscription);
    } else {
      subscription.index = waiting.size();
      waiting.add(subscription);
    }
    return subscription;
  }

  /** Takes a subscription out; returns whether the topic has none left. */
  boolean unsubscribe(Subscription subscription) {
    if (subscription.paced != null) {
      subscription.paced = null;
      takeOut(paced, subscription);
    } else if (subscription.admitted) {
      remove(subscription);
    } else {
      takeOut(waiting, subscription);
    }
    return isEmpty();
  }

  // As many may wait as there are clients, and all leave at once: no search.
  private static void takeOut(List<Subscription> from, Subscription subscription) {
    Subscription last = from.remove(from.size() - 1);
    if (last != subscription) {
      from.set(subscription.index, last);
      last.index = subscription.index;
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty() && paced.isEmpty() && encodings == 0;
  }

  /** The log of the node's interest; null before the first answer. */
  TopicLog log() {
    return log;
  }

  /** Everything up to here has been handed to those that get it as it comes. */
  long offset() {
    return offset;
  }

  /** From now on events of this attachment are ignored: nobody listens. */
  void detach() {
    detached = true;
  }

  void onAttached(ShardEvent.Attached event) {
    if (detached) {
      return;
    }
    log = event.log();
    offset = event.offset();
    channel = event.channel();
    channels.addAll(event.channels());
    stand();
  }

  /** The consumer stands again after the broker was away. */
  void onRestored(long mark) {
    if (!detached) {
      if (mark != ShardEvent.Restored.WHOLE) {
        onGap(GapReason.BROKER_LOST, mark);
      }
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
    channels.add(added);
    announce(added, Encoding.BINARY);
    announce(added, Encoding.BINARY_DEFLATED);
    shard.visited(paced.size());
    for (Subscription subscription : paced) {
      if (subscription.subscriber.encoding().isBinary()) {
        shard.send(subscription.subscriber, added);
      }
    }
  }

  /** Messages may be missing here. */
  void onGap(GapReason reason, long mark) {
    if (detached) {
      return;
    }
    long at = Math.max(offset, mark); // nobody goes back
    offset = at;
    int live = Arrays.stream(sizes).sum();
    shard.visited(live + paced.size());
    shard.metrics().gapsSent(reason.code(), live);
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      for (int i = 0; i < sizes[encoding]; i++) {
        lists[encoding][i].subscriber.onGap(name, reason, at);
      }
    }
    for (Subscription subscription : paced) {
      subscription.paced.onGap(reason, at);
      shard.pacer().add(subscription);
    }
  }

  void onRefused(ErrorCode code, String why) {
    List<Subscription> refused = new ArrayList<>(waiting);
    refused.addAll(paced);
    paced.forEach(subscription -> subscription.paced = null);
    waiting.clear();
    paced.clear();
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      refused.addAll(Arrays.asList(lists[encoding]).subList(0, sizes[encoding]));
      lists[encoding] = NONE;
      sizes[encoding] = 0;
    }
    encodings = 0;
    shard.visited(refused.size());
    refused.forEach(subscription -> subscription.subscriber.onRefused(subscription, code, why));
  }

  /** Hands messages to every subscriber; returns how many there are. */
  int deliver(Run run, MessageEncoder encoder, Batch batch) {
    if (detached) {
      return 0;
    }
    if (run.first().offset != offset + 1) { // something failed on its way
      onGap(GapReason.OVERLOAD, run.first().offset - 1);
    }
    int delivered = 0;
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      int size = sizes[encoding];
      if (size > 0) {
        ByteBuf frames = run.frames(encoding, encoder, batch);
        deliver(lists[encoding], size, frames);
        batch.sent(size, run.size(), frames.readableBytes());
        delivered += size;
      }
    }
    offset = run.last().offset; // not before: what fails on its way is a hole, too
    for (Subscription subscription : paced) {
      subscription.paced.onRun(run);
      shard.pacer().add(subscription);
    }
    return delivered;
  }

  private static void deliver(Subscription[] list, int size, ByteBuf frames) {
    for (int i = 0; i < size; i++) {
      list[i].subscriber.onFrames(frames);
    }
  }

  private void stand() {
    standing = true;
    shard.visited(waiting.size());
    waiting.forEach(this::admit);
    waiting.clear();
  }

  private void admit(Subscription subscription) {
    Boolean recovered = null;
    List<Logged> replay = null;
    if (subscription.start instanceof Start.Position position) {
      long after =
          subscription.delivery.latest()
              ? log.resumeHere(position, offset)
              : log.resume(position, offset, shard.hub().clock(), shard.provenMs());
      replay = log.range(after, offset);
      recovered = replay != null;
    } else if (subscription.start instanceof Start.Last latest) {
      replay = log.range(log.before(latest.count(), offset), offset);
    } else if (subscription.start instanceof Start.Now) {
      replay = List.of();
    }
    if (replay == null) {
      replay = log.snapshot(offset);
    } else if (subscription.delivery.latest()) {
      replay = Conflation.newest(replay);
    }
    subscription.admitted = true;
    if (recovered != null) {
      shard.metrics().resumed(recovered);
    }
    shard.metrics().replayed(replay.size());
    answer(subscription, replay.size(), recovered);
    begin(subscription, replay);
  }

  private void begin(Subscription subscription, List<Logged> replay) {
    if (subscription.delivery.latest()) {
      long mostBytes = shard.limits().pendingBytes();
      pace(subscription, new Conflation(subscription, replay, shard.pacer().nowNs(), mostBytes));
    } else if (replay.isEmpty()) {
      join(subscription);
    } else {
      pace(subscription, new CatchUp(subscription, replay, offset));
    }
  }

  private void pace(Subscription subscription, Paced how) {
    subscription.paced = how;
    subscription.index = paced.size();
    paced.add(subscription);
    markEncodings();
    shard.pacer().add(subscription);
  }

  /** Gets everything as it comes from now on. */
  void join(Subscription subscription) {
    if (subscription.paced != null) {
      subscription.paced = null;
      takeOut(paced, subscription);
    }
    int encoding = subscription.subscriber.encoding().ordinal();
    int size = sizes[encoding];
    if (size == lists[encoding].length) {
      lists[encoding] = Arrays.copyOf(lists[encoding], Math.max(4, size + (size >> 1)));
    }
    lists[encoding][size] = subscription;
    subscription.index = size;
    sizes[encoding] = size + 1;
    markEncodings();
  }

  private void answer(Subscription subscription, int replay, Boolean recovered) {
    Subscriber subscriber = subscription.subscriber;
    boolean keepsTime = Boolean.TRUE.equals(recovered);
    long timeMs = keepsTime ? 0 : shard.hub().clock().wallMs();
    subscriber.onSubscribed(
        subscription,
        new Admission(log.epoch, log.site(), offset, replay, recovered, timeMs, channel));
    if (subscriber.encoding().isBinary()) {
      for (Channel known : channels) {
        shard.send(subscriber, known);
      }
    }
  }

  private void remove(Subscription subscription) {
    int encoding = subscription.subscriber.encoding().ordinal();
    int last = sizes[encoding] - 1;
    Subscription moved = lists[encoding][last];
    lists[encoding][subscription.index] = moved;
    lists[encoding][last] = null;
    moved.index = subscription.index;
    sizes[encoding] = last;
    markEncodings();
  }

  private void announce(Channel added, Encoding encoding) {
    Subscription[] list = lists[encoding.ordinal()];
    shard.visited(sizes[encoding.ordinal()]);
    for (int i = 0; i < sizes[encoding.ordinal()]; i++) {
      shard.send(list[i].subscriber, added);
    }
  }

  private void markEncodings() {
    int used = 0;
    for (int encoding = 0; encoding < Encoding.COUNT; encoding++) {
      used |= sizes[encoding] > 0 ? 1 << encoding : 0;
    }
    if (used != encodings) {
      encodings = used;
    }
  }
}
