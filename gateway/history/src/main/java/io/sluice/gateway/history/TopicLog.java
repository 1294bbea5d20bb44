package io.sluice.gateway.history;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.LogEpoch;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Bounded log of the latest messages of one topic or pattern, with offsets. It also stores the
 * newest message of each topic or key.
 *
 * <p>The interest's sequencer is the only writer. Any thread may read concurrently without a lock:
 * entries never change, and lookups no longer find an evicted entry.
 *
 * <p>Times are those of {@link HubClock#monoMs}, which clock adjustments do not affect.
 */
public final class TopicLog {
  /** Counter of the stored messages of each topic. Called by the log's writer. */
  public interface TopicCounter {
    /** Counts a message that was appended. */
    void onLogged(String topic);

    /** Discounts a message that neither replays nor snapshots contain any longer. */
    void onDiscarded(String topic);
  }

  private static final int INITIAL_CAPACITY = 16;
  private static final long ALWAYS = Long.MIN_VALUE;

  /** Lag, in margins, that a message without a proof of delivery to the client may have. */
  private static final int UNPROVEN_MARGINS = 3;

  /**
   * Offset before the first entry of a log whose source has offsets, so that messages read back
   * later have smaller ones.
   */
  private static final long STREAM_START = 1L << 32;

  private volatile long epoch;

  private final LogEpoch epochText;

  /** Null unless the source has offsets. */
  private volatile SourcePlaces places;

  /** True while another log is copied, whose places apply to the copies. */
  private boolean isCopying;

  /** The lineage that continues in this log, or null. */
  private final Lineage lineage;

  private final LogLimits limits;
  private final LogMemory memory;
  private final NewestMessages newest;

  /** Counts the messages of each topic of a pattern; null for a topic. */
  private TopicCounter counter;

  /** Null until an interest copies a part of this log. */
  private TopicIndex index;

  private volatile AtomicReferenceArray<LogEntry> ring =
      new AtomicReferenceArray<>(INITIAL_CAPACITY);

  /** Offset of the oldest entry. */
  private long first = 1;

  private volatile long last;
  private volatile long completeSinceMs;

  /**
   * Time of the latest activation of the consumer: the log has, or reports as a gap, every message
   * that the broker assigned to its consumers later.
   */
  private volatile long openedMs = ALWAYS;

  /** Longest known time from the publication of a message that is late by design to its arrival. */
  private volatile long delayMs;

  /** Time by which other consumers have received the latest message that is reported as late. */
  private volatile long lackedUntilMs = ALWAYS;

  /** Lowest rank of a message since the log exists, and of the messages that are only reported. */
  private volatile int lowestRank = LogEntry.DEFAULT_RANK;

  /** Arrival time of the latest message that may have overtaken others, also after its eviction. */
  private volatile long overtookMs = ALWAYS;

  /**
   * Time since which messages arrive when the broker accepts them; {@link Long#MAX_VALUE} while
   * they arrive late.
   */
  private volatile long onTimeSinceMs = ALWAYS;

  /** Largest known time from the broker's acceptance of a message to its arrival. */
  private volatile long lagMs;

  /** Arrival time of the latest message with a known lag. */
  private volatile long laggedUntilMs = ALWAYS;

  /** True for the log of a durable interest, or of one fed by such an interest. */
  private volatile boolean durable;

  // Plain, as written by one thread; a reader of figures may see a change late.
  private long messages;
  private long messageBytes;
  private long gaps;
  private long latestMs;

  /** The latest marker of a loss, also after its eviction; null before the first. */
  private volatile LogEntry latestLoss;

  /** Offset of the latest message without an identity on other nodes; 0 if there was none. */
  private volatile long unidentified;

  /** Number of gap markers among the entries. */
  private long gapEntries;

  /** Heap bytes of the entries. */
  private long bytes;

  /** Heap bytes other than the entries', as last reported to {@link LogMemory}. */
  private long otherBytes;

  /**
   * Creates an empty log.
   *
   * @param lineage the lineage that continues in it, or null
   */
  public TopicLog(long epoch, Lineage lineage, LogLimits limits, LogMemory memory) {
    this.epoch = epoch;
    this.epochText = new LogEpoch(epoch, limits.site());
    this.lineage = lineage;
    this.limits = limits;
    this.memory = memory;
    this.newest = new NewestMessages(limits.keys(), this::onDiscarded);
    memory.opened();
  }

  /** Identifies this instance of the log. Offsets of another epoch are invalid here. */
  public long epoch() {
    return epoch;
  }

  /** Returns the epoch as clients receive it. */
  public LogEpoch epochText() {
    return epochText;
  }

  /**
   * Begins a stream of a source with offsets. Unless it is the first one, a gap follows, which no
   * replay crosses: entries are removed. Snapshots keep only messages that the source still has.
   *
   * @param start place of the latest message before those that the log will have
   * @param random lower half of the epoch; the upper one is the number of the stream
   */
  public void beginStream(StreamPlace start, long random) {
    boolean isOther = places != null && places.stream != start.stream();
    PartitionOffsets kept = new PartitionOffsets(start);
    clear(entry -> isOther || kept.isBefore(entry.message().identity()));
    begin(new SourcePlaces(this, start), random);
  }

  /**
   * Begins the log of another node likewise. Messages for snapshots are those that it has, in its
   * order.
   */
  public void beginCopy(StreamPlace start, long random) {
    clear(any -> true);
    begin(new SourcePlaces(this, start), random);
  }

  /** Removes all entries, and some messages for snapshots. */
  private void clear(Predicate<LogEntry> outdated) {
    if (places != null) {
      newest.removeIf(outdated);
      while (first <= last) {
        removeFirst();
      }
      accountOthers();
    }
  }

  private void begin(SourcePlaces begun, long random) {
    if (last == 0) {
      first = STREAM_START + 1;
      last = STREAM_START;
    }
    epoch = Lineage.epoch(begun.stream, random);
    epochText.set(epoch, site());
    places = begun;
  }

  /** Returns whether the source has offsets. */
  public boolean hasPlaces() {
    return places != null;
  }

  /** Returns the place of a position of a stream, from any node; null for any other position. */
  public PartitionOffsets placeOf(Start.Position position, int stream) {
    boolean isOfStream =
        Lineage.number(position.epoch()) == stream && position.site().equals(site());
    return isOfStream ? places.of(position.ids()) : null;
  }

  /** Returns whether a place may be that of a message which the source has removed. */
  public boolean isAmbiguous(PartitionOffsets place) {
    return places.isAmbiguous(place);
  }

  /** Returns the place before the log's range. */
  public StreamPlace base() {
    return places.base();
  }

  /** Returns the place of the latest message; null if the source has no offsets. Its writer. */
  public StreamPlace latestPlace() {
    return places == null ? null : places.latest();
  }

  /**
   * Returns the messages after a client's place of a stream, up to an offset. Null if the log no
   * longer has all of them, or lacks a message of the place, which the source must confirm.
   */
  public List<LogEntry> after(PartitionOffsets place, int stream, long upTo) {
    SourcePlaces present = places; // an event loop may be behind the beginning of another stream
    return present.stream == stream ? present.after(place, upTo) : null;
  }

  /** Returns those of some messages of the stream that this log lacks. */
  public Set<Long> lacked(Set<Long> ids) {
    return places.lacked(ids);
  }

  /** Returns all messages after the base. Called by the log's writer. */
  public List<LogEntry> afterBase() {
    return places.after(new PartitionOffsets(places.base()), last); // each of which is at the base
  }

  /**
   * Returns entries for messages that the source has stored, followed by messages that the log has
   * or had. The offsets of the former are below those of the latter.
   *
   * @param channels returns the channel of a topic, or null if no number is left
   * @return null without a channel
   */
  public List<LogEntry> withEarlier(
      List<Message> messages,
      List<LogEntry> later,
      long nowMs,
      Function<String, Channel> channels) {
    List<LogEntry> entries = new ArrayList<>(messages.size() + later.size());
    long offset = (later.isEmpty() ? last + 1 : later.get(0).offset()) - messages.size();
    for (Message message : messages) {
      entries.add(LogEntry.message(message, channels.apply(message.topic()), offset++, nowMs));
    }
    for (LogEntry entry : later) { // its channel may have been retired after its eviction
      Channel channel = channels.apply(entry.message().topic());
      entries.add(
          channel == entry.channel()
              ? entry
              : LogEntry.message(entry.message(), channel, entry.offset(), entry.arrivedMs()));
    }
    return entries.stream().anyMatch(entry -> entry.channel() == null) ? null : entries;
  }

  /** Sets the counter of a pattern's topics. Called before the first message. */
  public void counter(TopicCounter ofPattern) {
    counter = ofPattern;
  }

  /** Marks the log as complete since a time: every message published later arrives. */
  public void completeSince(long timeMs) {
    completeSinceMs = timeMs;
  }

  /** Records that the consumer of a log that is not durable has become active. */
  public void opened(long timeMs) {
    openedMs = timeMs;
  }

  /**
   * Records the age of the next message, which is late by design. The broker may have assigned
   * others as old to its consumers before it had this one.
   */
  public void recordDelay(long ageMs) {
    if (ageMs > delayMs) {
      delayMs = ageMs;
    }
  }

  /**
   * Records that the log lacks a message which other consumers received by a time. A client of
   * another node may lack it, too, and have no gap yet.
   */
  public void recordLacked(long deliveredMs) {
    lackedUntilMs = Math.max(lackedUntilMs, deliveredMs);
    overtookMs = Math.max(overtookMs, deliveredMs);
  }

  /** Records the rank of a message that the log does not contain. */
  public void lowerRank(int rank) {
    if (rank < lowestRank) {
      if (messages > 0) { // all messages so far may have overtaken it
        overtookMs = latestMs;
      }
      lowestRank = rank;
    }
  }

  /** Returns whether messages that the broker stored during an outage continue this log. */
  public boolean isContinued() {
    return lineage != null || places != null;
  }

  /** Marks a durable log as late: the broker may have accepted messages long before they arrive. */
  public void markLate() {
    durable = true;
    onTimeSinceMs = Long.MAX_VALUE;
  }

  /** Marks a backlog of the consumer: arrival times are not comparable with another node's. */
  public void markLagging() {
    onTimeSinceMs = Long.MAX_VALUE;
  }

  /**
   * Records the lag of the next message behind its acceptance by the broker.
   *
   * @param minLagMs lower bound of the lag
   */
  public void recordLag(long minLagMs, long arrivedMs) {
    boolean evicted = arrivedMs - limits.ageMs() > laggedUntilMs;
    lagMs = evicted ? minLagMs : Math.max(lagMs, minLagMs);
    laggedUntilMs = arrivedMs;
  }

  /**
   * Returns whether {@link #evict} may have something to evict. Any thread may call it; it may see
   * a change late.
   */
  public boolean mayEvict(long nowMs) {
    LogEntry oldest = at(first);
    return oldest != null && oldest.arrivedMs() < nowMs - limits.ageMs()
        || memory.isOverShare(bytes + otherBytes);
  }

  /** Marks that messages arrive when the broker accepts them, from a time on. */
  public void markOnTime(long sinceMs) {
    onTimeSinceMs = sinceMs;
  }

  /**
   * Copies the messages of a topic or pattern from another log into this empty one. The writer of
   * both logs calls it. Messages that the source retains for snapshots only come first, followed by
   * a gap marker. An evicted loss of the source stays between older and newer ones.
   *
   * @param channels returns the channel of a topic, or null if no number is left
   */
  public void copyFrom(
      TopicLog source, String pattern, long random, Function<String, Channel> channels) {
    copyEvidence(source, random);
    isCopying = true;
    long start = last;
    List<LogEntry> retained = source.newest.retained(pattern);
    copyRetained(retained, source.evictedLoss(), start, channels);
    completeSinceMs = source.completeSinceMs; // after that of the loss
    // Messages between the retained ones are missing, and so are later ones that no snapshot has.
    boolean gapPending =
        retained.size() > 1 || !retained.isEmpty() && source.isSnapshotIncomplete();
    boolean isWhole = true;
    for (LogEntry entry : source.entries(pattern)) {
      if (entry.isGap()) {
        appendGap(entry.gapReason(), entry.arrivedMs());
      } else {
        if (gapPending || retained.size() == 1 && last == start + 1) {
          appendMarker(GapReason.OVERLOAD, source.completeSinceMs);
          gapPending = false;
        }
        isWhole &= copy(entry, channels);
      }
    }
    if (gapPending) {
      appendMarker(GapReason.OVERLOAD, source.completeSinceMs);
    }
    isCopying = false;
    if (places != null && !isWhole) {
      places.onGap();
    }
  }

  /**
   * Starts this empty log behind the latest message of another one, as if its consumer had become
   * active now. The writer of both logs calls it.
   */
  public void startBehind(TopicLog source, long nowMs, long random) {
    copyEvidence(source, random);
    if (places != null) {
      places.onGap();
    }
    completeSinceMs = nowMs;
    openedMs = nowMs;
  }

  private void copyEvidence(TopicLog source, long random) {
    if (source.places != null) {
      begin(source.places.copyFor(this), random);
    }
    completeSinceMs = source.completeSinceMs;
    onTimeSinceMs = source.onTimeSinceMs;
    lagMs = source.lagMs;
    laggedUntilMs = source.laggedUntilMs;
    durable = source.durable;
    openedMs = source.openedMs;
    delayMs = source.delayMs;
    lackedUntilMs = source.lackedUntilMs;
    overtookMs = source.overtookMs;
    lowerRank(source.lowestRank);
  }

  private LogEntry evictedLoss() {
    LogEntry loss = latestLoss;
    return loss == null || loss.offset() >= first ? null : loss;
  }

  private void copyRetained(
      List<LogEntry> retained,
      LogEntry evictedLoss,
      long start,
      Function<String, Channel> channels) {
    LogEntry loss = evictedLoss;
    for (LogEntry entry : retained) {
      if (loss != null && entry.offset() > loss.offset()) {
        copyLoss(loss, start);
        loss = null;
      }
      copy(entry, channels);
    }
    if (loss != null) {
      copyLoss(loss, start);
    }
  }

  private void copyLoss(LogEntry loss, long start) {
    if (last > start) {
      appendGap(loss.gapReason(), loss.arrivedMs());
    }
  }

  /** Returns the messages of a topic or pattern and the gap markers between them, in order. */
  private List<LogEntry> entries(String pattern) {
    List<LogEntry> found = new ArrayList<>();
    if (TopicPattern.isPattern(pattern)) {
      for (long offset = first; offset <= last; offset++) {
        LogEntry entry = at(offset);
        if (entry.isGap() || TopicPattern.covers(pattern, entry.message().topic())) {
          found.add(entry);
        }
      }
    } else {
      index().offsets(pattern, first).forEach(offset -> found.add(at(offset)));
    }
    return found;
  }

  // Created on demand, because most logs are never copied.
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

  /** Copies a message; returns false if a gap stands for it. */
  private boolean copy(LogEntry entry, Function<String, Channel> channels) {
    Channel channel = channels.apply(entry.message().topic());
    if (channel == null) {
      appendGap(GapReason.OVERLOAD, entry.arrivedMs());
    } else {
      append(entry.message(), channel, entry.arrivedMs(), entry.rank());
    }
    return channel != null;
  }

  /** Appends a message of the default rank. */
  public LogEntry append(Message message, Channel channel, long nowMs) {
    return append(message, channel, nowMs, LogEntry.DEFAULT_RANK);
  }

  /**
   * Appends a message and evicts entries above the limits.
   *
   * @param rank JMS priority, or {@link LogEntry#OVERTAKING}
   */
  public LogEntry append(Message message, Channel channel, long nowMs, int rank) {
    lowerRank(rank);
    LogEntry entry = LogEntry.message(message, channel, last + 1, nowMs, rank);
    messages++;
    messageBytes += message.payload().length;
    latestMs = entry.arrivedMs();
    if (rank > lowestRank) {
      overtookMs = Math.max(overtookMs, entry.arrivedMs());
    }
    if (!message.isIdentified()) {
      unidentified = entry.offset();
    }
    if (counter != null) {
      counter.onLogged(message.topic());
    }
    storeNewest(entry);
    add(entry);
    if (places != null) {
      places.onAppended(message.identity());
    }
    return entry;
  }

  /** Records the identity of a lost message, before the marker. */
  public void lost(long identity) {
    if (places != null) {
      places.onAppended(identity);
    }
  }

  /** Appends the marker of a loss, which no replay crosses, and returns its offset. */
  public long appendGap(GapReason reason, long nowMs) {
    latestLoss = LogEntry.gap(reason, last + 1, nowMs);
    return appendMarker(latestLoss);
  }

  /** Leaves out an offset of the empty log for a loss: readers behind it report a gap. */
  public void skip(GapReason reason, long nowMs) {
    gaps++;
    latestLoss = LogEntry.gap(reason, last + 1, nowMs);
    last = latestLoss.offset();
    first = last + 1;
  }

  /** Appends a marker of messages that only replays lack. */
  private void appendMarker(GapReason reason, long nowMs) {
    appendMarker(LogEntry.gap(reason, last + 1, nowMs));
  }

  private long appendMarker(LogEntry entry) {
    gaps++;
    gapEntries++;
    completeSinceMs = entry.arrivedMs();
    if (places != null && !isCopying) {
      places.onGap();
    }
    add(entry);
    return entry.offset();
  }

  private void storeNewest(LogEntry entry) {
    if (limits.messages() > 0 && !newest.add(entry)) {
      memory.onLeftOut();
    }
  }

  private void add(LogEntry entry) {
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
    AtomicReferenceArray<LogEntry> old = ring;
    AtomicReferenceArray<LogEntry> larger = new AtomicReferenceArray<>(old.length() * 2);
    for (long offset = first; offset <= last; offset++) {
      larger.set(slot(larger, offset), old.get(slot(old, offset)));
    }
    ring = larger;
    if (index != null) {
      index.resize(larger.length(), first, last);
    }
  }

  // The length is a power of two.
  private static int slot(AtomicReferenceArray<LogEntry> ring, long offset) {
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

  /** Evicts entries above the limits of age, number and memory. */
  public void evict(long nowMs) {
    while (first <= last && exceedsLimits(nowMs)) {
      removeFirst();
    }
    accountOthers();
    while (memory.isOverShare(bytes + otherBytes) && evictOldest()) {
      accountOthers();
    }
  }

  private boolean exceedsLimits(long nowMs) {
    return last + 1 - first > limits.messages()
        || bytes > limits.bytes()
        || at(first).arrivedMs() < nowMs - limits.ageMs();
  }

  // From the larger part: neither snapshots nor replays lose all of their memory to the other.
  private boolean evictOldest() {
    if (bytes >= otherBytes && first <= last || !discardRetained()) {
      if (first > last) {
        return false;
      }
      removeFirst();
    }
    return true;
  }

  private boolean discardRetained() {
    boolean discarded = newest.discardOldest();
    if (discarded) {
      memory.onLeftOut();
    }
    return discarded;
  }

  private void removeFirst() {
    LogEntry removed = at(first);
    // Before the removal, so that no reader misses the entry in a log that seems complete.
    completeSinceMs = Math.max(completeSinceMs, removed.arrivedMs());
    if (places != null && !removed.isGap()) {
      places.onEvicted(removed.message().identity());
    }
    ring.set(slot(ring, first), null);
    first++;
    account(-removed.size());
    removed.uncacheFrames();
    if (index != null) {
      index.removeFirst(removed);
    }
    if (removed.isGap()) {
      gapEntries--;
    } else if (!newest.onEvicted(removed)) {
      onDiscarded(removed);
    }
  }

  private void onDiscarded(LogEntry discarded) {
    if (counter != null) {
      counter.onDiscarded(discarded.message().topic());
    }
  }

  /** Returns the log's memory to the budget and removes its frames from the cache. */
  public void close() {
    for (long offset = first; offset <= last; offset++) {
      at(offset).uncacheFrames();
    }
    newest.forEachRetained(LogEntry::uncacheFrames);
    memory.closed(bytes + otherBytes);
  }

  /** Returns the log's figures. Any thread may call it; it may see a change late. */
  public LogFigures figures() {
    long logMessages = Math.max(0, last + 1 - first - gapEntries);
    LogEntry oldest = oldestMessage();
    long oldestMs = oldest == null ? latestMs : oldest.arrivedMs();
    return new LogFigures(messages, messageBytes, gaps, logMessages, bytes, oldestMs, latestMs);
  }

  private LogEntry oldestMessage() {
    long offset = first;
    LogEntry entry = at(offset);
    while (entry != null && entry.isGap()) {
      offset++;
      entry = at(offset);
    }
    return entry;
  }

  /** Returns the offset of the latest entry; 0 if there was none yet. */
  public long last() {
    return last;
  }

  /** Returns the entry at an offset, or null if the log does not contain it. */
  public LogEntry at(long offset) {
    AtomicReferenceArray<LogEntry> entries = ring;
    LogEntry entry = entries.get(slot(entries, offset));
    return entry != null && entry.offset() == offset ? entry : null;
  }

  /** Returns the maximum number of topics or keys whose newest message is stored. */
  public int maxKeys() {
    return limits.keys();
  }

  /** Returns whether snapshots lack the newest message of a topic or key. */
  boolean isSnapshotIncomplete() {
    return newest.isIncomplete();
  }

  /**
   * Returns whether the newest message of a topic or key is stored, as long as {@code
   * history.memory} permits.
   */
  public boolean hasNewest(String key) {
    return newest.has(key);
  }

  /** Returns the newest message of each topic or key up to an offset, ordered by offset. */
  public List<LogEntry> snapshot(long upTo) {
    return newest.upTo(upTo);
  }

  /**
   * Returns the reason of the latest loss after an offset up to another, or null. Newest messages
   * from before a loss may be outdated. It may return a loss above {@code upTo} while a shard is
   * behind the log.
   */
  public GapReason lossBetween(long after, long upTo) {
    LogEntry loss = latestLoss;
    if (loss == null || loss.offset() <= after) {
      return null;
    }
    for (long offset = upTo; loss.offset() > upTo && offset > after; offset--) {
      LogEntry entry = at(offset);
      if (entry == null || entry.isGap()) { // an evicted one is unknown
        return entry == null ? loss.gapReason() : entry.gapReason();
      }
    }
    return loss.offset() <= upTo ? loss.gapReason() : null;
  }

  /** Returns whether the log has all messages after an offset up to another, without a gap. */
  public boolean hasRange(long after, long upTo) {
    for (long offset = after + 1; offset <= upTo; offset++) {
      LogEntry entry = at(offset);
      if (entry == null || entry.isGap()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the messages after an offset up to another. Returns null if the range is incomplete or
   * {@code after} is -1.
   */
  public List<LogEntry> range(long after, long upTo) {
    if (after < 0) {
      return null;
    }
    List<LogEntry> found = new ArrayList<>((int) (upTo - after));
    for (long offset = after + 1; offset <= upTo; offset++) {
      LogEntry entry = at(offset);
      if (entry == null || entry.isGap()) {
        return null;
      }
      found.add(entry);
    }
    return found;
  }

  /** Returns the offset before the latest {@code count} messages, or before fewer after a gap. */
  public long offsetBeforeLatest(int count, long upTo) {
    long offset = upTo;
    for (int found = 0; found < count; found++) {
      LogEntry entry = at(offset);
      if (entry == null || entry.isGap()) {
        break;
      }
      offset--;
    }
    return offset;
  }

  /**
   * Returns the offset after which a replay for a position starts. Returns -1 if the replay would
   * lack messages that the client missed up to {@code upTo}, or exceed the overlap.
   *
   * @param clock converts the times of the position, which another node may have assigned
   * @param provenMs time up to which delivery by the broker is proven
   * @param identified whether identities are equal on all nodes
   */
  public long resume(
      Start.Position position, long upTo, HubClock clock, long provenMs, boolean identified) {
    if (position.epoch() == epoch) { // exact: nothing else is better evidence
      return resumeSameEpoch(position, upTo);
    }
    if (places != null) {
      return -1; // a position of another stream
    }
    if (!position.site().equals(site()) || isOfFuture(position, clock)) {
      return -1;
    }
    boolean sameLineage = lineage != null && lineage.hasEpoch(position.epoch());
    long after = sameLineage ? resumeInLineage(position, upTo) : -1;
    boolean comparable = sameLineage || identified && at(unidentified) == null;
    if (after >= 0 || position.sinceMs() == 0 || !comparable) {
      return after;
    }
    long comparableMs = Math.max(clock.toMono(position.sinceMs()), clock.comparableSinceMs());
    long sinceMs = comparableMs + limits.marginMs();
    if (!sameLineage) {
      after = resumeAfterIdentity(position, upTo, sinceMs, clock);
    }
    // A lagging node would send messages again whose identities the client no longer remembers.
    long timeMs = clock.toMono(position.timeMs()) - limits.marginMs();
    boolean proven = sameLineage || timeMs + (durable ? 2 * limits.marginMs() : 0) <= provenMs;
    if (after < 0 && position.timeMs() > 0 && proven) {
      after = isAfterStart(timeMs, sinceMs) ? resumeSince(timeMs, upTo, sameLineage) : -1;
    }
    return after;
  }

  // No node has issued it, unless a clock was set back: its times are then not comparable.
  private boolean isOfFuture(Start.Position position, HubClock clock) {
    long latestMs = Math.max(position.timeMs(), position.sinceMs());
    return !clock.isReached(latestMs, limits.marginMs());
  }

  // The broker accepted a late message earlier than its arrival, by at most the lag.
  private boolean isAfterStart(long timeMs, long sinceMs) {
    long startMs = timeMs <= laggedUntilMs ? sinceMs + lagMs : sinceMs;
    return timeMs >= startMs;
  }

  // The order of a lineage is the same in all its logs. Only the client's latest message counts: an
  // interrupted replay may have moved the client back, so that older identities come after it.
  private long resumeInLineage(Start.Position position, long upTo) {
    long offset = position.ids().length == 0 ? -1 : upTo;
    for (LogEntry entry = at(offset); entry != null && !entry.isGap(); entry = at(offset)) {
      if (position.latestId() == entry.message().identity()) {
        return offset;
      }
      offset--;
    }
    return -1;
  }

  /** Returns the site of the broker. */
  public Site site() {
    return limits.site();
  }

  /** Returns the same as {@link #resume}, but -1 for a position of another epoch. */
  public long resumeSameEpoch(Start.Position position, long upTo) {
    boolean issued = position.epoch() == epoch && position.offset() <= last;
    if (!issued || !position.site().equals(site())) {
      return -1;
    }
    // A client from a shard that was ahead of this one receives a few messages twice.
    long after = Math.min(position.offset(), upTo);
    for (long next = upTo; next > after; next--) {
      LogEntry entry = at(next);
      if (entry == null || entry.isGap()) {
        return -1;
      }
    }
    return after;
  }

  // Messages of one rank reach the client in order. Those of a lower rank that the client lacks are
  // in this log, or will arrive. Those of a higher rank may be out of order by the lag of this log.
  private long resumeAfterIdentity(
      Start.Position position, long upTo, long sinceMs, HubClock clock) {
    int lowest = lowestRank;
    for (long offset = upTo; ; offset--) {
      LogEntry entry = at(offset);
      if (entry == null || entry.isGap()) {
        return -1;
      }
      if (entry.rank() <= lowest && position.hasId(entry.message().identity())) {
        long timeMs = entry.arrivedMs() - limits.spreadMs();
        long lackedMs = lackedSinceMs(position, clock);
        // Of those that overtook others, the client may lack any since then, or have received it
        // before all others.
        boolean overtaken = overtookMs >= Math.max(lackedMs, timeMs - maxLagMs(timeMs));
        long startMs = overtaken ? Math.min(lackedMs, timeMs) : timeMs;
        boolean covered = isAfterStart(startMs, sinceMs) && hasAllRanks(position, timeMs, clock);
        return covered ? resumeSince(startMs, overtaken ? upTo : offset, false) : -1;
      }
    }
  }

  // A lag that is not detected is shorter than the margin.
  private long maxLagMs(long timeMs) {
    return limits.marginMs() + (timeMs <= laggedUntilMs ? lagMs : 0);
  }

  // The client may lack only messages since its time, or else since its start. A client of a fast
  // topic omits the time; its messages are assumed to be late by less than the lag that is allowed.
  private boolean hasAllRanks(Start.Position position, long startMs, HubClock clock) {
    return openedMs < lackedSinceMs(position, clock)
        || position.timeMs() == 0 && openedMs < startMs - UNPROVEN_MARGINS * limits.marginMs();
  }

  private long lackedSinceMs(Start.Position position, HubClock clock) {
    long provenMs = position.timeMs() > 0 ? position.timeMs() : position.sinceMs();
    long lackedMs = clock.toMono(provenMs) - limits.marginMs();
    return lackedMs > clock.comparableSinceMs() ? lackedMs : ALWAYS;
  }

  // The broker may have published a message before it had this consumer, and deliver it to others.
  private boolean isSettled(long timeMs) {
    return lackedUntilMs < timeMs
        && (openedMs == ALWAYS || openedMs + delayMs + limits.marginMs() < timeMs);
  }

  // Returns the offset before the first message that arrived at this time or later, or -1.
  private long resumeSince(long timeMs, long upTo, boolean sameLineage) {
    int maxMessages = limits.overlap() / 2;
    long offset = upTo;
    for (LogEntry entry = at(offset); entry != null; entry = at(offset)) {
      if (entry.isGap() || entry.arrivedMs() < timeMs) {
        break;
      }
      if (upTo - offset == maxMessages) {
        return -1;
      }
      offset--;
    }
    // The arrival time of a late message is not comparable with its arrival at another node.
    boolean comparable = sameLineage || onTimeSinceMs < timeMs && isSettled(timeMs);
    return comparable && completeSinceMs < timeMs ? offset : -1;
  }
}
