package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.OverdueBacklog;
import io.sluice.gateway.broker.nats.PullConsumer.Arrival;
import io.sluice.gateway.protocol.GapReason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Ordered messages of an interest from a stream: first those that snapshots need, then all behind a
 * place. Its lock is held while the listener is called: after it has ended, nothing follows.
 *
 * <p>Messages wait in a queue while the listener is full, and until the server has answered whether
 * messages before the next one were removed. No further ones are requested during this time.
 */
final class StreamFeed implements NatsFeed {
  /** Interval of checks of a full listener. */
  private static final long FULL_MS = 5;

  /** Time by which the clock of the server may be ahead. */
  private static final long CLOCK_MS = 500;

  /**
   * Place that an interest has reached. Immutable.
   *
   * @param stream number of the stream
   * @param sequence sequence of the latest message of the stream that has been examined
   * @param timeMs time after which no message up to it was stored
   * @param snapshot sequence of the latest message that was passed for snapshots; {@link #COMPLETE}
   *     after the last one
   */
  record Position(int stream, long sequence, long timeMs, long snapshot) {
    static final long COMPLETE = Long.MAX_VALUE;

    Position at(long other, long otherMs) {
      return new Position(stream, other, otherMs, snapshot);
    }

    /** Returns the place that is at least as far as another one of a stream. */
    Position orLater(Position other) {
      boolean isBefore = other != null && other.stream == stream && other.sequence > sequence;
      return isBefore ? at(other.sequence, other.timeMs) : this;
    }

    boolean hasSnapshot() {
      return snapshot == COMPLETE;
    }
  }

  /** Owner of a feed. */
  interface Owner {
    /** All messages that snapshots need have been passed. Control thread. */
    void onActive();

    /** The feed has to be replaced by another one behind {@link #position}. Any thread. */
    void onFailed(String why);
  }

  private final NatsLink link;
  private final SubjectStream stream;
  private final NatsInterest interest;
  private final String pattern;
  private final Owner owner;
  private final Retention retention;

  /** Position of an earlier feed; null for the first one. */
  private final Position earlier;

  /** True if the listener was active before, perhaps for another stream. */
  private final boolean wasActive;

  private boolean resumed;

  private final Object lock = new Object();

  // Guarded by the lock.
  private PullConsumer consumer;
  private Position position;
  private boolean failed;
  private boolean ended;

  /** Reason for which a message is missing in the snapshot, or null. */
  private GapReason lacking;

  /** Arrivals that have not been passed to the listener. */
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  /** Sequence of the latest arrival. */
  private long arrived;

  /** True if the server had further messages when it sent the latest arrival. */
  private boolean behind;

  /** True while the listener is full, or something else continues with the waiting arrivals. */
  private boolean paused;

  /** True while a check of the retention runs. */
  private boolean verifying;

  /** Sequence up to which arrivals are not doubtful any more. */
  private long cleared;

  /** Sequence up to which the server has removed messages. */
  private long removed = Retention.NONE;

  /** Place at which missing messages have been reported before the next arrival. */
  private long reported = Retention.NONE;

  /**
   * Arrival that has not been passed to the listener.
   *
   * @param before sequence of the previous arrival
   * @param doubtful whether the server may have removed messages between the two before it sent
   *     them
   */
  private record Waiting(Arrival arrival, long before, boolean doubtful) {
    boolean isSkipping() {
      return arrival.skippedTo() > before;
    }
  }

  private final OverdueBacklog overdue;

  /** Number of messages that have arrived. */
  private long received;

  /** True while a skip of the messages that wait is prepared. */
  private boolean skipping;

  /**
   * @param maxLagMs time for which messages may wait for a full listener; later they are skipped
   */
  StreamFeed(
      NatsLink link, SubjectStream stream, NatsInterest interest, long maxLagMs, Owner owner) {
    this.overdue = new OverdueBacklog(maxLagMs);
    this.link = link;
    this.stream = stream;
    this.interest = interest;
    this.pattern = interest.pattern();
    this.earlier = interest.position();
    this.wasActive = interest.wasActive();
    this.owner = owner;
    this.retention = new Retention(link, stream, pattern);
  }

  /** Returns the place that has been reached; null if the feed was not opened. */
  Position position() {
    synchronized (lock) {
      return position;
    }
  }

  @Override
  public void open() throws IOException, JetStreamApiException {
    StreamInfo info = link.management().getStreamInfo(stream.name());
    long end = info.getStreamState().getLastSequence();
    long endMs = StoredMessages.ms(info.getStreamState().getLastTime());
    resumed = earlier != null && earlier.stream() == stream.number() && !hasLost(end);
    Position start = resumed ? earlier : start(info, end, endMs);
    PullConsumer opened = open(start);
    boolean follows = resumed && start.hasSnapshot();
    long lost = follows ? retention.removedBehind(start.sequence()) : Retention.NONE;
    synchronized (lock) {
      consumer = opened;
      position = lost == Retention.NONE ? start : start.at(lost, endMs);
      arrived = position.sequence();
      behind = opened.pending() > 0;
      reported = lost == Retention.NONE ? lost : arrived;
      if (ended) {
        opened.close();
      }
    }
  }

  // Fewer or later messages than before: the server has lost some, and uses their numbers again.
  private boolean hasLost(long end) throws IOException, JetStreamApiException {
    Position known = earlier.orLater(interest.confirmed());
    return known.sequence() > end
        || known.sequence() > 0
            && new StoredMessages(link, stream).hasLater(known.sequence(), known.timeMs());
  }

  private Position start(StreamInfo info, long end, long endMs) {
    if (wasActive && earlier != null && earlier.stream() != stream.number()) {
      return new Position(stream.number(), 0, 0, Position.COMPLETE); // all messages follow the gap
    }
    boolean hasSnapshot = stream.keepsNewest() && info.getStreamState().getMsgCount() > 0;
    return new Position(stream.number(), end, endMs, hasSnapshot ? 0 : Position.COMPLETE);
  }

  private PullConsumer open(Position start) throws IOException, JetStreamApiException {
    PullConsumer.Sink sink = new Arrivals();
    return start.hasSnapshot()
        ? PullConsumer.from(link, stream.name(), pattern, start.sequence() + 1, sink)
        : PullConsumer.ofNewest(link, stream.name(), pattern, sink);
  }

  @Override
  public void begin() {
    Position start = position();
    if (!resumed) {
      interest.listener().onStream(stream.place(start.sequence(), start.timeMs()));
    } else if (reported != Retention.NONE) {
      interest.missed(GapReason.BROKER_LOST, start.sequence());
    }
    if (start.hasSnapshot()) {
      owner.onActive();
    }
    synchronized (lock) {
      if (!start.hasSnapshot() && consumer.pending() == 0) {
        endSnapshot();
      } else {
        consumer.start();
      }
    }
  }

  @Override
  public void end() {
    synchronized (lock) {
      ended = true;
      waiting.clear();
      if (consumer != null) {
        consumer.close();
      }
    }
  }

  @Override
  public void check(long nowNs) {
    PullConsumer current;
    synchronized (lock) {
      current = paused || failed ? null : consumer;
    }
    if (current != null) {
      current.check(nowNs);
    }
  }

  /** Receiver of the messages of the current consumer. */
  private final class Arrivals implements PullConsumer.Sink {
    @Override
    public void onArrival(Arrival arrival) {
      synchronized (lock) {
        if (!isEnded()) {
          add(arrival);
          skipOverdue(arrival);
          verifyNext();
          proceed();
        }
      }
    }

    @Override
    public void onRequestEnded() {
      synchronized (lock) {
        proceed();
      }
    }

    @Override
    public void onInterrupted(String why) {
      fail(why);
    }
  }

  private void fail(String why) {
    synchronized (lock) {
      if (isEnded()) {
        return;
      }
      failed = true;
      waiting.clear();
    }
    owner.onFailed(why);
  }

  private void add(Arrival arrival) {
    boolean doubtful =
        position.hasSnapshot()
            && arrival.skippedTo() > arrived
            && arrived != reported
            && !stream.storesOnly(pattern)
            && (behind || arrival.pending() > 0);
    waiting.add(new Waiting(arrival, arrived, doubtful));
    arrived = arrival.sequence();
    behind = arrival.pending() > 0;
  }

  private void skipOverdue(Arrival arrival) {
    received++;
    if (arrival.pending() > 0
        && !skipping
        && position.hasSnapshot()
        && overdue.isOverdue(received, received + arrival.pending(), System.nanoTime())) {
      skipping = true;
      link.work(this::skip);
    }
  }

  // An overloaded node would deliver ever older messages. The next feed begins at the end.
  private void skip() {
    try {
      StreamState state = link.management().getStreamInfo(stream.name()).getStreamState();
      long end = state.getLastSequence();
      long endMs = StoredMessages.ms(state.getLastTime());
      synchronized (lock) {
        if (isEnded()) {
          return;
        }
        position = position.at(end, endMs);
        interest.missed(GapReason.OVERLOAD, DeliveryInfo.of(StoredMessages.id(end, endMs)));
        failed = true;
        waiting.clear();
      }
      owner.onFailed("its messages have waited for longer than history.age");
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      fail("the server does not report the state of the stream: " + e.getMessage());
    }
  }

  /** Starts a check of the retention before the first doubtful arrival, if there is one. */
  private void verifyNext() {
    if (verifying || isEnded()) {
      return;
    }
    Waiting first = waiting.stream().filter(this::isUnknown).findFirst().orElse(null);
    if (first != null) {
      verifying = true;
      long latest = arrived;
      link.work(() -> verify(first.before(), latest));
    }
  }

  private boolean isUnknown(Waiting each) {
    return each.doubtful() && each.arrival().sequence() > cleared && each.before() > removed;
  }

  // The check follows the arrivals: what the server still has now, it has sent.
  private void verify(long place, long latest) {
    try {
      long lost = retention.removedBehind(place);
      synchronized (lock) {
        verifying = false;
        cleared = lost == Retention.NONE ? latest : cleared;
        removed = Math.max(removed, lost);
        verifyNext();
        proceed();
      }
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      fail("the server does not report the state of the stream: " + e.getMessage());
    }
  }

  /** Passes waiting arrivals on and requests further ones, unless something has to end first. */
  private void proceed() {
    while (!paused && !isEnded()) {
      Waiting next = waiting.peek();
      if (next == null) {
        consumer.request();
        return;
      }
      if (isUnknown(next)) {
        return;
      }
      if (next.arrival().message() != null && interest.listener().isFull()) {
        paused = true;
        overdue.onFull(System.nanoTime());
        link.later(this::resume, FULL_MS);
      } else {
        waiting.remove();
        pass(next);
      }
    }
  }

  private void resume() {
    synchronized (lock) {
      paused = false;
      proceed();
    }
  }

  private void pass(Waiting next) {
    if (!position.hasSnapshot()) {
      passToSnapshot(next.arrival());
      return;
    }
    if (isMissing(next)) {
      interest.missed(GapReason.OVERLOAD, next.arrival().skippedTo());
    }
    Arrival arrival = next.arrival();
    long timeMs =
        arrival.message() == null ? System.currentTimeMillis() + CLOCK_MS : arrival.timeMs();
    position = position.at(arrival.sequence(), timeMs);
    if (next.arrival().message() != null) {
      deliver(next.arrival());
    }
  }

  private boolean isMissing(Waiting next) {
    return stream.storesOnly(pattern)
        ? next.isSkipping() && next.before() != reported
        : next.doubtful() && next.arrival().sequence() > cleared;
  }

  private void passToSnapshot(Arrival arrival) {
    boolean isOlder = arrival.sequence() <= position.sequence();
    if (arrival.message() != null && isOlder && arrival.sequence() > position.snapshot()) {
      position =
          new Position(
              position.stream(), position.sequence(), position.timeMs(), arrival.sequence());
      GapReason missing = deliver(arrival);
      lacking = missing == null ? lacking : missing;
    }
    if (arrival.message() == null || !isOlder || arrival.pending() == 0) {
      endSnapshot();
    }
  }

  private void endSnapshot() {
    position =
        new Position(position.stream(), position.sequence(), position.timeMs(), Position.COMPLETE);
    if (lacking != null) { // last: a snapshot with messages before it ends with it
      interest.missed(lacking);
    }
    waiting.clear();
    paused = true;
    consumer.close();
    link.onControl(
        () -> {
          if (!isEnded()) {
            owner.onActive();
            link.work(this::follow);
          }
        });
  }

  private boolean isEnded() {
    synchronized (lock) {
      return ended || failed;
    }
  }

  /** Opens the consumer of the messages behind the place, after those for snapshots. */
  private void follow() {
    try {
      PullConsumer next = open(position());
      synchronized (lock) {
        consumer = next;
        arrived = position.sequence();
        behind = next.pending() > 0;
        paused = false;
        if (isEnded()) {
          next.close();
        } else {
          next.start();
        }
      }
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      fail("the server opens no consumer: " + e.getMessage());
    }
  }

  private GapReason deliver(Arrival arrival) {
    long identity = StoredMessages.id(arrival.sequence(), arrival.timeMs());
    return interest.deliver(arrival.message(), identity, arrival.timeMs());
  }
}
