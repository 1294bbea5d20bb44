package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.history.RecentIdentities;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.gateway.store.TopicStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Write-ahead intake of a durable interest. It stores messages in the journal before they are
 * sequenced, drops redelivered duplicates, and reports lateness. Called on the control thread and
 * on the threads of the interest's consumers; a new consumer may start before the old one has
 * returned. Its lock serializes the calls and is held during disk I/O.
 *
 * <p>Caught-up times and other nodes' positions refer to the time at which the broker accepted a
 * message. While the interest consumes a backlog, or its disk is slow, messages arrive later: the
 * interest is <em>late</em>. It is on time again under two conditions: the backlog is consumed, and
 * during one spread every message arrived within half a spread after the broker accepted it.
 */
final class DurableIntake implements DurableListener {
  private static final Logger log = LoggerFactory.getLogger(DurableIntake.class);

  /** Interval of eviction from the journal while no message arrives. */
  private static final long EVICT_MS = 60_000;

  private static final long NEVER = Long.MIN_VALUE;

  /** Odd multiplier that scatters identities. */
  private static final long MIXER = 0x9e3779b97f4a7c15L;

  /** Bit of the identities of the journal's messages that no redelivery has again. */
  private static final long UNIDENTIFIED = 1;

  private final Hub hub;
  private final Interest interest;
  private final TopicStore journal;
  private final long spreadMs;
  private final LatencyRecorder syncs;
  private final RecentIdentities recent = newIdentities();

  /** Hashes of the payloads of the same messages. A publisher's second attempt has a later time. */
  private final RecentIdentities contents = newIdentities();

  /** Identities that the current consumer has received first. */
  private RecentIdentities consumed = newIdentities();

  /** Identities that an earlier consumer has received, and the current one again. */
  private RecentIdentities redelivered = newIdentities();

  /** Arrival time before which the journal may have evicted messages. */
  private long evictedMs = NEVER;

  /** True once messages of one topic have had equal ids, or none, also in the journal. */
  private boolean repeats;

  /** An entry in the journal with its place in the order of delivery. */
  private record Unsequenced(StoredMessage entry, DeliveryInfo delivery, MessageFields fields) {}

  /** Entries in the journal that have not been passed to the sequencer. */
  private final Queue<Unsequenced> unsequenced = new ArrayDeque<>();

  /** The arrivals being stored; null if there are none. */
  private List<Arrival> current;

  /** Number of messages of {@link #current} that are in the journal. */
  private int storedCount;

  /** True if clients may have positions from before this consumer. */
  private boolean hasHistory;

  /** True once a message arrived that the broker does not store over a restart. */
  private boolean volatileSeen;

  /** True if messages were lost and the journal has no gap marker yet. */
  private boolean gapPending;

  /** True if messages were lost during the disconnection. */
  private boolean lost;

  /** Number of the latest consumer. */
  private long consumer;

  private boolean failing;
  private long lateMs;
  private long syncedMs;
  private long roundMs = NEVER;

  /** Time before which all arrivals have been passed on; {@link #NEVER} while it is late. */
  private volatile long passedMs = NEVER;

  private boolean onTime;

  DurableIntake(Hub hub, Interest interest, TopicStore journal, long spreadMs) {
    this.hub = hub;
    this.interest = interest;
    this.journal = journal;
    this.spreadMs = spreadMs;
    this.syncs = hub.metrics().journalSyncRecorder();
    this.hasHistory = journal.recovery().outcome() != Recovery.Outcome.CREATED;
    hub.metrics().durableLate(1);
  }

  private static RecentIdentities newIdentities() {
    return new RecentIdentities(HubLimits.REDELIVERY_WINDOW);
  }

  /** Fills the interest's log from the journal. Called before the consumer is active. */
  void restore(int maxMessages) throws StoreFailure {
    int count = Math.max(maxMessages, HubLimits.REDELIVERY_WINDOW);
    List<StoredMessage> stored = journal.read(journal.offsetOfLatest(count), count);
    if (stored.size() < journal.appended()) {
      evictedMs = stored.isEmpty() ? wallMs() : stored.get(0).arrivalMs();
    }
    for (StoredMessage entry : stored) {
      if (entry.message() != null) {
        recent.add(entry.message().identity());
        contents.add(contentOf(entry.message()));
        volatileSeen |= !entry.persistent();
        repeats |= isUnidentified(entry.message().identity());
      }
    }
    interest.restore(stored.subList(Math.max(0, stored.size() - maxMessages), stored.size()));
  }

  @Override
  public synchronized boolean onReconnected(RetainedMessages retained) {
    consumer++; // the broker redelivers what the last consumer has not acknowledged
    consumed = newIdentities();
    redelivered = newIdentities();
    boolean complete = retained.persistent() && (retained.nonPersistent() || !volatileSeen);
    boolean lostNow = hasHistory && !complete;
    lost |= lostNow; // an earlier return may not have become active
    gapPending |= lostNow;
    hasHistory = true;
    return !gapPending || store(List.of());
  }

  @Override
  public synchronized long onActive() {
    markLate();
    roundMs = NEVER;
    interest.onReturned(lost);
    lost = false;
    return consumer;
  }

  private void markLate() {
    lateMs = nowMs();
    passedMs = NEVER;
    if (onTime) {
      onTime = false;
      interest.markLate();
      hub.metrics().durableLate(1);
    }
  }

  @Override
  public synchronized void onRound(long number, boolean drained) {
    if (number != consumer) {
      return;
    }
    long nowMs = nowMs();
    if (!onTime && drained && nowMs - lateMs >= spreadMs) {
      onTime = true;
      interest.markOnTime(nowMs);
      hub.metrics().durableLate(-1);
    }
    passedMs = onTime ? roundMs : NEVER;
    roundMs = nowMs;
    if (nowMs - syncedMs >= EVICT_MS) {
      store(List.of());
    }
  }

  /** Returns whether all messages received up to a time have been passed on. */
  boolean hasPassed(long timeMs) {
    return passedMs > timeMs;
  }

  @Override
  public synchronized boolean onArrivals(long number, List<Arrival> arrivals) {
    if (number != consumer || interest.isFull()) {
      return false;
    }
    if (arrivals.stream().anyMatch(this::isLate)) {
      markLate();
    }
    return store(arrivals);
  }

  // Includes redelivered messages, because the backlog behind them is still to be consumed. Half of
  // the spread allows for the reordering of publishers.
  private boolean isLate(Arrival arrival) {
    Message message = arrival.message();
    if (message == null) {
      return false;
    }
    if (message.timeMs() > 0) {
      return message.timeMs() < wallMs() - spreadMs / 2;
    }
    long sequence = arrival.delivery().sequence();
    return sequence == Broker.NO_SEQUENCE
        || interest.source().watermark().lagMs(sequence, nowMs()) > spreadMs / 2;
  }

  private void passOn() {
    for (Unsequenced next = unsequenced.poll(); next != null; next = unsequenced.poll()) {
      Message message = next.entry.message();
      if (message == null) {
        interest.onLost(next.entry.gapReason(), next.delivery, next.fields);
      } else {
        interest.onStored(message, next.delivery, next.fields);
      }
    }
  }

  private boolean store(List<Arrival> arrivals) {
    long startNs = System.nanoTime();
    try {
      if (gapPending) { // clients are notified of it when the consumer is active
        journal.append(StoredMessage.gap(journal.nextOffset(), wallMs(), GapReason.BROKER_LOST));
        gapPending = false;
      }
      if (arrivals != current) { // otherwise this is a retry
        current = arrivals;
        storedCount = 0;
      }
      for (; storedCount < arrivals.size(); storedCount++) {
        append(arrivals.get(storedCount));
      }
      journal.sync();
      current = null;
    } catch (StoreFailure e) {
      onFailure(e);
      return false;
    }
    syncs.record(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNs), 1);
    hub.onJournalSynced();
    syncedMs = nowMs();
    if (failing) {
      failing = false;
      hub.onJournal(interest.topic(), null);
    }
    passOn();
    return true;
  }

  private void append(Arrival arrival) throws StoreFailure {
    Message message = arrival.message();
    long offset = journal.nextOffset();
    if (message == null) {
      append(StoredMessage.gap(offset, wallMs(), arrival.loss()), arrival);
      return;
    }
    boolean again = message.isIdentified() && consumed.contains(message.identity());
    boolean known = message.isIdentified() && isStored(message.identity());
    boolean other = known && !contents.contains(contentOf(message)); // an id that repeats
    repeats |= other || again && !arrival.delivery().redelivered();
    if (known && !other && (!again || arrival.delivery().redelivered())) {
      onRedelivered(arrival, offset, again);
    } else if (known && !arrival.delivery().redelivered()) {
      appendUnidentified(arrival, offset); // a copy: a consumer receives a message once
    } else if (message.isIdentified() && !known) {
      boolean storedBefore = arrival.delivery().redelivered() && (repeats || isEvicted(message));
      if (storedBefore) {
        appendGap(arrival, offset);
      }
      append(
          arrival,
          interest.isRefuted() ? message.withIdentity(ofNode(message.identity())) : message,
          storedBefore ? offset + 1 : offset);
      recent.add(message.identity());
      consumed.add(message.identity());
    } else if (arrival.delivery().redelivered()) {
      appendGap(arrival, offset); // perhaps stored before, without an id or too long ago
      appendUnidentified(arrival, offset + 1);
    } else {
      appendUnidentified(arrival, offset);
    }
  }

  // Half of the spread allows for the difference of the clocks.
  private boolean isEvicted(Message message) {
    return evictedMs != NEVER && message.timeMs() - spreadMs / 2 <= evictedMs;
  }

  private boolean isStored(long identity) {
    return recent.contains(identity) || recent.contains(ofNode(identity));
  }

  private static long contentOf(Message message) {
    long hash = message.topic().hashCode() * MIXER;
    for (byte next : message.payload()) {
      hash = (hash ^ next) * MIXER;
    }
    return hash ^ hash >>> 32;
  }

  private static boolean isUnidentified(long identity) {
    return identity < 0 && (identity & UNIDENTIFIED) != 0;
  }

  // Redelivered messages have it again, also after a restart.
  private long ofNode(long identity) {
    return (Message.NO_IDENTITY | (identity ^ journal.epoch()) * MIXER) & ~UNIDENTIFIED;
  }

  // Of two copies with one id, the second may not have been stored. A consumer receives a message
  // once.
  private void onRedelivered(Arrival arrival, long offset, boolean again) throws StoreFailure {
    boolean first = redelivered.add(arrival.message().identity());
    if (!first || again || repeats) {
      appendGap(arrival, offset);
    }
    hub.metrics().dropped("repeated", 1);
  }

  private void appendGap(Arrival arrival, long offset) throws StoreFailure {
    append(StoredMessage.gap(offset, wallMs(), GapReason.BROKER_LOST), arrival);
  }

  private void appendUnidentified(Arrival arrival, long offset) throws StoreFailure {
    hub.onUnidentified(arrival.message());
    append(arrival, arrival.message().withIdentity(hub.localIdentity() | UNIDENTIFIED), offset);
  }

  private void append(Arrival arrival, Message message, long offset) throws StoreFailure {
    append(new StoredMessage(offset, wallMs(), message, null, arrival.persistent()), arrival);
    contents.add(contentOf(message));
    volatileSeen |= !arrival.persistent();
  }

  private void append(StoredMessage entry, Arrival arrival) throws StoreFailure {
    journal.append(entry);
    unsequenced.add(new Unsequenced(entry, arrival.delivery(), arrival.fields()));
  }

  private void onFailure(StoreFailure failure) {
    hub.metrics().journalFailed();
    hub.onJournal(interest.topic(), failure);
    if (!failing) {
      failing = true;
      log.atError()
          .addKeyValue("topic", interest.topic())
          .addKeyValue("until-then", "the broker stores the messages")
          .addKeyValue(
              "heals", failure.isCorruption() ? "at the next start of the node" : "automatically")
          .setCause(failure)
          .log("journal.failed");
    }
  }

  @Override
  public boolean needsFields() {
    return interest.needsFields();
  }

  @Override
  public void onRefused(ErrorCode code, String reason) {
    hub.onJournal(interest.topic(), null);
    if (!onTime) {
      hub.metrics().durableLate(-1);
    }
    interest.onRefused(code, reason);
  }

  private long wallMs() {
    return hub.clock().wallMs();
  }

  private long nowMs() {
    return hub.clock().monoMs();
  }
}
