package io.sluice.gateway.link;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Messages that a leaf reads back: those of the root's log, otherwise those that its source has
 * stored. Bound to the event loop of the link, except where a method states otherwise.
 */
final class LeafRead {
  private static final String NOT_READ = "the root cannot read the messages back";
  private static final String TOO_MANY = "the messages exceed the limits of the leaf";

  private final LinkRecord.Read request;
  private final PartitionOffsets after;
  private final PartitionOffsets upTo;
  private boolean requested;

  /** Contains null before it. */
  private final AtomicReference<Answer> answer = new AtomicReference<>();

  /**
   * @param unsent messages to send
   * @param problem why there are none, or null
   */
  private record Answer(Queue<Message> unsent, String problem) {}

  LeafRead(LinkRecord.Read request) {
    this.request = request;
    this.after = new PartitionOffsets(request.after());
    this.upTo = new PartitionOffsets(request.upTo());
  }

  /** Returns whether a request has places of a length that is permitted. */
  static boolean isValid(LinkRecord.Read request) {
    return request.after().ids().length <= PlaceClaims.MAX_IDS
        && request.upTo().ids().length <= PlaceClaims.MAX_IDS
        && request.claimed().ids().length <= PlaceClaims.MAX_IDS;
  }

  int number() {
    return request.number();
  }

  /**
   * Returns whether the messages are those after a place, as in the request to the source. Any
   * thread.
   */
  boolean isAfter(StreamPlace place) {
    return request.after() == place;
  }

  /**
   * Returns whether the messages, or why there are none, are known. Otherwise {@link #onAnswer}
   * follows.
   *
   * @param epoch epoch of the log
   * @param source requests messages after a place, if it has had others
   */
  boolean isAnswered(TopicLog log, long epoch, BiConsumer<StreamPlace, Set<Long>> source) {
    if (!requested) {
      requested = true;
      if (log.hasPlaces()) {
        request(log, source);
      } else {
        answer(ofLog(log, epoch), NOT_READ);
      }
    }
    return answer.get() != null;
  }

  private void request(TopicLog log, BiConsumer<StreamPlace, Set<Long>> source) {
    Set<Long> claimed =
        Arrays.stream(request.claimed().ids()).boxed().collect(Collectors.toUnmodifiableSet());
    Set<Long> lacked = log.lacked(claimed);
    List<LogEntry> entries =
        lacked.isEmpty() ? log.after(after, request.after().stream(), log.last()) : null;
    if (entries == null) {
      source.accept(request.after(), lacked);
    } else {
      onAnswer(entries, false);
    }
  }

  /** Returns the messages of a log whose source has no offsets, or null. */
  private List<Message> ofLog(TopicLog log, long epoch) {
    long before = request.after().offsetOf(0);
    long last = request.upTo().offsetOf(0);
    boolean isOfLog =
        request.after().stream() == PlaceClaims.stream(epoch)
            && last <= log.last()
            && log.at(before + 1) != null;
    List<LogEntry> entries = isOfLog ? log.range(before, last) : null;
    return entries == null
        ? null
        : entries.stream().map(entry -> FollowedTopic.identified(entry, log)).toList();
  }

  /**
   * The source has answered. Any thread.
   *
   * @param entries all messages after the place; null without them
   * @param refuted whether the source does not have a message of a client
   */
  void onAnswer(List<LogEntry> entries, boolean refuted) {
    List<Message> messages =
        entries == null
            ? null
            : entries.stream()
                .map(LogEntry::message)
                .filter(each -> after.isBefore(each.identity()) && !upTo.isBefore(each.identity()))
                .toList();
    answer(messages, refuted ? ReadBack.REFUTED : NOT_READ);
  }

  /** Ends the wait for the source. */
  void expire() {
    answer(null, NOT_READ);
  }

  private void answer(List<Message> messages, String failure) {
    String problem = messages == null ? failure : exceeds(messages) ? TOO_MANY : null;
    Queue<Message> unsent = new ArrayDeque<>(problem == null ? messages : List.of());
    answer.compareAndSet(null, new Answer(unsent, problem));
  }

  private boolean exceeds(List<Message> messages) {
    return messages.size() > request.maxMessages()
        || messages.stream().mapToLong(each -> each.payload().length).sum() > request.maxBytes();
  }

  /** Returns the next message, or null after the last one. */
  Message next() {
    return answer.get().unsent().poll();
  }

  /** Returns the record that follows the messages. */
  LinkRecord end() {
    return new LinkRecord.Confirmed(request.ref(), request.number(), answer.get().problem());
  }
}
