package io.sluice.gateway.history;

import io.sluice.gateway.broker.StreamPlace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Places of a log whose source has offsets. The log has every message of the stream after its base.
 * The log's writer changes them; any thread may read.
 */
final class SourcePlaces {
  /** Number of the stream, in the upper half of the log's epoch. */
  final int stream;

  private final TopicLog log;
  private volatile PartitionOffsets base;
  private final PartitionOffsets latest;

  /** See {@link StreamPlace}. */
  private final long[] reused;

  private final boolean whole;

  SourcePlaces(TopicLog log, StreamPlace start) {
    this(
        log,
        start.stream(),
        new PartitionOffsets(start),
        new PartitionOffsets(start),
        start.reused(),
        start.whole());
  }

  private SourcePlaces(
      TopicLog log,
      int stream,
      PartitionOffsets base,
      PartitionOffsets latest,
      long[] reused,
      boolean whole) {
    this.log = log;
    this.stream = stream;
    this.base = base;
    this.latest = latest;
    this.reused = reused;
    this.whole = whole;
  }

  /** Returns a copy for the log of an interest that another one feeds. */
  SourcePlaces copyFor(TopicLog fed) {
    return new SourcePlaces(fed, stream, base.copy(), latest.copy(), reused, false);
  }

  /** Records a message of the log. */
  void onAppended(long id) {
    latest.raise(id);
  }

  /** Records a message that the log removes. Called before it is gone. */
  void onEvicted(long id) {
    base.raise(id);
  }

  /** Records a loss: the log has the messages after it only. */
  void onGap() {
    base = latest.copy();
  }

  /** Returns the place before the log's range. */
  StreamPlace base() {
    return place(base);
  }

  /** Returns the place of the latest message. Called by the writer. */
  StreamPlace latest() {
    return place(latest);
  }

  private StreamPlace place(PartitionOffsets offsets) {
    return new StreamPlace(stream, offsets.place(stream).ids(), reused, whole);
  }

  /** Returns the offsets of a client's identities. */
  PartitionOffsets of(long[] ids) {
    return latest.ofClient(ids);
  }

  /** Returns whether a place may be that of a message which no longer exists. */
  boolean isAmbiguous(PartitionOffsets place) {
    for (int i = 0; i < reused.length; i += 2) {
      if (place.isWithin(reused[i], reused[i + 1])) {
        return true;
      }
    }
    return false;
  }

  /** Returns those of some messages that the log lacks, which the source must confirm. */
  Set<Long> lacked(Set<Long> ids) {
    Set<Long> unknown = new HashSet<>(ids);
    for (long offset = log.last(); !unknown.isEmpty(); offset--) {
      LogEntry entry = log.at(offset);
      if (entry == null || entry.isGap()) {
        break;
      }
      unknown.remove(entry.message().identity());
    }
    PartitionOffsets start = base; // last: an entry that was evicted above is in it
    unknown.removeIf(start::isAt);
    return unknown;
  }

  /**
   * Returns the messages of the log after a client's place, up to an offset of the log. Null if the
   * log no longer has all of them, or lacks a message of the place, which the source must confirm.
   */
  List<LogEntry> after(PartitionOffsets from, long upTo) {
    List<LogEntry> found = new ArrayList<>();
    Set<Long> unknown = from.ids();
    for (long offset = upTo; ; offset--) {
      LogEntry entry = log.at(offset);
      if (entry == null || entry.isGap()) {
        break;
      }
      long id = entry.message().identity();
      if (from.isBefore(id)) {
        found.add(entry);
      } else {
        unknown.remove(id);
      }
    }
    PartitionOffsets start = base; // last: an entry that was evicted above is in it
    unknown.removeIf(start::isAt);
    if (!from.reaches(start) || !unknown.isEmpty()) {
      return null;
    }
    Collections.reverse(found);
    return found;
  }
}
