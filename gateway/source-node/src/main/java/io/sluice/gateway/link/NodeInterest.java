package io.sluice.gateway.link;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Interest of a leaf: it continues the log of a root. Bound to the control thread, except where a
 * method states otherwise.
 */
final class NodeInterest implements Broker.Consumer {
  private static final DeliveryInfo UNKNOWN = DeliveryInfo.of(Broker.NO_SEQUENCE);

  /** Received bytes after which the root receives credit. */
  private static final int CREDIT_STEP = LinkRoot.FIRST_CREDIT / 8;

  private final int ref;
  private final InterestKey key;
  private final TopicListener listener;
  private final Consumer<NodeInterest> onClose;
  private boolean closed;
  private boolean wasActive;

  // Event loop of the link. Another link begins after the control thread has seen the loss.
  private volatile long epoch;
  private volatile long offset;
  private int received;

  /** Place at which the stream has begun; null before the first. */
  private StreamPlace latest;

  /** The latest offset of each of its partitions. */
  private PartitionOffsets reached;

  /** True until the log begins over the present link. */
  private boolean opening;

  /** True if another log of the same stream has begun, which repeats messages. */
  private boolean repeats;

  /** Offset behind which entries are new; earlier ones are for snapshots. */
  private long start;

  /** The link whose records count; null while there is none. Written by the control thread. */
  private volatile LinkChannel link;

  NodeInterest(int ref, InterestKey key, TopicListener listener, Consumer<NodeInterest> onClose) {
    this.ref = ref;
    this.key = key;
    this.listener = listener;
    this.onClose = onClose;
  }

  int ref() {
    return ref;
  }

  InterestKey key() {
    return key;
  }

  boolean isClosed() {
    return closed;
  }

  boolean wasActive() {
    return wasActive;
  }

  /** Returns whether records of a link are those of this interest. Event loop of the link. */
  boolean isServedBy(LinkChannel other) {
    return link == other;
  }

  /** Requests the log over a link. */
  void open(LinkChannel over) {
    link = over;
    over.execute(
        () -> {
          received = 0;
          opening = true;
          over.send(new LinkRecord.Open(ref, key, epoch, offset));
        });
  }

  /** Ignores the records of the present link. */
  void retire() {
    link = null;
  }

  /** The root's log begins, or continues behind a gap. Event loop of the link. */
  void onBegin(LinkRecord.Begin begun) {
    StreamPlace place = begun.place();
    boolean isFirst = opening;
    opening = false;
    if (place == null) {
      return;
    }
    boolean isSameLog = begun.epoch() == epoch && !isFirst;
    epoch = begun.epoch();
    offset = begun.offset();
    start = offset;
    if (isSameLog || isFirst && isOfStream(place)) {
      repeats |= isFirst;
      pass(place.ids(), isSameLog);
    } else {
      latest = place;
      reached = new PartitionOffsets(place);
      repeats = false;
      listener.onLog(place);
    }
  }

  // Otherwise its messages may be different ones with the same identities.
  private boolean isOfStream(StreamPlace place) {
    return latest != null
        && latest.stream() == place.stream()
        && Arrays.equals(latest.reused(), place.reused());
  }

  /** Reports the messages before a place that have not arrived. */
  private void pass(long[] ids, boolean isGap) {
    boolean isReported = !isGap;
    for (long id : ids) {
      if (reached.isBefore(id)) {
        reached.raise(id);
        listener.onMissed(GapReason.BROKER_LOST, DeliveryInfo.of(id));
        isReported = true;
      }
    }
    if (!isReported) {
      listener.onMissed(GapReason.BROKER_LOST, UNKNOWN);
    }
  }

  /** A message arrived. Event loop of the link. */
  void onEntry(LinkRecord.Entry entry) {
    Message message = entry.message();
    received += LogEntry.size(message);
    boolean isRetained = entry.offset() <= start;
    boolean isKnown = repeats && (isRetained || !reached.isBefore(message.identity()));
    offset = Math.max(offset, entry.offset());
    if (!isRetained) {
      reached.raise(message.identity());
    }
    if (!isKnown) {
      listener.onMessage(message, UNKNOWN);
    }
  }

  /** A gap of the root's log, or of this link. Event loop of the link. */
  void onGap(LinkRecord.Gap gap) {
    if (repeats && gap.offset() <= start) {
      return; // before the messages that are new
    }
    offset = gap.offset();
    listener.onMissed(gap.reason(), DeliveryInfo.of(gap.identity()));
  }

  /**
   * Grants the root credit for the bytes that were received, unless too many messages wait here.
   * Event loop of the link.
   *
   * @return false if that must be tried again
   */
  boolean grant(LinkChannel over) {
    if (received >= CREDIT_STEP) {
      if (listener.isFull()) {
        return false;
      }
      over.send(new LinkRecord.Credit(ref, received));
      received = 0;
    }
    return true;
  }

  /** The log is complete up to now. Event loop of the link. */
  void onLogRead() {
    listener.onLogRead();
  }

  /** Notifies the listener that the log is complete. */
  void onLive() {
    if (!wasActive) {
      wasActive = true;
      listener.onActive(false);
    }
  }

  void refuse(ErrorCode code, String why) {
    closed = true;
    retire();
    listener.onRefused(code, why);
  }

  @Override
  public void close() {
    closed = true;
    LinkChannel over = link;
    retire();
    if (over != null) {
      over.execute(() -> over.send(new LinkRecord.Close(ref)));
    }
    onClose.accept(this);
  }
}
