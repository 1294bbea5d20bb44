package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * The latest messages of one topic or pattern, numbered, and the newest of each of its topics.
 *
 * <p>One writer at a time: whoever holds the lock of the interest. Any thread may read meanwhile
 * without a lock: entries never change, and one that was given up is simply no longer found.
 *
 * <p>Its times are those of {@link HubClock#monoMs}: nobody sets that clock.
 */
final class TopicLog {
  private static final int FIRST_CAPACITY = 16;
  private static final long NOT_DURABLE = Long.MIN_VALUE;

  /** The number of this log's life: positions of another one mean nothing here. */
  final long epoch;

  /** What goes on in this log, or null. */
  private final Line line;

  private final LogLimits limits;
  private final LogMemory memory;
  private final Map<String, Logged> newest = new ConcurrentHashMap<>(2);

  private volatile AtomicReferenceArray<Logged> ring = new AtomicReferenceArray<>(FIRST_CAPACITY);

  /** Of the oldest entry that is still here. */
  private long first = 1;

  private volatile long last;
  private volatile long completeSinceMs;

  /** Since when messages come when the broker takes them; {@link Long#MAX_VALUE} if they don't. */
  private volatile long onTimeSinceMs = NOT_DURABLE;

  private long bytes;

  /** Whether the newest message of a topic or key is missing in snapshots. */
  private boolean leftOut;

  /** Of the newest messages that are no longer among the entries. */
  private long heldBytes;

  /**
   * Creates an empty log.
   *
   * @param line what goes on in it, or null
   */
  TopicLog(long epoch, Line line, LogLimits limits, LogMemory memory) {
    this.epoch = epoch;
    this.line = line;
    this.limits = limits;
    this.memory = memory;
    memory.opened();
  }

  /** From now on everything that is published arrives. */
  void stand(long nowMs) {
    completeSinceMs = nowMs;
  }

  /** Whether what the broker has kept comes as if nothing had happened. */
  boolean goesOn() {
    return line != null;
  }

  /** From now on what comes may have been published long before. */
  void late() {
    onTimeSinceMs = Long.MAX_VALUE;
  }

  /** From now on messages come when the broker takes them. */
  void onTime(long nowMs) {
    onTimeSinceMs = nowMs;
  }

  /**
   * Begins with what another log has for a topic or pattern. The lock of that log's interest is
   * held, too. The newest messages that it has beside its entries come first, and a mark behind
   * them.
   *
   * @param channels the channel of a topic, or null if there is none left
   */
  void copy(TopicLog source, String pattern, Function<String, Channel> channels) {
    completeSinceMs = source.completeSinceMs;
    onTimeSinceMs = source.onTimeSinceMs;
    List<Logged> old = source.snapshot(source.first - 1); // soon no longer here, either
    old.removeIf(entry -> !TopicPattern.covers(pattern, entry.message().topic()));
    old.forEach(entry -> copy(entry, channels));
    // What lay between them is not here, nor what came behind them and is in no snapshot.
    boolean apart = old.size() > 1 || !old.isEmpty() && source.leftOut;
    for (long offset = source.first; offset <= source.last; offset++) {
      Logged entry = source.at(offset);
      if (entry.isMark()) {
        mark(entry.loss(), entry.arrivedMs());
      } else if (TopicPattern.covers(pattern, entry.message().topic())) {
        if (apart || old.size() == 1 && last == 1) {
          mark(GapReason.OVERLOAD, source.completeSinceMs);
          apart = false;
        }
        copy(entry, channels);
      }
    }
    if (apart) {
      mark(GapReason.OVERLOAD, source.completeSinceMs);
    }
  }

  private void copy(Logged entry, Function<String, Channel> channels) {
    Channel channel = channels.apply(entry.message().topic());
    if (channel == null) {
      mark(GapReason.OVERLOAD, entry.arrivedMs());
    } else {
      append(entry.message(), channel, entry.arrivedMs());
    }
  }

  /** Adds a message and gives up what is too old or too much. */
  Logged append(Message message, Channel channel, long nowMs) {
    Logged entry = Logged.message(message, channel, last + 1, nowMs);
    keepNewest(entry);
    add(entry);
    return entry;
  }

  /** Marks that messages may be missing here; no replay crosses it. Returns its offset. */
  long mark(GapReason loss, long nowMs) {
    Logged entry = Logged.mark(loss, last + 1, nowMs);
    completeSinceMs = entry.arrivedMs();
    add(entry);
    return entry.offset();
  }

  private void keepNewest(Logged entry) {
    if (limits.messages() == 0) {
      return;
    }
    String key = entry.key();
    if (newest.containsKey(key) || newest.size() < limits.keys()) {
      Logged before = newest.put(key, entry);
      if (before != null && before.offset() < first) {
        hold(-before.size());
        before.dropFrames();
      }
    } else {
      leftOut = true;
      memory.leftOut();
    }
  }

  /** So many bytes more are kept for snapshots alone. */
  private void hold(long added) {
    heldBytes += added;
    memory.add(added);
  }

  private void add(Logged entry) {
    if (last + 1 - first == ring.length()) {
      if (ring.length() < limits.messages()) {
        grow();
      } else {
        removeFirst();
      }
    }
    ring.set(slot(ring, entry.offset()), entry);
    account(entry.size());
    last = entry.offset();
    evict(entry.arrivedMs());
  }

  private void grow() {
    AtomicReferenceArray<Logged> old = ring;
    AtomicReferenceArray<Logged> larger = new AtomicReferenceArray<>(old.length() * 2);
    for (long offset = first; offset <= last; offset++) {
      larger.set(slot(larger, offset), old.get(slot(old, offset)));
    }
    ring = larger;
  }

  // The length is a power of two.
  private static int slot(AtomicReferenceArray<Logged> ring, long offset) {
    return (int) (offset & ring.length() - 1);
  }

  private void account(long added) {
    bytes += added;
    memory.add(added);
  }

  /** Gives up what is too old or too much by now. */
  void evict(long nowMs) {
    while (first <= last && isTooMuch(nowMs)) {
      removeFirst();
    }
  }

  private boolean isTooMuch(long nowMs) {
    return last + 1 - first > limits.messages()
        || bytes > limits.bytes()
        || at(first).arrivedMs() < nowMs - limits.ageMs()
        || memory.isTooMuch(bytes);
  }

  private void removeFirst() {
    Logged gone = at(first);
    completeSinceMs = Math.max(completeSinceMs, gone.arrivedMs()); // before it can be missed
    ring.set(slot(ring, first), null);
    first++;
    account(-gone.size());
    gone.dropFrames();
    if (!gone.isMark() && newest.get(gone.key()) == gone) {
      hold(gone.size());
    }
  }

  /** Gives everything up. */
  void close() {
    for (long offset = first; offset <= last; offset++) {
      at(offset).dropFrames();
    }
    newest.values().forEach(Logged::dropFrames);
    memory.closed(bytes + heldBytes);
  }

  /** The number of the latest entry; 0 if there was none yet. */
  long last() {
    return last;
  }

  /** The entry with this number, or null if it is not here, or no longer. */
  Logged at(long offset) {
    AtomicReferenceArray<Logged> entries = ring;
    Logged entry = entries.get(slot(entries, offset));
    return entry != null && entry.offset() == offset ? entry : null;
  }

  /** Most topics or keys of which it keeps the newest message. */
  int mostKeys() {
    return limits.keys();
  }

  /**
   * Whether it keeps the newest message of a topic or key. From the first message on the answer
   * stays the same.
   */
  boolean hasNewest(String key) {
    return newest.containsKey(key);
  }

  /** The newest message of each topic, as of an offset, in their order. */
  List<Logged> snapshot(long upTo) {
    List<Logged> found = new ArrayList<>();
    for (Logged entry : newest.values()) {
      // One that is newer is about to come by the stream.
      if (entry.offset() <= upTo) {
        found.add(entry);
      }
    }
    found.sort(Comparator.comparingLong(Logged::offset));
    return found;
  }

  /** Whether all messages behind one offset up to another one are here, and no mark is. */
  boolean holds(long after, long upTo) {
    for (long offset = after + 1; offset <= upTo; offset++) {
      Logged entry = at(offset);
      if (entry == null || entry.isMark()) {
        return false;
      }
    }
    return true;
  }

  /** The messages behind one offset up to another one; null if not all are here, or after is -1. */
  List<Logged> range(long after, long upTo) {
    if (after < 0) {
      return null;
    }
    List<Logged> found = new ArrayList<>((int) (upTo - after));
    for (long offset = after + 1; offset <= upTo; offset++) {
      Logged entry = at(offset);
      if (entry == null || entry.isMark()) {
        return null;
      }
      found.add(entry);
    }
    return found;
  }

  /** The offset behind which the latest messages begin, {@code count} of them or fewer. */
  long before(int count, long upTo) {
    long offset = upTo;
    for (int found = 0; found < count; found++) {
      Logged entry = at(offset);
      if (entry == null || entry.isMark()) {
        break;
      }
      offset--;
    }
    return offset;
  }

  /**
   * The offset behind which a replay for this position begins, or -1 if it would not have
   * everything that the client has missed up to {@code upTo}, or more than that.
   *
   * @param clock translates the times of the position, which another node may have given
   * @param provenMs up to when the broker is known to have delivered, by the wall clock
   */
  long resume(Start.Position position, long upTo, HubClock clock, long provenMs) {
    long after = resumeHere(position, upTo);
    if (after >= 0 || !position.site().equals(site())) {
      return after;
    }
    boolean sameLine = line != null && line.has(position.epoch());
    if (sameLine) {
      after = resumeInLine(position, upTo);
    }
    if (after >= 0 || position.sinceMs() == 0) {
      return after;
    }
    long sinceMs = clock.toMono(position.sinceMs()) + limits.marginMs();
    if (!sameLine) {
      after = resumeBehindIdentity(position, upTo, sinceMs);
    }
    boolean proven =
        sameLine
            || onTimeSinceMs == NOT_DURABLE // then a loss that nobody knows of will be a mark
            || position.timeMs() + limits.marginMs() <= provenMs;
    if (after < 0 && position.timeMs() > 0 && proven) {
      long timeMs = clock.toMono(position.timeMs()) - limits.marginMs();
      after = timeMs >= sinceMs ? resumeSince(timeMs, upTo, sameLine) : -1;
    }
    return after;
  }

  // The order of a line is the same in all its logs. Only the client's very latest message counts:
  // a replay that brought it back a little may have been cut off, and older ones may stand behind.
  private long resumeInLine(Start.Position position, long upTo) {
    long offset = position.ids().length == 0 ? -1 : upTo;
    for (Logged entry = at(offset); entry != null && !entry.isMark(); entry = at(offset)) {
      if (position.latestId() == entry.message().identity()) {
        return offset;
      }
      offset--;
    }
    return -1;
  }

  /** Whose messages it has. */
  Site site() {
    return limits.site();
  }

  /** The same for a position of this very log only. */
  long resumeHere(Start.Position position, long upTo) {
    if (position.epoch() != epoch || position.offset() > last) {
      return -1;
    }
    // A client that comes from a shard that was ahead of this one is told a little twice.
    long after = Math.min(position.offset(), upTo);
    for (long next = upTo; next > after; next--) {
      Logged entry = at(next);
      if (entry == null || entry.isMark()) {
        return -1;
      }
    }
    return after;
  }

  private long resumeBehindIdentity(Start.Position position, long upTo, long sinceMs) {
    for (long offset = upTo; ; offset--) {
      Logged entry = at(offset);
      if (entry == null || entry.isMark()) {
        return -1;
      }
      if (position.hasId(entry.message().identity())) {
        long timeMs = entry.arrivedMs() - limits.spreadMs();
        return timeMs >= sinceMs ? resumeSince(timeMs, offset, false) : -1;
      }
    }
  }

  // The offset behind which everything begins that came at this time or later, if the log has it.
  private long resumeSince(long timeMs, long upTo, boolean sameLine) {
    int most = limits.overlap() / 2;
    long offset = upTo;
    for (Logged entry = at(offset); entry != null; entry = at(offset)) {
      if (entry.isMark() || entry.arrivedMs() < timeMs) {
        break;
      }
      if (upTo - offset == most) {
        return -1;
      }
      offset--;
    }
    // What comes late says nothing of when another node had it.
    boolean comparable = sameLine || onTimeSinceMs < timeMs;
    return comparable && completeSinceMs < timeMs ? offset : -1;
  }
}
