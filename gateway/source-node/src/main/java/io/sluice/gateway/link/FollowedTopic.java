package io.sluice.gateway.link;

import static java.lang.Boolean.FALSE;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.LogFigures;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.shard.RetiredChannels;
import io.sluice.gateway.shard.TopicUser;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Log that a root sends to a leaf: it reads the log behind a place, as far as the leaf has given
 * credit. Entries that the log evicts before they are sent are a gap of this leaf. The interest's
 * sequencer calls {@link TopicUser}; everything else is bound to the event loop of the link.
 */
final class FollowedTopic implements TopicUser, LinkGroup.RootLog {
  /** Entries of one topic that are sent in its turn. */
  private static final int TURN = 64;

  /** Time for which the leaf waits until the source has answered. */
  private static final long MAX_WAIT_MS = 10_000;

  /** Owner of the topic. Any thread. */
  interface Owner {
    /** Calls {@link #send} on the event loop of the link, once. */
    void wake(FollowedTopic topic);

    /** The topic was refused; nothing follows. */
    void onRefused(FollowedTopic topic, ErrorCode code, String why);

    /** Requests messages from the source; {@link FollowedTopic#readBack} is the answer. */
    void confirm(FollowedTopic topic, Set<Long> claimed);

    /** Requests those after a place, likewise. */
    void readBack(FollowedTopic topic, StreamPlace after, Set<Long> claimed);

    /** A request of the leaf to read messages back has ended. Event loop of the link. */
    void onReadEnd();

    /** An entry was sent over the link. Event loop of the link. */
    void onEntrySent();
  }

  private final LinkRecord.Open opened;
  private final String user;
  private final Owner owner;
  private final AtomicBoolean woken = new AtomicBoolean();

  /** Null until the interest is active. */
  private volatile TopicLog log;

  /** Epoch of the log that may be read: that of a stream which was announced. */
  private volatile long announced;

  /** Messages for snapshots that were not sent. */
  private final Queue<LogEntry> retained = new ArrayDeque<>(0);

  /** Reason of a loss since the oldest of these, or null. */
  private GapReason loss;

  private boolean begun;
  private boolean live;

  /** True while a group has the entries of the present epoch. */
  private boolean grouped;

  private long epoch;

  /** Offset up to which entries were sent; those by a group count when they have arrived. */
  private long sent;

  /** Offset that the log had when it began. */
  private long end;

  private long credit;

  private final PlaceClaims claims;

  /** Requests of the leaf to read messages back. */
  private final Queue<LeafRead> reads = new ArrayDeque<>(0);

  /** Those of them that the source has not answered, also if they have ended. */
  private final Queue<LeafRead> requested = new ConcurrentLinkedQueue<>();

  /** True once {@link #overdue} is scheduled. */
  private boolean limited;

  private boolean overdue;

  /**
   * @param user key of the leaf in shares of resources
   * @param credit bytes that may be sent at first
   */
  FollowedTopic(LinkRecord.Open opened, String user, long credit, Owner owner) {
    this.opened = opened;
    this.user = user;
    this.credit = credit;
    this.owner = owner;
    this.claims = new PlaceClaims(claimed -> owner.confirm(this, claimed));
  }

  @Override
  public int ref() {
    return opened.ref();
  }

  /** Returns the number of entries that were not sent. */
  long behind() {
    TopicLog from = log;
    return from == null || !begun ? 0 : Math.max(0, from.last() - sent);
  }

  /** Returns the time since the arrival of the oldest entry that was not sent; 0 without one. */
  long lagMs(long nowMs) {
    if (behind() == 0) {
      return 0;
    }
    LogEntry oldest = log.at(sent + 1);
    if (oldest != null) {
      return nowMs - oldest.arrivedMs();
    }
    LogFigures rest = log.figures(); // it was evicted
    return nowMs - (rest.logMessages() > 0 ? rest.oldestMs() : rest.latestMs());
  }

  /** Permits further bytes. */
  void addCredit(int bytes) {
    credit = Math.min(credit + bytes, LinkRoot.MAX_CREDIT);
    wake();
  }

  /** Answers whether the source has messages. */
  void confirm(LinkRecord.Confirm request, LinkChannel to) {
    claims.add(request, to);
    ungroup(); // the answer follows entries on the link
    wake();
  }

  /** Sends messages that the log or the source has stored. */
  void read(LinkRecord.Read request) {
    reads.add(new LeafRead(request));
    ungroup();
    wake();
  }

  /** Returns the number of these requests that have not ended. */
  int reads() {
    return reads.size();
  }

  private void wake() {
    if (!woken.getAndSet(true)) {
      owner.wake(this);
    }
  }

  /**
   * Sends entries, at most those of one turn.
   *
   * @return whether others may be sent at once
   */
  boolean send(LinkChannel to) {
    woken.set(false); // first: what is appended from now on wakes it again
    TopicLog from = log;
    if (from == null) {
      return false;
    }
    if (from.epoch() != announced) {
      return false; // the announcement wakes it
    }
    if ((!begun || epoch != announced) && !begin(from, to)) {
      return false; // the answer of the source wakes it
    }
    if (grouped) {
      return false;
    }
    for (int turn = 0; turn < TURN; turn++) {
      sendLive(to);
      claims.send(from, epoch, sent, to);
      if (credit <= 0) {
        return false; // credit wakes it
      }
      boolean hasRead = sendRead(from, to);
      if (!sendNext(from, to) && !hasRead) {
        return false;
      }
    }
    return true;
  }

  // Live entries go first: the latter half of the credit is theirs alone.
  private boolean sendRead(TopicLog from, LinkChannel to) {
    LeafRead read = reads.peek();
    if (read == null || credit <= LinkRoot.FIRST_CREDIT / 2) {
      return false; // credit wakes it
    }
    if (!read.isAnswered(from, epoch, (after, claimed) -> request(read, after, claimed, to))) {
      return false; // the answer wakes it
    }
    Message next = read.next();
    if (next == null) {
      reads.remove();
      owner.onReadEnd();
      to.send(read.end());
    } else {
      credit -= LogEntry.size(next);
      to.send(new LinkRecord.Stored(ref(), read.number(), next));
    }
    return true;
  }

  // This node and the leaf repeat a request during which messages are lost. Without a limit, the
  // time would multiply with each tier.
  private void request(LeafRead read, StreamPlace after, Set<Long> claimed, LinkChannel to) {
    requested.add(read);
    owner.readBack(this, after, claimed);
    to.later(
        () -> {
          read.expire();
          wake();
        },
        MAX_WAIT_MS);
  }

  // A leaf that returns lacks the entries behind its own, otherwise it receives the whole log.
  // Entries that were evicted since then are a gap. Returns false until the source has answered.
  private boolean begin(TopicLog from, LinkChannel to) {
    long next = announced;
    boolean isSame = !begun && opened.epoch() == next && opened.offset() <= from.last();
    Boolean isConfirmed =
        !begun && !isSame ? claims.continues(opened.reached(), from, next) : FALSE;
    if (isConfirmed == null && !overdue) {
      limitWait(to);
      return false;
    }
    if (isConfirmed == null) {
      claims.abandon();
      isConfirmed = FALSE;
    }
    begun = true;
    epoch = next;
    end = from.last();
    live = false;
    grouped = false;
    retained.clear();
    if (isSame) {
      sent = opened.offset();
      to.send(new LinkRecord.Begin(ref(), epoch, sent, null, true));
      return true;
    }
    restart(from, isConfirmed, to);
    retained.addAll(from.snapshot(sent));
    loss = retained.isEmpty() ? null : from.lossBetween(retained.peek().offset(), sent);
    return true;
  }

  // A source that is unreachable answers the requests of many topics one after the other.
  private void limitWait(LinkChannel to) {
    if (!limited) {
      limited = true;
      to.later(
          () -> {
            overdue = true;
            wake();
          },
          MAX_WAIT_MS);
    }
  }

  /** Continues at the oldest entry; of a source with offsets, behind the latest gap. */
  private void restart(TopicLog from, boolean isConfirmed, LinkChannel to) {
    boolean hasPlaces = from.hasPlaces();
    sent = from.last();
    for (LogEntry entry = from.at(sent);
        entry != null && !(hasPlaces && entry.isGap());
        entry = from.at(sent)) {
      sent--;
    }
    to.send(new LinkRecord.Begin(ref(), epoch, sent, place(from), isConfirmed));
  }

  /** Returns the place before the next entry, as that of a source with offsets. */
  private StreamPlace place(TopicLog from) {
    if (from.hasPlaces()) {
      return from.base();
    }
    long[] none = {};
    return new StreamPlace(
        PlaceClaims.stream(epoch), new long[] {StreamPlace.id(0, sent)}, none, true);
  }

  private boolean sendNext(TopicLog from, LinkChannel to) {
    LogEntry snapshot = retained.poll();
    if (snapshot != null) {
      send(from, snapshot, to);
      return true;
    }
    if (loss != null) { // between the messages for snapshots and the others
      to.send(new LinkRecord.Gap(ref(), sent, Broker.NO_SEQUENCE, loss));
      loss = null;
      return true;
    }
    long last = from.last();
    LogEntry next = from.at(sent + 1);
    if (from.epoch() != epoch) {
      return false; // another stream has begun in between
    }
    if (next == null && sent >= last) {
      return false;
    }
    if (next != null && !next.isGap()) {
      send(from, next, to);
      sent = next.offset();
    } else if (from.hasPlaces()) {
      restart(from, false, to);
      end = sent; // what follows is new to the leaf
      live = false;
    } else if (next != null) {
      sendGap(next.gapReason(), next.offset(), to);
    } else { // evicted before it was sent
      sendGap(GapReason.OVERLOAD, skip(from, last), to);
    }
    return true;
  }

  /**
   * Returns the offset before the newer half of what the log has: its newest entry is sent, and the
   * log grows by its other half before the next gap.
   */
  private long skip(TopicLog from, long last) {
    long before = last;
    while (before > sent && from.at(before) != null) {
      before--;
    }
    return before + (last - before) / 2;
  }

  private void send(TopicLog from, LogEntry entry, LinkChannel to) {
    credit -= LogEntry.size(entry.message());
    to.send(new LinkRecord.Entry(ref(), entry.offset(), identified(entry, from)));
    owner.onEntrySent();
  }

  /** Returns the message of an entry, identified as that of a source with offsets. */
  static Message identified(LogEntry entry, TopicLog of) {
    Message message = entry.message();
    return of.hasPlaces() ? message : message.withIdentity(StreamPlace.id(0, entry.offset()));
  }

  @Override
  public TopicLog log() {
    return log;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long sent() {
    return sent;
  }

  @Override
  public boolean isCurrent() {
    return begun && live && epoch == announced && claims.isEmpty() && reads.isEmpty();
  }

  @Override
  public boolean isGrouped() {
    return grouped;
  }

  @Override
  public void group() {
    grouped = true;
  }

  @Override
  public void onReceived(long offset) {
    if (grouped) {
      sent = Math.max(sent, offset);
    }
  }

  @Override
  public void ungroup() {
    if (grouped) {
      grouped = false;
      wake();
    }
  }

  @Override
  public LinkRecord.Entry entry(int number, LogEntry entry) {
    return new LinkRecord.Entry(number, entry.offset(), identified(entry, log));
  }

  private void sendGap(GapReason reason, long upTo, LinkChannel to) {
    sent = upTo;
    to.send(new LinkRecord.Gap(ref(), upTo, StreamPlace.id(0, upTo), reason));
  }

  private void sendLive(LinkChannel to) {
    if (!live && sent >= end && retained.isEmpty() && loss == null) {
      live = true;
      to.send(new LinkRecord.Live(ref()));
    }
  }

  @Override
  public InterestKey key() {
    return opened.key();
  }

  @Override
  public String user() {
    return user;
  }

  @Override
  public int encodings() {
    return 0; // the leaf encodes messages
  }

  @Override
  public int subscriptions() {
    return 1;
  }

  @Override
  public void attached(
      TopicLog attached,
      long logEpoch,
      long offset,
      StreamPlace place,
      Channel own,
      List<Channel> channels,
      int stream,
      int losses) {
    announced = logEpoch;
    log = attached;
    wake();
  }

  @Override
  public void streamBegun(long newEpoch, StreamPlace start, long offset) {
    announced = newEpoch;
    wake();
  }

  @Override
  public void restored(long offset, int losses) {
    wake();
  }

  @Override
  public void refused(ErrorCode code, String reason) {
    owner.onRefused(this, code, reason);
  }

  @Override
  public void channelAdded(Channel channel) {
    // the records of a link contain the topic
  }

  @Override
  public void channelsRetired(RetiredChannels retired, boolean discards) {
    retired.answer(this, true);
  }

  @Override
  public void proofLimited(long limitMs) {
    // the leaf proves no delivery
  }

  @Override
  public void readBack(StreamPlace after, List<LogEntry> messages, boolean refuted) {
    LeafRead read = requested.stream().filter(each -> each.isAfter(after)).findAny().orElse(null);
    if (read == null) {
      claims.onAnswer(messages != null, refuted);
    } else {
      requested.remove(read);
      read.onAnswer(messages, refuted);
    }
    wake();
  }

  @Override
  public void offer(EncodedMessage message) {
    if (message.trace != null) {
      message.trace.onFollowed();
    }
    wake(); // the log has it
  }

  @Override
  public void offerGap(GapReason reason, long offset) {
    wake(); // the log has it
  }

  @Override
  public void closeGap() {
    // each gap of the log is sent
  }
}
