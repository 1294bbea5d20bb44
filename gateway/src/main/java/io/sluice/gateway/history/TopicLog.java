package io.sluice.gateway.history;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Bounded log of the latest messages of one topic or pattern, with offsets, and of the newest
 * message of each topic or key.
 *
 * <p>One writer at a time: the sequencer of the interest. Any thread may read meanwhile without a
 * lock: entries never change, and one that was given up is simply no longer found.
 *
 * <p>Its times are those of {@link HubClock#monoMs}: nobody sets that clock.
 */
public final class TopicLog {
  /** Counts the messages of each topic that a log keeps. Called by the log's writer. */
  public interface TopicCounter {
    /** The log has one more message of a topic. */
    void onLogged(String topic);

    /** The log has discarded a message of a topic, for replays and for snapshots. */
    void onDiscarded(String topic);
  }

  private static final int FIRST_CAPACITY = 16;
  private static final long ALWAYS = Long.MIN_VALUE;

  /** The number of this log's life: positions of another one mean nothing here. */
  public final long epoch;

  /** The lineage that continues in this log, or null. */
  private final Lineage lineage;

  private final LogLimits limits;
  private final LogMemory memory;
  private final NewestMessages newest;

  /** Counts the messages of each topic of a pattern; null for a topic. */
  private TopicCounter counter;

  /** Null until an interest begins with what this log has. */
  private TopicIndex index;

  private volatile AtomicReferenceArray<Logged> ring = new AtomicReferenceArray<>(FIRST_CAPACITY);

  /** Of the oldest entry that is still here. */
  private long first = 1;

  private volatile long last;
  private volatile long completeSinceMs;

  /** Since when messages come when the broker takes them; {@link Long#MAX_VALUE} if they don't. */
  private volatile long onTimeSinceMs = ALWAYS;

  /** Largest known time from the broker's acceptance of a message to its arrival. */
  private volatile long lagMs;

  /** When the latest message with a known lag arrived. */
  private volatile long laggedUntilMs = ALWAYS;

  /** Whether it is the log of a durable interest, or of one that such an interest feeds. */
  private volatile boolean durable;

  /** Heap bytes of the entries. */
  private long bytes;

  /** Heap bytes of the rest, as {@link LogMemory} was last notified of them. */
  private long otherBytes;

  /**
   * Creates an empty log.
   *
   * @param lineage the lineage that continues in it, or null
   */
  public TopicLog(long epoch, Lineage lineage, LogLimits limits, LogMemory memory) {
    this.epoch = epoch;
    this.lineage = lineage;
    this.limits = limits;
    this.memory = memory;
    this.newest = new NewestMessages(limits.keys(), this::onDiscarded);
    memory.opened();
  }

  /** Notifies a counter of each message from now on. Before the first message. */
  public void count(TopicCounter ofPattern) {
    counter = ofPattern;
  }

  /** From now on everything that is published arrives. */
  public void stand(long nowMs) {
    completeSinceMs = nowMs;
  }

  /** Whether what the broker has kept comes as if nothing had happened. */
  public boolean goesOn() {
    return lineage != null;
  }

  /** Messages of this durable log may have been accepted by the broker long before they arrive. */
  public void late() {
    durable = true;
    onTimeSinceMs = Long.MAX_VALUE;
  }

  /** The consumer has a backlog: times of arrival are not comparable with another node's. */
  public void lag() {
    onTimeSinceMs = Long.MAX_VALUE;
  }

  /**
   * The next message arrives later than the broker accepted it.
   *
   * @param byMs lower bound of the lag
   */
  public void lagged(long byMs, long arrivedMs) {
    boolean evicted = arrivedMs - limits.ageMs() > laggedUntilMs;
    lagMs = evicted ? byMs : Math.max(lagMs, byMs);
    laggedUntilMs = arrivedMs;
  }

  /** Whether {@link #evict} may find something. Any thread; a change may be seen late. */
  public boolean mayEvict(long nowMs) {
    Logged oldest = at(first);
    return oldest != null && oldest.arrivedMs() < nowMs - limits.ageMs()
        || memory.isTooMuch(bytes + otherBytes);
  }

  /** From now on messages come when the broker takes them. */
  public void onTime(long nowMs) {
    onTimeSinceMs = nowMs;
  }

  /**
   * Begins with what another log has for a topic or pattern. The lock of that log's interest is
   * held, too. The newest messages that it has beside its entries come first, and a mark behind
   * them.
   *
   * @param channels the channel of a topic, or null if there is none left
   */
  public void copy(TopicLog source, String pattern, Function<String, Channel> channels) {
    completeSinceMs = source.completeSinceMs;
    onTimeSinceMs = source.onTimeSinceMs;
    lagMs = source.lagMs;
    laggedUntilMs = source.laggedUntilMs;
    durable = source.durable;
    List<Logged> old = source.newest.held(pattern);
    old.forEach(entry -> copy(entry, channels));
    // What lay between them is not here, nor what came behind them and is in no snapshot.
    boolean apart = old.size() > 1 || !old.isEmpty() && source.leavesOut();
    for (Logged entry : source.entries(pattern)) {
      if (entry.isMark()) {
        mark(entry.loss(), entry.arrivedMs());
      } else {
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

  /** The messages of a topic or pattern and the marks between them, in their order. */
  private List<Logged> entries(String pattern) {
    List<Logged> found = new ArrayList<>();
    if (TopicPattern.isPattern(pattern)) {
      for (long offset = first; offset <= last; offset++) {
        Logged entry = at(offset);
        if (entry.isMark() || TopicPattern.covers(pattern, entry.message().topic())) {
          found.add(entry);
        }
      }
    } else {
      index().offsets(pattern, first).forEach(offset -> found.add(at(offset)));
    }
    return found;
  }

  // Most logs are never asked.
  private TopicIndex index() {
    if (index == null) {
      index = new TopicIndex();
      index.resize(ring.length(), first, last);
      for (long offset = first; offset <= last; offset++) {
        index.add(at(offset));
      }
      accountOthers();
    }
    return index;
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
  public Logged append(Message message, Channel channel, long nowMs) {
    Logged entry = Logged.message(message, channel, last + 1, nowMs);
    if (counter != null) {
      counter.onLogged(message.topic());
    }
    keepNewest(entry);
    add(entry);
    return entry;
  }

  /** Marks that messages may be missing here; no replay crosses it. Returns its offset. */
  public long mark(GapReason loss, long nowMs) {
    Logged entry = Logged.mark(loss, last + 1, nowMs);
    completeSinceMs = entry.arrivedMs();
    add(entry);
    return entry.offset();
  }

  private void keepNewest(Logged entry) {
    if (limits.messages() > 0 && !newest.add(entry)) {
      memory.leftOut();
    }
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
    if (index != null) {
      index.add(entry);
    }
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
    if (index != null) {
      index.resize(larger.length(), first, last);
    }
  }

  // The length is a power of two.
  private static int slot(AtomicReferenceArray<Logged> ring, long offset) {
    return (int) (offset & ring.length() - 1);
  }

  private void account(long added) {
    bytes += added;
    memory.add(added);
  }

  private void accountOthers() {
    long now = newest.bytes() + (index == null ? 0 : index.bytes());
    if (now != otherBytes) {
      memory.add(now - otherBytes);
      otherBytes = now;
    }
  }

  /** Gives up what is too old or too much by now. */
  public void evict(long nowMs) {
    while (first <= last && isTooMuch(nowMs)) {
      removeFirst();
    }
    accountOthers();
    while (memory.isTooMuch(bytes + otherBytes) && giveUpOldest()) {
      accountOthers();
    }
  }

  private boolean isTooMuch(long nowMs) {
    return last + 1 - first > limits.messages()
        || bytes > limits.bytes()
        || at(first).arrivedMs() < nowMs - limits.ageMs();
  }

  // Of the larger part: neither snapshots nor replays lose everything to the other.
  private boolean giveUpOldest() {
    if (bytes >= otherBytes && first <= last || !discardHeld()) {
      if (first > last) {
        return false;
      }
      removeFirst();
    }
    return true;
  }

  private boolean discardHeld() {
    boolean discarded = newest.discardOldest();
    if (discarded) {
      memory.leftOut();
    }
    return discarded;
  }

  private void removeFirst() {
    Logged gone = at(first);
    completeSinceMs = Math.max(completeSinceMs, gone.arrivedMs()); // before it can be missed
    ring.set(slot(ring, first), null);
    first++;
    account(-gone.size());
    gone.dropFrames();
    if (index != null) {
      index.removeFirst(gone);
    }
    if (!gone.isMark() && !newest.onRemoved(gone)) {
      onDiscarded(gone);
    }
  }

  /** Neither replays nor snapshots have this message any more. */
  private void onDiscarded(Logged gone) {
    if (counter != null) {
      counter.onDiscarded(gone.message().topic());
    }
  }

  /** Gives everything up. */
  public void close() {
    for (long offset = first; offset <= last; offset++) {
      at(offset).dropFrames();
    }
    newest.forEachHeld(Logged::dropFrames);
    memory.closed(bytes + otherBytes);
  }

  /** The number of the latest entry; 0 if there was none yet. */
  public long last() {
    return last;
  }

  /** The entry with this number, or null if it is not here, or no longer. */
  public Logged at(long offset) {
    AtomicReferenceArray<Logged> entries = ring;
    Logged entry = entries.get(slot(entries, offset));
    return entry != null && entry.offset() == offset ? entry : null;
  }

  /** Most topics or keys of which it keeps the newest message. */
  public int mostKeys() {
    return limits.keys();
  }

  /** Whether snapshots lack the newest message of a topic or key. */
  boolean leavesOut() {
    return newest.isIncomplete();
  }

  /** Whether it keeps the newest message of a topic or key, until {@code history.memory} ends. */
  public boolean hasNewest(String key) {
    return newest.has(key);
  }

  /** The newest message of each topic, as of an offset, in their order. */
  public List<Logged> snapshot(long upTo) {
    return newest.upTo(upTo);
  }

  /** Whether all messages behind one offset up to another one are here, and no mark is. */
  public boolean holds(long after, long upTo) {
    for (long offset = after + 1; offset <= upTo; offset++) {
      Logged entry = at(offset);
      if (entry == null || entry.isMark()) {
        return false;
      }
    }
    return true;
  }

  /** The messages behind one offset up to another one; null if not all are here, or after is -1. */
  public List<Logged> range(long after, long upTo) {
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
  public long before(int count, long upTo) {
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
  public long resume(Start.Position position, long upTo, HubClock clock, long provenMs) {
    long after = resumeHere(position, upTo);
    if (after >= 0 || !position.site().equals(site())) {
      return after;
    }
    boolean sameLineage = lineage != null && lineage.has(position.epoch());
    if (sameLineage) {
      after = resumeInLineage(position, upTo);
    }
    if (after >= 0 || position.sinceMs() == 0) {
      return after;
    }
    long sinceMs = clock.toMono(position.sinceMs()) + limits.marginMs();
    if (!sameLineage) {
      after = resumeBehindIdentity(position, upTo, sinceMs);
    }
    // A node that lags itself would send again what the client no longer remembers.
    long neededMs = position.timeMs() + (durable ? limits.marginMs() : -limits.marginMs());
    boolean proven = sameLineage || neededMs <= provenMs;
    if (after < 0 && position.timeMs() > 0 && proven) {
      long timeMs = clock.toMono(position.timeMs()) - limits.marginMs();
      after = isBehindStart(timeMs, sinceMs) ? resumeSince(timeMs, upTo, sameLineage) : -1;
    }
    return after;
  }

  // A message that arrived late was accepted by the broker up to the lag before.
  private boolean isBehindStart(long timeMs, long sinceMs) {
    long startMs = timeMs <= laggedUntilMs ? sinceMs + lagMs : sinceMs;
    return timeMs >= startMs;
  }

  // The order of a lineage is the same in all its logs. Only the client's very latest message
  // counts:
  // a replay that brought it back a little may have been cut off, and older ones may stand behind.
  private long resumeInLineage(Start.Position position, long upTo) {
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
  public Site site() {
    return limits.site();
  }

  /** The same for a position of this very log only. */
  public long resumeHere(Start.Position position, long upTo) {
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
        return isBehindStart(timeMs, sinceMs) ? resumeSince(timeMs, offset, false) : -1;
      }
    }
  }

  // The offset behind which everything begins that came at this time or later, if the log has it.
  private long resumeSince(long timeMs, long upTo, boolean sameLineage) {
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
    boolean comparable = sameLineage || onTimeSinceMs < timeMs;
    return comparable && completeSinceMs < timeMs ? offset : -1;
  }
}
