package io.sluice.gateway.streams.events;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ForwardingConnection;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.streams.route.EventText;
import io.sluice.gateway.websocket.CloseCode;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Connection of a stream with several topics, whose ids are the positions of all of them. Bound to
 * the event loop of the client.
 *
 * <p>The encoded event of a message begins with the position in its topic, as for streams with one
 * topic. This connection sends the rest of the event, shared with all other clients. An event
 * without data has the id of all topics, and replaces the client's. It follows the first flush
 * after a pause; while events arrive, one is sent in each interval. A connection that ends before
 * leaves the client with an older id, and it receives those events again.
 *
 * <p>Until all subscriptions are answered, it holds the events: an error has to precede them.
 */
final class PositionConnection extends ForwardingConnection {
  private static final byte[] ID = EventText.ascii("id: ");
  private static final byte LF = '\n';

  /** Shortest time between two ids, which can be longer than the events. */
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Topic[] topics;
  private final ProtocolContext loop;
  private final LongSupplier clock;

  /** Events before the response; null once it has begun. */
  private ArrayDeque<ByteBuf> held = new ArrayDeque<>();

  private long heldBytes;
  private long timeMs;
  private boolean changed;

  /** Time of the latest id. */
  private long sentNs;

  /** True while a task will send the next id. */
  private boolean scheduled;

  private boolean closed;

  /** Position in one topic. */
  private static final class Topic {
    final String checksum;

    /** Epoch of its log, which begins its positions; null before the subscription is answered. */
    byte[] epoch;

    /** Null before the first. */
    byte[] position;

    Topic(String checksum) {
      this.checksum = checksum;
    }
  }

  /**
   * @param clock nanoseconds of any origin
   */
  PositionConnection(
      Connection connection, List<String> topics, ProtocolContext loop, LongSupplier clock) {
    super(connection);
    this.loop = loop;
    this.clock = clock;
    this.sentNs = clock.getAsLong() - PAUSE_NS;
    this.topics = topics.stream().map(EventStarts::checksum).map(Topic::new).toArray(Topic[]::new);
  }

  /** Begins with the positions of a valid id, which remain valid until a topic has another one. */
  void resume(String id) {
    for (String entry : id.split(",")) {
      int equals = entry.indexOf('=');
      String name = entry.substring(0, equals);
      String value = entry.substring(equals + 1);
      if (name.equals(EventStarts.TIME)) {
        timeMs = Long.parseLong(value);
      }
      for (Topic topic : topics) {
        if (topic.checksum.equals(name)) {
          topic.position = value.getBytes(US_ASCII);
        }
      }
    }
  }

  /** Sets the epoch of a topic's log. */
  void begin(int topic, String epoch) {
    topics[topic].epoch = epoch.getBytes(US_ASCII);
  }

  /** Returns the epoch of a topic's log. */
  String epoch(int topic) {
    return new String(topics[topic].epoch, US_ASCII);
  }

  /** Replaces the position in a topic. */
  void move(int topic, String position) {
    topics[topic].position = position.getBytes(US_ASCII);
    changed = true;
  }

  /** Sets the time up to which the client has received everything. */
  void caughtUp(long ms) {
    timeMs = ms;
    changed = true;
  }

  /**
   * Sends the beginning of the response and the held events.
   *
   * @param head borrowed until the next flush
   */
  void begin(ByteBuf head) {
    ArrayDeque<ByteBuf> events = held;
    held = null;
    target.write(head);
    events.forEach(this::write);
    flush();
    events.forEach(ByteBuf::release);
  }

  /** Releases the held events: what follows is no stream. */
  void abandon() {
    discard();
    held = null;
    changed = false;
  }

  /** Ends, and releases the held events. */
  void discard() {
    closed = true;
    if (held != null) {
      held.forEach(ByteBuf::release);
      held.clear();
    }
  }

  @Override
  public void write(ByteBuf bytes) {
    if (held != null) {
      held.add(bytes.retainedSlice());
      heldBytes += bytes.readableBytes();
      return;
    }
    int end = bytes.writerIndex();
    int start = bytes.readerIndex();
    while (start < end) {
      int after = endOfEvent(bytes, start, end);
      target.write(withoutPosition(bytes, start, after));
      start = after;
    }
  }

  private ByteBuf withoutPosition(ByteBuf bytes, int start, int end) {
    if (!isAt(bytes, start, end, ID)) {
      return bytes.slice(start, end - start);
    }
    int from = start + ID.length;
    int lineEnd = bytes.indexOf(from, end, LF);
    Topic topic = topic(bytes, from, lineEnd);
    if (topic != null) {
      byte[] position = new byte[lineEnd - from];
      bytes.getBytes(from, position);
      topic.position = position;
      changed = true;
    }
    return bytes.slice(lineEnd + 1, end - lineEnd - 1);
  }

  private Topic topic(ByteBuf bytes, int from, int end) {
    for (Topic topic : topics) {
      if (topic.epoch != null && isAt(bytes, from, end, topic.epoch)) {
        return topic;
      }
    }
    return null; // its subscription has just ended
  }

  private static boolean isAt(ByteBuf bytes, int from, int end, byte[] expected) {
    if (end - from < expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (bytes.getByte(from + i) != expected[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index behind the event, which ends with an empty line. */
  private static int endOfEvent(ByteBuf bytes, int start, int end) {
    int lineEnd = bytes.indexOf(start, end, LF);
    while (lineEnd >= 0 && lineEnd + 1 < end) {
      if (bytes.getByte(lineEnd + 1) == LF) {
        return lineEnd + 2;
      }
      lineEnd = bytes.indexOf(lineEnd + 1, end, LF);
    }
    return end;
  }

  @Override
  public void flush() {
    ByteBuf id = writeId();
    target.flush();
    if (id != null) {
      id.release();
    }
  }

  @Override
  public void flushInBatch() {
    ByteBuf id = writeId();
    if (id != null) {
      loop.releaseAfterBatch(id);
    }
    target.flushInBatch();
  }

  /** Returns the event that was written, or null. */
  private ByteBuf writeId() {
    if (!changed || held != null || Stream.of(topics).allMatch(each -> each.position == null)) {
      return null;
    }
    long nowNs = clock.getAsLong();
    if (nowNs - sentNs < PAUSE_NS) {
      schedule(1 + TimeUnit.NANOSECONDS.toMillis(PAUSE_NS - (nowNs - sentNs)));
      return null;
    }
    ByteBuf id = PooledByteBufAllocator.DEFAULT.directBuffer(128 * topics.length);
    writeLastId(id);
    target.write(id);
    sentNs = nowNs;
    return id;
  }

  private void schedule(long delayMs) {
    if (!scheduled) {
      scheduled = true;
      loop.executeLater(this::onPause, delayMs);
    }
  }

  private void onPause() {
    scheduled = false;
    if (!closed) {
      flush();
    }
  }

  /** Writes the id behind all events, unless it was sent. */
  void writeLastId(ByteBuf out) {
    if (changed && held == null) {
      EventText.id(id(), out);
      EventText.end(out);
      changed = false;
    }
  }

  /** Returns the positions that are known. */
  private String id() {
    StringBuilder id = new StringBuilder(128 * topics.length);
    for (Topic topic : topics) {
      if (topic.position != null) {
        id.append(topic.checksum).append('=');
        id.append(new String(topic.position, US_ASCII)).append(',');
      }
    }
    return id.append(EventStarts.TIME).append('=').append(timeMs).toString();
  }

  @Override
  public long pendingBytes() {
    return held == null ? target.pendingBytes() : heldBytes;
  }

  @Override
  public void abort() {
    discard();
    target.abort();
  }

  @Override
  public void close(CloseCode code) {
    discard();
    target.close(code);
  }
}
