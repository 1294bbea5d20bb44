package io.sluice.gateway.link;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
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
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Log that a root sends to a leaf: it reads the log behind a place, as far as the leaf has given
 * credit. Entries that the log evicts before they are sent are a gap of this leaf. The interest's
 * sequencer calls {@link TopicUser}; everything else is bound to the event loop of the link.
 */
final class FollowedTopic implements TopicUser {
  /** Entries of one topic that are sent in its turn. */
  private static final int TURN = 64;

  /** Owner of the topic. Any thread. */
  interface Owner {
    /** Calls {@link #send} on the event loop of the link, once. */
    void wake(FollowedTopic topic);

    /** The topic was refused; nothing follows. */
    void onRefused(FollowedTopic topic, ErrorCode code, String why);
  }

  private final LinkRecord.Open opened;
  private final String user;
  private final Owner owner;
  private final AtomicBoolean woken = new AtomicBoolean();

  /** Null until the interest is active. */
  private volatile TopicLog log;

  /** Messages for snapshots that were not sent. */
  private final Queue<LogEntry> retained = new ArrayDeque<>(0);

  private boolean begun;
  private boolean live;
  private long epoch;

  /** Offset up to which entries were sent. */
  private long sent;

  /** Offset that the log had when it was opened. */
  private long end;

  private long credit;

  /**
   * @param user key of the leaf in shares of resources
   * @param credit bytes that may be sent at first
   */
  FollowedTopic(LinkRecord.Open opened, String user, long credit, Owner owner) {
    this.opened = opened;
    this.user = user;
    this.credit = credit;
    this.owner = owner;
  }

  int ref() {
    return opened.ref();
  }

  /** Permits further bytes. */
  void addCredit(int bytes) {
    credit = Math.min(credit + bytes, LinkRoot.MAX_CREDIT);
    wake();
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
    if (!begun) {
      begin(from, to);
    } else if (from.epoch() != epoch) {
      sendGap(from, GapReason.BROKER_LOST, from.last(), to);
    }
    for (int turn = 0; turn < TURN; turn++) {
      if (credit <= 0) {
        return false; // credit wakes it
      }
      if (!sendNext(from, to)) {
        sendLive(to);
        return false;
      }
    }
    return true;
  }

  // A leaf that returns lacks the entries behind its own, otherwise it receives the whole log.
  // Entries that were evicted since then are a gap.
  private void begin(TopicLog from, LinkChannel to) {
    begun = true;
    epoch = from.epoch();
    end = from.last();
    boolean continued = opened.epoch() == epoch && opened.offset() <= end;
    if (continued) {
      sent = opened.offset();
    } else {
      sent = end;
      while (from.at(sent) != null) {
        sent--;
      }
      retained.addAll(from.snapshot(sent));
    }
    to.send(new LinkRecord.Begin(ref(), epoch, sent, continued ? null : place(from)));
  }

  /** Returns the place before the next entry, as that of a source with offsets. */
  private StreamPlace place(TopicLog from) {
    if (from.hasPlaces()) {
      return from.base();
    }
    int stream = (int) (epoch ^ epoch >>> Integer.SIZE);
    return new StreamPlace(stream, new long[] {StreamPlace.id(0, sent)}, new long[0], true);
  }

  private boolean sendNext(TopicLog from, LinkChannel to) {
    LogEntry snapshot = retained.poll();
    if (snapshot != null) {
      send(from, snapshot, to);
      return true;
    }
    LogEntry next = from.at(sent + 1);
    if (next != null) {
      if (next.isGap()) {
        sendGap(from, next.gapReason(), next.offset(), to);
      } else {
        send(from, next, to);
        sent = next.offset();
      }
      return true;
    }
    long last = from.last();
    if (sent < last) { // evicted before it was sent
      sendGap(from, GapReason.OVERLOAD, last, to);
      return true;
    }
    return false;
  }

  private void send(TopicLog from, LogEntry entry, LinkChannel to) {
    credit -= LogEntry.size(entry.message());
    Message message = entry.message();
    to.send(
        new LinkRecord.Entry(
            ref(),
            entry.offset(),
            from.hasPlaces() ? message : message.withIdentity(StreamPlace.id(0, entry.offset()))));
  }

  // Of a source with offsets, the place before the range of the log is that behind the gap.
  private void sendGap(TopicLog from, GapReason reason, long upTo, LinkChannel to) {
    sent = upTo;
    if (from.hasPlaces()) {
      epoch = from.epoch();
      to.send(new LinkRecord.Begin(ref(), epoch, sent, from.base()));
    } else {
      to.send(new LinkRecord.Gap(ref(), upTo, StreamPlace.id(0, upTo), reason));
    }
  }

  private void sendLive(LinkChannel to) {
    if (!live && sent >= end) {
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
    log = attached;
    wake();
  }

  @Override
  public void streamBegun(long newEpoch, StreamPlace start, long offset) {
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
  public void readBack(StreamPlace after, List<LogEntry> messages) {
    // never requested
  }

  @Override
  public void offer(EncodedMessage message) {
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
