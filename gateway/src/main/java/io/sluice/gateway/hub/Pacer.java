package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Serves the subscriptions of one shard that get their messages at their own pace: at the end of
 * the batch in which they have something new, and then every few milliseconds until they have
 * nothing left. Bound to the shard's event loop.
 */
final class Pacer {
  /** How often clients that lag are looked at again. */
  private static final long TICK_MS = 10;

  private final ShardLoop loop;
  private final Runnable wake;
  private final Batch batch;
  private final MessageEncoder encoder;
  private final FrameCache cache;
  private final FrameJoiner joiner;
  private final EventFrames events;
  private final HubClock clock;
  private final int mostBytes;

  private final Queue<Subscription> fresh = new ArrayDeque<>();
  private final Queue<Subscription> lagging = new ArrayDeque<>();

  // Many clients are sent the same in one batch, which takes one share of each until its end.
  private final Map<Logged, Fanout> encoded = new IdentityHashMap<>();
  private final Sent[] latest = new Sent[Encoding.COUNT];

  private boolean ticking;
  private int toVisit;

  /** Several frames as one buffer. */
  private record Sent(Logged first, Logged last, int count, ByteBuf bytes) {
    boolean is(List<Logged> messages, int from, int to) {
      return count == to - from && first == messages.get(from) && last == messages.get(to - 1);
    }
  }

  /**
   * @param wake lets the shard have a turn soon
   * @param mostBytes bytes of frames that are handed over at once, unless a single one has more
   */
  Pacer(
      ShardLoop loop,
      Runnable wake,
      Batch batch,
      MessageEncoder encoder,
      FrameCache cache,
      FrameJoiner joiner,
      EventFrames events,
      HubClock clock,
      int mostBytes) {
    this.loop = loop;
    this.wake = wake;
    this.batch = batch;
    this.encoder = encoder;
    this.cache = cache;
    this.joiner = joiner;
    this.events = events;
    this.clock = clock;
    this.mostBytes = mostBytes;
  }

  /** A subscription has something to be sent. */
  void add(Subscription subscription) {
    if (!subscription.due) {
      subscription.due = true;
      fresh.add(subscription);
      wake.run();
    }
  }

  /** Serves whoever is new, and after a tick whoever lags; leaves the rest if the batch is full. */
  void run() {
    while (!fresh.isEmpty() && !batch.isFull()) {
      visit(fresh.poll());
    }
    while (toVisit > 0 && !batch.isFull()) {
      toVisit--;
      visit(lagging.poll());
    }
    if (!lagging.isEmpty() && !ticking && toVisit == 0) {
      ticking = true;
      loop.executeLater(this::onTick, TICK_MS);
    }
  }

  private void onTick() {
    ticking = false;
    toVisit = lagging.size();
    wake.run();
  }

  /** Whether a full batch has left something that could be done now. */
  boolean isBehind() {
    return toVisit > 0 || !fresh.isEmpty();
  }

  /** The batch has ended; its buffers are gone. */
  void endBatch() {
    encoded.clear();
    Arrays.fill(latest, null);
  }

  private void visit(Subscription subscription) {
    batch.visited(1);
    boolean more = false;
    try {
      more =
          subscription.paced != null
              && (!sendChannels(subscription) || subscription.paced.step(this));
    } finally {
      if (more) {
        lagging.add(subscription);
      } else {
        subscription.due = false; // what failed is tried again with the next message
      }
    }
  }

  long nowNs() {
    return clock.nanos();
  }

  boolean hasRoomFor(Subscription subscription) {
    return subscription.paced != null && !batch.isFull() && subscription.subscriber.room() > 0;
  }

  /** Announces the channels of its pattern to a binary client; returns whether all could be. */
  private boolean sendChannels(Subscription subscription) {
    Paced paced = subscription.paced;
    List<Channel> channels = subscription.topic.channelsFor(subscription);
    while (paced.announced < channels.size()) {
      if (!hasRoomFor(subscription)) {
        return false;
      }
      paced.announced = sendChannels(subscription, channels, paced.announced);
    }
    return true;
  }

  /**
   * Announces channels of a list, one at least and as many as are handed over at once.
   *
   * @return the index of the next one
   */
  int sendChannels(Subscription subscription, List<Channel> channels, int from) {
    EventFrames.Channels part = events.channels(channels, from);
    batch.sent(1, part.to() - from, part.frames().readableBytes());
    subscription.subscriber.onFrames(part.frames());
    return part.to();
  }

  /**
   * Hands over messages of a list, one at least and as many as there is room for, but no more at
   * once than are enough to share the cost: their frames may be much larger than their payloads.
   *
   * @return the index of the next one
   */
  int send(Subscription subscription, List<Logged> messages, int from) {
    int encoding = subscription.subscriber.encoding().ordinal();
    int most = Math.min(messages.size(), from + Run.MOST);
    long room = Math.min(mostBytes, subscription.subscriber.room());
    int to = from;
    do {
      room -= frame(messages.get(to++), encoding).readableBytes();
    } while (to < most && room >= frame(messages.get(to), encoding).readableBytes());
    ByteBuf bytes = bytes(messages, from, to, encoding);
    batch.sent(1, to - from, bytes.readableBytes());
    subscription.subscriber.onFrames(bytes);
    return to;
  }

  /**
   * Hands over what follows an offset in a log, up to a mark or another offset, or as much as there
   * is room for.
   *
   * @return the offset of the last message
   */
  long sendFrom(Subscription subscription, TopicLog log, long offset, long upTo) {
    List<Logged> messages = new ArrayList<>();
    long most = Math.min(upTo, offset + Run.MOST);
    long bytes = 0;
    for (long next = offset + 1; next <= most && bytes < mostBytes; next++) {
      Logged message = log.at(next);
      if (message == null || message.isMark()) {
        break;
      }
      messages.add(message);
      bytes += message.message().payload().length;
    }
    return messages.isEmpty() ? offset : offset + send(subscription, messages, 0);
  }

  private ByteBuf bytes(List<Logged> messages, int from, int to, int encoding) {
    if (to - from == 1) {
      return frame(messages.get(from), encoding);
    }
    Sent known = latest[encoding];
    if (known != null && known.is(messages, from, to)) {
      return known.bytes();
    }
    joiner.begin();
    for (int i = from; i < to; i++) {
      joiner.add(frame(messages.get(i), encoding));
    }
    ByteBuf all = joiner.join();
    latest[encoding] = new Sent(messages.get(from), messages.get(to - 1), to - from, all);
    return all;
  }

  private ByteBuf frame(Logged entry, int encoding) {
    Fanout frames = encoded.get(entry);
    if (frames == null) {
      frames = share(entry, encoding);
      batch.releaseAtEnd(frames);
      encoded.put(entry, frames);
    }
    return frames.frame(encoding, encoder);
  }

  /** A share of the entry's frames, which are encoded now if no thread has them any more. */
  private Fanout share(Logged entry, int encoding) {
    Fanout known = entry.encoded();
    if (known != null && known.tryRetain()) {
      return known;
    }
    Fanout made = new Fanout(entry, cache);
    try {
      made.frame(encoding, encoder);
      made.publish(known);
    } catch (RuntimeException | Error e) {
      made.release();
      throw e;
    }
    return made;
  }
}
