package io.sluice.gateway.link;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.TopicLog;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Messages that a leaf or its clients have received and that the root's log may lack: the source
 * may have lost them, and have assigned their offsets again. One place is checked at a time. Bound
 * to the event loop of the link, except where a method states otherwise.
 */
final class PlaceClaims {
  /** Maximum number of messages of a request. */
  static final int MAX_IDS = 4_096;

  private static final int MAX_WAITING = 64;
  private static final String UNKNOWN = "the root cannot confirm the messages of the position";

  /** Result of a check. */
  private enum Verdict {
    PENDING,
    CONFIRMED,
    UNKNOWN,
    REFUTED
  }

  private final Consumer<Set<Long>> source;
  private final Queue<LinkRecord.Confirm> waiting = new ArrayDeque<>(0);

  /** Offset up to which entries precede the answer to the first request; 0 until it is known. */
  private long upTo;

  private boolean asked;

  /** True if the next answer of the source belongs to a place that is no longer checked. */
  private boolean abandoned;

  /** Epoch of the log of the request to the source. */
  private long askedEpoch;

  /** Answer of the source; null before it. */
  private volatile Verdict answer;

  /**
   * @param source requests the confirmation of messages
   */
  PlaceClaims(Consumer<Set<Long>> source) {
    this.source = source;
  }

  /** The source has answered. Any thread. */
  void onAnswer(boolean isConfirmed, boolean isRefuted) {
    answer = isConfirmed ? Verdict.CONFIRMED : isRefuted ? Verdict.REFUTED : Verdict.UNKNOWN;
  }

  /**
   * Returns whether a log repeats the entries up to a place of another log; null until that is
   * known.
   */
  Boolean continues(StreamPlace reached, TopicLog log, long epoch) {
    boolean isOfStream =
        reached != null
            && log.hasPlaces()
            && log.base().stream() == reached.stream()
            && Arrays.equals(log.base().reused(), reached.reused());
    Verdict verdict = isOfStream ? check(reached, log, epoch) : Verdict.REFUTED;
    return verdict == Verdict.PENDING ? null : verdict == Verdict.CONFIRMED;
  }

  /** Ends the check of a place without a result. */
  void abandon() {
    abandoned = asked;
  }

  /** Adds a request of the leaf. */
  void add(LinkRecord.Confirm request, LinkChannel to) {
    if (waiting.size() < MAX_WAITING && request.claimed().ids().length <= MAX_IDS) {
      waiting.add(request);
    } else {
      answer(request, Verdict.UNKNOWN, to);
    }
  }

  /** Returns whether all requests are answered. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Answers requests.
   *
   * @param sent offset up to which entries were sent
   */
  void send(TopicLog log, long epoch, long sent, LinkChannel to) {
    while (!waiting.isEmpty() && upTo <= sent) {
      LinkRecord.Confirm next = waiting.peek();
      Verdict verdict = upTo > 0 ? Verdict.CONFIRMED : check(next.claimed(), log, epoch);
      if (verdict == Verdict.PENDING) {
        return;
      }
      if (verdict == Verdict.CONFIRMED && log.last() > sent && upTo == 0) {
        upTo = log.last();
        return;
      }
      upTo = 0;
      waiting.remove();
      answer(next, verdict, to);
    }
  }

  private static void answer(LinkRecord.Confirm request, Verdict verdict, LinkChannel to) {
    String problem =
        switch (verdict) {
          case CONFIRMED -> null;
          case REFUTED -> ReadBack.REFUTED;
          default -> UNKNOWN;
        };
    to.send(new LinkRecord.Confirmed(request.ref(), request.number(), problem));
  }

  private Verdict check(StreamPlace place, TopicLog log, long epoch) {
    if (asked) {
      Verdict answered = answer;
      if (answered == null) {
        return abandoned ? Verdict.UNKNOWN : Verdict.PENDING;
      }
      asked = false;
      boolean isOfPlace = !abandoned && askedEpoch == epoch;
      abandoned = false;
      if (isOfPlace) {
        return answered;
      }
    }
    if (!log.hasPlaces()) { // it numbers all messages itself
      boolean isOfLog = place.stream() == stream(epoch) && place.offsetOf(0) <= log.last();
      return isOfLog ? Verdict.CONFIRMED : Verdict.REFUTED;
    }
    if (log.base().stream() != place.stream()) {
      return Verdict.REFUTED;
    }
    Set<Long> lacked =
        log.lacked(Arrays.stream(place.ids()).boxed().collect(Collectors.toUnmodifiableSet()));
    if (lacked.isEmpty()) {
      return Verdict.CONFIRMED;
    }
    asked = true;
    askedEpoch = epoch;
    answer = null;
    source.accept(lacked);
    return Verdict.PENDING;
  }

  /** Returns the number of the stream of a log whose source has no offsets. */
  static int stream(long epoch) {
    return (int) (epoch ^ epoch >>> Integer.SIZE);
  }
}
