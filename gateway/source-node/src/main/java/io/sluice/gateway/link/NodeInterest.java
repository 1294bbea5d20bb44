package io.sluice.gateway.link;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Interest of a leaf: it continues the log of a root. Bound to the control thread, except where a
 * method states otherwise.
 */
final class NodeInterest implements Broker.Consumer, LinkGroup.LeafLog {
  private static final String NOT_CONNECTED = "no root is connected";
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

  /** True once a group has sent entries of the log over the present link. */
  private boolean grouped;

  /** True if another log of the same stream has begun, which repeats messages. */
  private boolean repeats;

  /** Offset behind which entries are new; earlier ones are for snapshots. */
  private long start;

  /** Requests to the root without an answer. */
  private final Map<Integer, Request> requests = new ConcurrentHashMap<>(2);

  private final AtomicInteger numbers = new AtomicInteger();

  /** The link whose records count; null while there is none. Written by the control thread. */
  private volatile LinkChannel link;

  /** Request to the root. */
  private interface Request {
    /** Ends it with the reason of a failure, or null. Any thread. */
    void end(String problem);

    /** Adds a message; returns false if they are too many. Event loop of the link. */
    default boolean add(Message message) {
      return false;
    }
  }

  NodeInterest(int ref, InterestKey key, TopicListener listener, Consumer<NodeInterest> onClose) {
    this.ref = ref;
    this.key = key;
    this.listener = listener;
    this.onClose = onClose;
  }

  @Override
  public int ref() {
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
          grouped = false;
          over.send(new LinkRecord.Open(ref, key, epoch, offset, reachedPlace()));
        });
  }

  private StreamPlace reachedPlace() {
    if (latest == null) {
      return null;
    }
    long[] ids = reached.place(latest.stream()).ids();
    return new StreamPlace(latest.stream(), ids, latest.reused(), latest.whole());
  }

  /** Ignores the records of the present link. */
  void retire() {
    link = null;
    requests.keySet().forEach(number -> answer(number, NOT_CONNECTED));
  }

  /**
   * Requests from the root whether the source has messages of clients.
   *
   * @param answer receives null if it has, otherwise the reason. Called on any thread, behind the
   *     entries up to these messages
   */
  void confirm(StreamPlace claimed, Consumer<String> answer) {
    request(number -> new LinkRecord.Confirm(ref, number, claimed), answer::accept);
  }

  /**
   * Requests messages that the root or its source has stored.
   *
   * @param claimed latest messages of clients
   */
  void read(ReadBack read, StreamPlace claimed) {
    request(
        number ->
            new LinkRecord.Read(
                ref,
                number,
                read.after(),
                read.upTo(),
                claimed,
                read.maxMessages(),
                read.maxBytes()),
        new Request() {
          private final List<Message> messages = new ArrayList<>();
          private long room = read.maxBytes();

          @Override
          public boolean add(Message message) {
            messages.add(message);
            room -= message.payload().length;
            return messages.size() <= read.maxMessages() && room >= 0;
          }

          @Override
          public void end(String problem) {
            read.answer().accept(problem == null ? messages : null, problem);
          }
        });
  }

  private void request(IntFunction<LinkRecord> form, Request request) {
    LinkChannel over = link;
    if (over == null) {
      request.end(NOT_CONNECTED);
      return;
    }
    int number = numbers.incrementAndGet();
    requests.put(number, request);
    over.execute(() -> over.send(form.apply(number)));
    if (link != over) { // lost in between
      answer(number, NOT_CONNECTED);
    }
  }

  /** A stored message arrived. Event loop of the link. */
  void onStored(LinkRecord.Stored stored) {
    received += LogEntry.size(stored.message());
    Request request = requests.get(stored.number());
    if (request != null && !request.add(stored.message())) {
      answer(stored.number(), "the root sends more messages than requested");
    }
  }

  /** The root has answered. Event loop of the link. */
  void onConfirmed(LinkRecord.Confirmed confirmed) {
    answer(confirmed.number(), confirmed.problem());
  }

  private void answer(int number, String problem) {
    Request request = requests.remove(number);
    if (request != null) {
      request.end(problem);
    }
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
    if (isSameLog || isFirst && begun.isConfirmed()) {
      repeats |= isFirst;
      pass(place.ids(), isSameLog);
    } else {
      latest = place;
      reached = new PartitionOffsets(place);
      repeats = false;
      listener.onLog(place);
    }
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
    if (!hasArrived(entry.offset())) {
      accept(entry);
    }
  }

  /** Returns whether the group was faster. */
  private boolean hasArrived(long of) {
    return grouped && of > start && of <= offset;
  }

  @Override
  public void onGroupEntry(LinkRecord.Entry entry) {
    grouped = true;
    accept(entry);
  }

  private void accept(LinkRecord.Entry entry) {
    Message message = entry.message();
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

  @Override
  public long epoch() {
    return opening ? 0 : epoch;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public boolean isFull() {
    return listener.isFull();
  }

  /** A gap of the root's log, or of this link. Event loop of the link. */
  void onGap(LinkRecord.Gap gap) {
    if (repeats && gap.offset() <= start) {
      return; // before the messages that are new
    }
    if (hasArrived(gap.offset())) {
      return;
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
