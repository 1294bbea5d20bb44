package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.history.RecentIdentities;
import io.sluice.gateway.journal.JournalFailure;
import io.sluice.gateway.journal.Recovery;
import io.sluice.gateway.journal.StoredMessage;
import io.sluice.gateway.journal.TopicJournal;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Write-ahead intake of a durable interest: stores messages in the journal before anybody sees
 * them, drops those that the broker sends again, and tells when they come late. Called on the
 * control thread and on the threads of the interest's consumers, an old one of which may still be
 * busy when a new one begins; its lock keeps them apart and is held while the disk works.
 *
 * <p>What clients are told about being caught up, and what other nodes' positions mean here, goes
 * by the time at which the broker took a message. While this interest works off what the broker has
 * kept, or its disk is slow, that is not when it arrives: it is <em>late</em>. It is on time again
 * when what was kept has come, and for the spread nothing that the broker had taken more than half
 * of that before.
 */
final class DurableIntake implements DurableListener {
  private static final Logger log = LoggerFactory.getLogger(DurableIntake.class);

  /** How often the journal may drop what is too old where nothing arrives. */
  private static final long TIDY_MS = 60_000;

  private static final long NEVER = Long.MIN_VALUE;

  private final Hub hub;
  private final Interest interest;
  private final TopicJournal journal;
  private final long spreadMs;
  private final LatencyRecorder syncs;
  private final RecentIdentities recent = new RecentIdentities(HubLimits.REMEMBERED);

  /** In the journal, but nobody has seen them yet. */
  private final Queue<StoredMessage> unseen = new ArrayDeque<>();

  /** What is being made safe, and how many of it are in the journal; null if nothing is. */
  private List<Arrival> current;

  private int taken;

  /** Whether clients may know anything that came before. */
  private boolean hasPast;

  /** Whether a message came that the broker would not have kept over a restart. */
  private boolean volatileSeen;

  /** Whether messages were lost, and the journal does not say so yet. */
  private boolean lossOwed;

  /** Whether messages were lost while it was away. */
  private boolean lost;

  /** The number of the latest consumer. */
  private long consumer;

  private boolean failing;
  private long lateMs;
  private long tidiedMs;
  private long roundMs = NEVER;

  /** Everything that came before has been passed on; {@link #NEVER} while it is late. */
  private volatile long passedMs = NEVER;

  private boolean onTime;

  DurableIntake(Hub hub, Interest interest, TopicJournal journal, long spreadMs) {
    this.hub = hub;
    this.interest = interest;
    this.journal = journal;
    this.spreadMs = spreadMs;
    this.syncs = hub.metrics().journalSyncRecorder();
    this.hasPast = journal.recovery().outcome() != Recovery.Outcome.CREATED;
    hub.metrics().durableLate(1);
  }

  /** Fills the interest's log with what the journal has. Before it stands. */
  void restore(int most) throws JournalFailure {
    int count = Math.max(most, HubLimits.REMEMBERED);
    List<StoredMessage> stored = journal.read(journal.offsetOfLatest(count), count);
    for (StoredMessage entry : stored) {
      if (entry.message() != null) {
        recent.add(entry.message().identity());
        volatileSeen |= !entry.persistent();
      }
    }
    interest.restore(stored.subList(Math.max(0, stored.size() - most), stored.size()));
  }

  @Override
  public synchronized boolean onReconnected(RetainedMessages kept) {
    consumer++; // whatever the last one still has, the broker sends again
    boolean whole = kept.persistent() && (kept.nonPersistent() || !volatileSeen);
    boolean lostNow = hasPast && !whole;
    lost |= lostNow; // it may have come back before, and not stood
    lossOwed |= lostNow;
    hasPast = true;
    return !lossOwed || makeSafe(List.of());
  }

  @Override
  public synchronized long onActive() {
    late();
    roundMs = NEVER;
    interest.onReturned(lost);
    lost = false;
    return consumer;
  }

  private void late() {
    lateMs = nowMs();
    passedMs = NEVER;
    if (onTime) {
      onTime = false;
      interest.late();
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
      interest.onTime(nowMs);
      hub.metrics().durableLate(-1);
    }
    passedMs = onTime ? roundMs : NEVER;
    roundMs = nowMs;
    if (nowMs - tidiedMs >= TIDY_MS) {
      makeSafe(List.of());
    }
  }

  /** Whether everything that had been received at this time has been passed on. */
  boolean hasPassed(long timeMs) {
    return passedMs > timeMs;
  }

  @Override
  public synchronized boolean onArrivals(long number, List<Arrival> arrivals) {
    if (number != consumer || interest.isFull()) {
      return false;
    }
    if (arrivals.stream().anyMatch(this::isLate)) {
      late();
    }
    return makeSafe(arrivals);
  }

  // Also one that comes again: what was kept behind it is still to come. Half of the spread is for
  // the order of publishers.
  private boolean isLate(Arrival arrival) {
    Message message = arrival.message();
    return message != null && message.timeMs() > 0 && message.timeMs() < wallMs() - spreadMs / 2;
  }

  private void handOn() {
    for (StoredMessage entry = unseen.poll(); entry != null; entry = unseen.poll()) {
      Message message = entry.message();
      if (message == null) {
        interest.onMissed(entry.gapReason());
        continue;
      }
      interest.onStored(message);
    }
  }

  private boolean makeSafe(List<Arrival> arrivals) {
    long beganNs = System.nanoTime();
    try {
      if (lossOwed) { // which clients are told when the consumer stands
        journal.append(StoredMessage.gap(journal.nextOffset(), wallMs(), GapReason.BROKER_LOST));
        lossOwed = false;
      }
      if (arrivals != current) { // otherwise it is tried again
        current = arrivals;
        taken = 0;
      }
      for (; taken < arrivals.size(); taken++) {
        take(arrivals.get(taken));
      }
      journal.sync();
      current = null;
    } catch (JournalFailure e) {
      onFailure(e);
      return false;
    }
    syncs.record(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - beganNs), 1);
    hub.onJournalSynced();
    tidiedMs = nowMs();
    if (failing) {
      failing = false;
      hub.onJournal(interest.name, null);
    }
    handOn();
    return true;
  }

  private void take(Arrival arrival) throws JournalFailure {
    Message message = arrival.message();
    long offset = journal.nextOffset();
    if (message == null) {
      append(StoredMessage.gap(offset, wallMs(), arrival.loss()));
    } else if (!arrival.named() || !recent.contains(message.identity())) {
      append(new StoredMessage(offset, wallMs(), message, null, arrival.persistent()));
      recent.add(message.identity());
      volatileSeen |= !arrival.persistent();
    } else {
      hub.metrics().dropped("repeated", 1);
    }
  }

  private void append(StoredMessage entry) throws JournalFailure {
    journal.append(entry);
    unseen.add(entry);
  }

  private void onFailure(JournalFailure failure) {
    hub.metrics().journalFailed();
    hub.onJournal(interest.name, failure);
    if (!failing) {
      failing = true;
      log.atError()
          .addKeyValue("topic", interest.name)
          .addKeyValue("until-then", "the broker keeps the messages")
          .addKeyValue(
              "heals", failure.isCorruption() ? "at the next start of the node" : "by itself")
          .setCause(failure)
          .log("journal.failed");
    }
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    hub.onJournal(interest.name, null);
    if (!onTime) {
      hub.metrics().durableLate(-1);
    }
    interest.onRefused(code, why);
  }

  private long wallMs() {
    return hub.clock().wallMs();
  }

  private long nowMs() {
    return hub.clock().monoMs();
  }
}
