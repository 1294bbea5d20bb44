package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.nats.PullConsumer.Arrival;
import io.sluice.gateway.broker.selector.InvalidSelector;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.protocol.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One request for messages of a stream. Confined to one thread, which blocks. */
final class StreamReadBack implements PullConsumer.Sink {
  private static final long TIMEOUT_MS = 10_000;
  private static final long MIN_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private final NatsLink link;
  private final ReadBack request;
  private final NatsReader reader;

  /** Selects the messages; null for all of them. */
  private final Selector selector;

  private final List<Message> messages = new ArrayList<>();
  private long bytes;
  private StreamFeed.Position confirmed;

  /** Number of messages of the topic or pattern, also those that are not selected. */
  private long received;

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private volatile PullConsumer consumer;
  private volatile String interrupted;

  /** Reports that the messages cannot be returned; its text says why. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String why) {
      super(why, null, false, false); // carries a value, not a bug: no stack trace
    }
  }

  StreamReadBack(NatsLink link, ReadBack request, NatsReader.Rules rules) throws InvalidSelector {
    String where = request.key().selector();
    this.selector = where == null ? null : Selector.compile(where);
    this.link = link;
    this.request = request;
    this.reader = new NatsReader(rules, request.key());
  }

  /** Returns the messages, in order. */
  List<Message> read() throws Refused, IOException, JetStreamApiException, InterruptedException {
    String pattern = request.key().topic();
    StreamDirectory.Found found = link.streams().find(pattern, System.nanoTime());
    SubjectStream stream = found.stream();
    if (stream == null
        || stream.number() != request.after().stream()
        || stream.number() != request.upTo().stream()) {
      throw new Refused("the stream is not the one of the position");
    }
    StoredMessages stored = new StoredMessages(link, stream);
    long latestMs = stored.latestMs();
    long latest = 0;
    for (long claimed : request.claimed()) {
      if (!stored.has(claimed)) {
        throw new Refused(ReadBack.REFUTED);
      }
      latest = Math.max(latest, StreamPlace.offset(claimed));
    }
    confirmed = new StreamFeed.Position(stream.number(), latest, latestMs, 0);
    long after = Math.max(0, request.after().offsetOf(0));
    long upTo = Math.max(0, request.upTo().offsetOf(0));
    if (upTo <= after) {
      return List.of();
    }
    consumer = PullConsumer.from(link, stream.name(), pattern, after + 1, this);
    try {
      if (consumer.pending() > 0) {
        read(after, upTo);
      }
      check(new Retention(link, stream, pattern), after, upTo);
      return messages;
    } finally {
      consumer.close();
    }
  }

  /** Returns the latest place of clients whose messages the server has, after {@link #read}. */
  StreamFeed.Position confirmed() {
    return confirmed;
  }

  // Checked behind the reading: what was there then has been read.
  private void check(Retention retention, long after, long upTo)
      throws Refused, IOException, JetStreamApiException {
    boolean isComplete =
        retention.stream().storesOnly(retention.pattern())
            ? received == upTo - after
            : retention.removedBehind(after) == Retention.NONE;
    if (!isComplete) {
      throw new Refused("the stream may have removed some of the messages");
    }
  }

  private void read(long after, long upTo) throws Refused, InterruptedException {
    long beginNs = System.nanoTime();
    consumer.start();
    long reached = after;
    while (reached < upTo) {
      Arrival next = next();
      if (next == null || interrupted != null) {
        throw new Refused(next == null ? "the server does not send the messages" : interrupted);
      }
      awaitTime(beginNs + request.minNs(bytes));
      consumer.request();
      reached = next.pending() == 0 ? upTo : next.sequence();
      if (next.message() != null && next.sequence() <= upTo) {
        received++;
        if (isSelected(next)) {
          add(read(next));
        }
      }
    }
    awaitTime(beginNs + request.minNs(bytes));
  }

  private boolean isSelected(Arrival arrival) {
    return selector == null
        || selector.matches(NatsReader.fields(arrival.message(), arrival.timeMs()));
  }

  /**
   * @param message null if its subject is closed to clients
   */
  private void add(Message message) throws Refused {
    if (message == null) {
      return;
    }
    bytes += message.payload().length;
    if (messages.size() == request.maxMessages() || bytes > request.maxBytes()) {
      throw new Refused("there are too many messages behind the position");
    }
    messages.add(message);
  }

  private static void awaitTime(long endNs) throws InterruptedException {
    long leftNs = endNs - System.nanoTime();
    if (leftNs > MIN_WAIT_NS) {
      TimeUnit.NANOSECONDS.sleep(leftNs);
    }
  }

  // Twice: the process may be paused while it waits.
  private Arrival next() throws InterruptedException {
    Arrival next = arrivals.poll(TIMEOUT_MS / 2, TimeUnit.MILLISECONDS);
    return next == null ? arrivals.poll(TIMEOUT_MS / 2, TimeUnit.MILLISECONDS) : next;
  }

  private Message read(Arrival arrival) throws Refused {
    try {
      long identity = StoredMessages.id(arrival.sequence(), arrival.timeMs());
      return reader.read(arrival.message(), identity, arrival.timeMs());
    } catch (NatsReader.Refused e) {
      throw new Refused("a message is not forwarded: " + e.reason().code());
    }
  }

  @Override
  public void onArrival(Arrival arrival) {
    arrivals.add(arrival);
  }

  @Override
  public void onRequestEnded() {
    consumer.request();
  }

  @Override
  public void onInterrupted(String why) {
    interrupted = why;
    arrivals.add(new Arrival(0, 1, null));
  }
}
