package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.FrameTag;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Scheduler of the paced subscriptions of one shard. They are served at the end of the batch in
 * which they have something new, and then every few milliseconds until they have nothing left.
 * Bound to the shard's event loop.
 */
final class Pacer {
  /** How often clients that lag are looked at again. */
  private static final long TICK_MS = 10;

  /** Refs whose frames are found again; a power of two. */
  private static final int MOST_REFS = 16;

  private final ShardLoop loop;
  private final Runnable wake;
  private final Batch batch;
  private final MessageEncoder encoder;
  private final FrameCache cache;
  private final FrameJoiner joiner;
  private final EventFrames events;
  private final HubClock clock;
  private final int mostBytes;

  private final Queue<SubscriptionState> fresh = new ArrayDeque<>();
  private final Queue<SubscriptionState> lagging = new ArrayDeque<>();

  // Many clients are sent the same in one batch, which takes one share of each until its end.
  private final Map<LogEntry, EncodedMessage> encoded = new IdentityHashMap<>();
  private final Sent[] latest = new Sent[MessageForm.COUNT];

  // Clients of one application often choose the same refs.
  private final Sent[] tagged = new Sent[MOST_REFS];

  /** The messages of the latest run that was sent from here. */
  private List<LogEntry> live = List.of();

  private boolean ticking;
  private int toVisit;

  /** Several frames as one buffer; of a tagged subscription if they have a ref. */
  private record Sent(int form, long ref, LogEntry first, LogEntry last, int count, ByteBuf bytes) {
    static Sent of(int form, long ref, List<LogEntry> messages, int from, int to, ByteBuf bytes) {
      return new Sent(form, ref, messages.get(from), messages.get(to - 1), to - from, bytes);
    }

    boolean is(int other, long tag, List<LogEntry> messages, int from, int to) {
      return form == other
          && ref == tag
          && count == to - from
          && first == messages.get(from)
          && last == messages.get(to - 1);
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
  void add(SubscriptionState subscription) {
    if (!subscription.due) {
      fresh.add(subscription);
      subscription.due = true;
      wake.run();
    }
  }

  /**
   * Serves subscriptions that have something new, and after a tick those that lag.
   *
   * @param most visits; the rest is left, as it is if the batch is full
   */
  void run(int most) {
    int left = most;
    while (!fresh.isEmpty() && left-- > 0 && !batch.isFull()) {
      visit(fresh.poll());
    }
    while (toVisit > 0 && left-- > 0 && !batch.isFull()) {
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
    Arrays.fill(tagged, null);
    live = List.of();
  }

  private void visit(SubscriptionState subscription) {
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

  boolean hasRoomFor(SubscriptionState subscription) {
    return subscription.paced != null && !batch.isFull() && subscription.subscriber.room() > 0;
  }

  /** Announces the channels of its pattern to a binary client; returns whether all could be. */
  private boolean sendChannels(SubscriptionState subscription) {
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
  int sendChannels(SubscriptionState subscription, List<Channel> channels, int from) {
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
  int send(SubscriptionState subscription, List<LogEntry> messages, int from) {
    int form = subscription.form().ordinal();
    int tagBytes = subscription.tagged ? FrameTag.MAX_BYTES : 0;
    int most = Math.min(messages.size(), from + MessageBatch.MOST);
    long room = Math.min(mostBytes, subscription.subscriber.room());
    int to = from;
    do {
      room -= frame(messages.get(to++), form).readableBytes() + tagBytes;
    } while (to < most && room >= frame(messages.get(to), form).readableBytes() + tagBytes);
    ByteBuf bytes =
        subscription.tagged
            ? tagged(messages, from, to, form, subscription.ref)
            : bytes(messages, from, to, form);
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
  long sendFrom(SubscriptionState subscription, TopicLog log, long offset, long upTo) {
    List<LogEntry> messages = new ArrayList<>();
    long most = Math.min(upTo, offset + MessageBatch.MOST);
    long bytes = 0;
    for (long next = offset + 1; next <= most && bytes < mostBytes; next++) {
      LogEntry message = log.at(next);
      if (message == null || message.isGap()) {
        break;
      }
      messages.add(message);
      bytes += message.message().payload().length;
    }
    return messages.isEmpty() ? offset : offset + send(subscription, messages, 0);
  }

  /**
   * Hands over what follows an offset in a run, one message at least and as many as there is room
   * for.
   *
   * @return the offset of the last message
   */
  long sendLive(SubscriptionState subscription, MessageBatch run, long offset) {
    if (live.isEmpty() || live.get(0) != run.first().entry) {
      live = new ArrayList<>(run.size());
      for (int i = 0; i < run.size(); i++) {
        live.add(run.at(i).entry);
      }
    }
    int from = (int) (offset + 1 - run.first().offset);
    return offset + send(subscription, live, from) - from;
  }

  /**
   * Whether its client has room for a live message, however full the batch is: one message to one
   * topic's subscriptions is never split. What only this batch has queued says nothing about the
   * client.
   */
  boolean makesRoomFor(SubscriptionState subscription) {
    Subscriber subscriber = subscription.subscriber;
    return subscription.paced != null
        && (subscriber.room() > 0 || subscriber.isIdle() && subscriber.room() > 0);
  }

  private ByteBuf bytes(List<LogEntry> messages, int from, int to, int form) {
    if (to - from == 1) {
      return frame(messages.get(from), form);
    }
    Sent known = latest[form];
    if (known != null && known.is(form, ClientFrame.NO_REF, messages, from, to)) {
      return known.bytes();
    }
    joiner.begin();
    for (int i = from; i < to; i++) {
      joiner.add(frame(messages.get(i), form));
    }
    ByteBuf all = joiner.join();
    latest[form] = Sent.of(form, ClientFrame.NO_REF, messages, from, to, all);
    return all;
  }

  private ByteBuf tagged(List<LogEntry> messages, int from, int to, int form, long ref) {
    int slot = (int) ref & MOST_REFS - 1;
    Sent known = tagged[slot];
    if (known != null && known.is(form, ref, messages, from, to)) {
      return known.bytes();
    }
    boolean binary = MessageForm.at(form).encoding().isBinary();
    int capacity = 0;
    for (int i = from; i < to; i++) {
      capacity += frame(messages.get(i), form).readableBytes() + FrameTag.MAX_BYTES;
    }
    ByteBuf all = joiner.buffer(capacity);
    for (int i = from; i < to; i++) {
      FrameTag.writeMessage(frame(messages.get(i), form), binary, ref, all);
    }
    tagged[slot] = Sent.of(form, ref, messages, from, to, all);
    return all;
  }

  private ByteBuf frame(LogEntry entry, int form) {
    EncodedMessage frames = encoded.get(entry);
    if (frames == null) {
      frames = EncodedMessage.acquire(entry, form, cache, encoder);
      batch.releaseAtEnd(frames);
      encoded.put(entry, frames);
    }
    return frames.frame(form, encoder);
  }
}
