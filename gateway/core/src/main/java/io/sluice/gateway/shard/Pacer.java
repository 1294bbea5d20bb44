package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.FrameCache;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Scheduler of the paced subscriptions of one shard. They are served at the end of the batch in
 * which they receive messages, and then every few milliseconds until nothing is left. Bound to the
 * shard's event loop.
 */
final class Pacer {
  /** Interval at which lagging clients are served again. */
  private static final long TICK_MS = 10;

  /**
   * Maximum bytes of frames before the queue of live messages is served again, unless a single one
   * has more. Their encoding takes about 2 ms.
   */
  static final long MAX_PACED_BYTES = 512 << 10;

  /** Number of refs whose frames are cached; a power of two. */
  static final int REF_SLOTS = 16;

  private final ShardLoop loop;
  private final Runnable wake;
  private final FlushBatch batch;
  private final MessageEncoder encoder;
  private final FrameCache cache;
  private final FrameJoiner joiner;
  private final StreamDelivery streams;
  private final EventFrames events;
  private final HubClock clock;
  private final int maxBytes;

  private final Queue<SubscriptionState> fresh = new ArrayDeque<>();
  private final Queue<SubscriptionState> lagging = new ArrayDeque<>();

  // Many clients are sent the same messages in one batch, which has one reference to each.
  private final Map<LogEntry, EncodedMessage> encoded = new IdentityHashMap<>();
  private final Sent[] latest = new Sent[MessageForm.COUNT];

  // Clients of one application often choose the same refs.
  private final Sent[] tagged = new Sent[REF_SLOTS];

  /** Messages of the latest batch sent by {@link #sendLive}. */
  private List<LogEntry> live = List.of();

  private boolean ticking;
  private int toVisit;

  /** Bytes of the batch at which serving ends. */
  private long endBytes;

  /** Frames joined in one buffer; those of a tagged subscription have a ref. */
  private record Sent(int form, long ref, LogEntry first, LogEntry last, int count, ByteBuf bytes) {
    static Sent of(int form, long ref, List<LogEntry> messages, int from, int to, ByteBuf bytes) {
      return new Sent(form, ref, messages.get(from), messages.get(to - 1), to - from, bytes);
    }

    boolean matches(int otherForm, long tag, List<LogEntry> messages, int from, int to) {
      return form == otherForm
          && ref == tag
          && count == to - from
          && first == messages.get(from)
          && last == messages.get(to - 1);
    }
  }

  /**
   * Creates a scheduler without subscriptions.
   *
   * @param wake schedules a drain of the shard
   * @param maxBytes maximum bytes of frames sent at once, unless a single one has more
   */
  Pacer(
      ShardLoop loop,
      Runnable wake,
      FlushBatch batch,
      MessageEncoder encoder,
      FrameCache cache,
      FrameJoiner joiner,
      StreamDelivery streams,
      EventFrames events,
      HubClock clock,
      int maxBytes) {
    this.loop = loop;
    this.wake = wake;
    this.batch = batch;
    this.encoder = encoder;
    this.cache = cache;
    this.joiner = joiner;
    this.streams = streams;
    this.events = events;
    this.clock = clock;
    this.maxBytes = maxBytes;
  }

  /** Schedules a subscription that has messages to send. */
  void add(SubscriptionState subscription) {
    if (!subscription.due) {
      fresh.add(subscription);
      subscription.due = true;
      wake.run();
    }
  }

  /**
   * Serves subscriptions with new messages, and after a tick the lagging ones. Stops when the batch
   * is full, or other subscriptions have waited for long enough.
   *
   * @param maxVisits maximum number of subscriptions to serve
   */
  void serve(int maxVisits) {
    int left = maxVisits;
    endBytes = batch.bytes() + MAX_PACED_BYTES;
    while (!fresh.isEmpty() && left-- > 0 && !isFull()) {
      visit(fresh.poll());
    }
    while (toVisit > 0 && left-- > 0 && !isFull()) {
      toVisit--;
      visit(lagging.poll());
    }
    if (!lagging.isEmpty() && !ticking && toVisit == 0) {
      ticking = true;
      loop.executeLater(this::onTick, TICK_MS);
    }
  }

  private boolean isFull() {
    return batch.isFull() || batch.bytes() >= endBytes;
  }

  private void onTick() {
    ticking = false;
    toVisit = lagging.size();
    wake.run();
  }

  /** Returns whether a full batch has left subscriptions that can be served now. */
  boolean isBehind() {
    return toVisit > 0 || !fresh.isEmpty();
  }

  /** Clears the caches at the end of the batch, because its buffers are released. */
  void endBatch() {
    encoded.clear();
    Arrays.fill(latest, null);
    Arrays.fill(tagged, null);
    streams.endBatch();
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
        Queue<SubscriptionState> next = isFull() ? fresh : lagging;
        next.add(subscription);
      } else {
        subscription.due = false; // a failed step is retried with the next message
      }
    }
  }

  /** Returns the time in milliseconds since 1970. */
  long wallMs() {
    return clock.wallMs();
  }

  /** Returns the monotonic time. */
  long nowNs() {
    return clock.nanos();
  }

  /** Returns whether the batch and the client's buffer have capacity for a message. */
  boolean hasRoomFor(SubscriptionState subscription) {
    return subscription.paced != null && !isFull() && subscription.subscriber.room() > 0;
  }

  /** Announces the pattern's channels to a binary client; returns whether all are announced. */
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
   * Announces channels of a list: at least one, and as many as are sent at once.
   *
   * @return the index of the next channel
   */
  int sendChannels(SubscriptionState subscription, List<Channel> channels, int from) {
    EventFrames.Channels part = events.channels(channels, from);
    batch.sent(1, part.to() - from, part.frames().readableBytes());
    subscription.subscriber.onFrames(part.frames());
    return part.to();
  }

  /**
   * Sends messages of a list: at least one, up to the client's buffer limit and the batch size. The
   * batch size is a limit of frame bytes, because frames may be much larger than payloads.
   *
   * @return the index of the next message
   */
  int send(SubscriptionState subscription, List<LogEntry> messages, int from) {
    if (subscription.isStream()) {
      return sendStream(subscription, messages, from);
    }
    int form = subscription.form().ordinal();
    int tagBytes =
        subscription.tagged ? encoder.tagBytes(MessageForm.at(form), subscription.ref) : 0;
    int end = Math.min(messages.size(), from + MessageBatch.MAX_MESSAGES);
    long room = Math.min(maxBytes, subscription.subscriber.room());
    int to = from;
    do {
      room -= frame(messages.get(to++), form).readableBytes() + tagBytes;
    } while (to < end && room >= frame(messages.get(to), form).readableBytes() + tagBytes);
    ByteBuf bytes =
        subscription.tagged
            ? tagged(messages, from, to, form, subscription.ref)
            : bytes(messages, from, to, form);
    batch.sent(1, to - from, bytes.readableBytes());
    count(subscription, messages, from, to, form);
    subscription.subscriber.onFrames(bytes);
    return to;
  }

  private int sendStream(SubscriptionState subscription, List<LogEntry> messages, int from) {
    int end = Math.min(messages.size(), from + MessageBatch.MAX_MESSAGES);
    long room = Math.min(maxBytes, subscription.subscriber.room());
    LogEntry previous = subscription.topic.log().at(messages.get(from).offset() - 1);
    return streams.send(subscription, messages, from, end, room, previous, this::encoded);
  }

  // Frames with a ref are compressed too, but their bytes are no dictionary of other messages.
  private void count(
      SubscriptionState subscription, List<LogEntry> messages, int from, int to, int form) {
    Encoding encoding = MessageForm.at(form).encoding();
    if (!encoding.isDeflated()) {
      return;
    }
    CompressionTally tally = batch.compression();
    CompressionWindow window = subscription.subscriber.window();
    tally.begin();
    for (int i = from; i < to; i++) {
      EncodedMessage message = encoded(messages.get(i), null, form);
      ByteBuf frame = message.frame(form, encoder);
      tally.add(MessageForm.at(form), message.plainBytes(encoding.isBinary()), frame);
      if (window != null && WebSocketFrame.isDeflated(frame)) {
        window.forget();
      }
    }
    tally.sent(tally.sequence(), 1);
  }

  /**
   * Sends the messages after an offset in a log, up to a gap, another offset, the client's buffer
   * limit, or a message that has expired.
   *
   * @param promised offset of the last message that is sent although it has expired
   * @return the offset of the last message
   */
  long sendFrom(
      SubscriptionState subscription, TopicLog log, long offset, long upTo, long promised) {
    List<LogEntry> messages = new ArrayList<>();
    long end = Math.min(upTo, offset + MessageBatch.MAX_MESSAGES);
    long bytes = 0;
    for (long next = offset + 1; next <= end && bytes < maxBytes; next++) {
      LogEntry message = log.at(next);
      if (message == null
          || message.isGap()
          || next > promised && message.isExpired(clock.wallMs())) {
        break;
      }
      messages.add(message);
      bytes += message.message().payload().length;
    }
    return messages.isEmpty() ? offset : offset + send(subscription, messages, 0);
  }

  /**
   * Sends the messages after an offset in a batch: at least one, up to the client's buffer limit.
   *
   * @return the offset of the last message
   */
  long sendLive(SubscriptionState subscription, MessageBatch messages, long offset) {
    if (live.isEmpty() || live.get(0) != messages.first().entry) {
      live = new ArrayList<>(messages.size());
      for (int i = 0; i < messages.size(); i++) {
        live.add(messages.at(i).entry);
      }
    }
    int from = (int) (offset + 1 - messages.first().offset);
    return offset + send(subscription, live, from) - from;
  }

  /**
   * Returns whether the client's buffer has capacity for a live message. The fullness of the batch
   * is irrelevant, because the delivery of one message to a topic's subscriptions is never split.
   * Frames queued by this batch alone do not make the client a slow one.
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
    Sent cached = latest[form];
    if (cached != null && cached.matches(form, ClientFrame.NO_REF, messages, from, to)) {
      return cached.bytes();
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
    int slot = (int) ref & REF_SLOTS - 1;
    Sent cached = tagged[slot];
    if (cached != null && cached.matches(form, ref, messages, from, to)) {
      return cached.bytes();
    }
    MessageForm base = MessageForm.at(form);
    int tagBytes = encoder.tagBytes(base, ref);
    int capacity = 0;
    for (int i = from; i < to; i++) {
      capacity += frame(messages.get(i), form).readableBytes() + tagBytes;
    }
    ByteBuf all = joiner.buffer(capacity);
    for (int i = from; i < to; i++) {
      encoder.writeTagged(frame(messages.get(i), form), base, ref, all);
    }
    tagged[slot] = Sent.of(form, ref, messages, from, to, all);
    return all;
  }

  private ByteBuf frame(LogEntry entry, int form) {
    return encoded(entry, null, form).frame(form, encoder);
  }

  private EncodedMessage encoded(LogEntry entry, LogEntry previous, int form) {
    EncodedMessage frames = encoded.get(entry);
    if (frames == null) {
      frames = EncodedMessage.acquire(entry, previous, form, cache, encoder);
      batch.releaseAtEnd(frames);
      encoded.put(entry, frames);
    }
    return frames;
  }
}
