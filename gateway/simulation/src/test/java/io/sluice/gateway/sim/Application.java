package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the messages of one subscription against those that the broker accepted. Each message
 * arrives once and in the publisher's order, or a gap is reported instead.
 */
final class Application implements Continuity.Listener {
  final String subject;
  final InterestKey key;

  private final boolean latest;
  private final boolean strict;
  private final long marginMs;
  private final long spread;
  private final Timeline timeline;
  private final ClockSteps steps;
  private final SimulatedBroker broker;

  /** Null unless the source is ordered. */
  private final SimulatedStream stream;

  private final Tally tally;
  private final Trace trace;
  private final List<Progress> progress = new ArrayList<>();

  /** Topics or patterns within which the broker keeps the order of each publisher. */
  private final List<String> parts;

  private final int publishers;

  /** True if nodes forward redelivered messages again, after a gap. */
  private final boolean repeats;

  /** True if another stream may have messages of the former one. */
  private final boolean overlaps;

  /** Age of a message above which another stream does not repeat it. */
  private final long overlapMicros;

  /** True if gaps may precede earlier messages than the lost one. */
  private final boolean discards;

  /** Numbers of received messages bound at the send. */
  private final Set<Integer> bound = new HashSet<>();

  private final Announcements announcements;

  private long boundCheckedMicros;

  /** True if messages arrive in the order of their acceptance, except those within the spread. */
  private final boolean inOrder;

  private final Map<String, Published> shown = new HashMap<>();
  private long dueFromMicros = Long.MAX_VALUE;
  private long gapMicros;

  /** True from the end of an outdated snapshot to the gap that must follow it. */
  private boolean gapExpected;

  /**
   * Messages accepted from this time on arrive in order across topics, because no broker has
   * retained them.
   */
  private long orderedFromMicros;

  /** Messages received of one publisher, or of one topic of that publisher. */
  private static final class Progress {
    private final int publisher;
    private final String part;
    private final BitSet delivered = new BitSet();
    private int last = -1;

    /** Messages with a lower number need not arrive any more. */
    private int vouched;

    private boolean gap;

    /** Messages received in former streams. */
    private final BitSet former = new BitSet();

    Progress(int publisher, String part) {
      this.publisher = publisher;
      this.part = part;
    }

    boolean has(Published message) {
      return publisher == message.publisher() && TopicPattern.covers(part, message.topic());
    }
  }

  /**
   * @param subject name in traces
   * @param latest whether the subscription skips superseded messages
   */
  Application(String subject, InterestKey key, boolean latest, World world) {
    this.subject = subject;
    this.key = key;
    this.latest = latest;
    this.strict = !world.wild;
    this.marginMs = world.plan.config.get(HistorySettings.RESUME_MARGIN).toMillis();
    this.spread = world.plan.spreadMs() * Plan.MILLI;
    this.timeline = world.timeline;
    this.steps = world.plan.steps;
    this.broker = world.broker;
    this.stream = world.plan.stream;
    this.tally = world.tally;
    this.trace = world.trace;
    this.publishers = world.plan.publishers;
    this.repeats =
        !world.plan.durability.isNone()
            && (world.plan.ids.areAmbiguous() || world.plan.hardship.hasShortLogs());
    this.overlaps = world.plan.tiers != null || stream != null && stream.truncationMean > 0;
    this.overlapMicros = world.plan.overlapMicros();
    this.discards = !world.plan.discards.isNone();
    this.announcements = world.announcements;
    this.inOrder = world.plan.overload.isNone();
    this.parts = world.plan.mixesTopicsOf(key) ? world.plan.topics : List.of(key.topic());
    forget();
  }

  private void forget() {
    shown.clear();
    bound.clear();
    progress.clear();
    for (int publisher = 0; publisher < publishers; publisher++) {
      for (String part : parts) {
        progress.add(new Progress(publisher, part));
      }
    }
  }

  private Progress progress(Published message) {
    return progress.stream().filter(one -> one.has(message)).findFirst().orElseThrow();
  }

  @Override
  public void onBegin() {
    trace.note(subject, () -> "begins");
    dueFromMicros = timeline.nowMicros();
    orderedFromMicros = dueFromMicros;
    forget();
  }

  @Override
  public void onGap(String reason) {
    trace.note(subject, () -> "receives the gap " + reason);
    tally.gaps++;
    gapExpected = false;
    gapMicros = timeline.nowMicros();
    orderedFromMicros = gapMicros;
    for (Progress one : progress) {
      one.gap = true;
    }
  }

  // One of two roots may be behind the other.
  @Override
  public void onStream() {
    if (!overlaps) {
      return;
    }
    List<Progress> before = List.copyOf(progress);
    onBegin();
    for (int i = 0; i < before.size(); i++) {
      progress.get(i).former.or(before.get(i).former);
      progress.get(i).former.or(before.get(i).delivered);
    }
  }

  @Override
  public void onKnown(long id, boolean replayed) {
    tally.dropped++;
  }

  @Override
  public void onMessage(long id) {
    Published message = broker.byIdentity(id);
    if (message == null) {
      throw new Failure(subject, "was never published: " + Long.toHexString(id));
    }
    trace.note(subject, () -> "receives " + message);
    if (gapExpected) {
      fail("no gap between an outdated snapshot and " + message);
    }
    if (!Selectors.selects(key, message)) {
      fail(message + " is not selected by " + key);
    }
    tally.delivered++;
    if (broker.isBound(message)) {
      if (!bound.add(message.number())) {
        fail("received twice: " + message);
      }
      shown.put(message.slot(), message);
      return;
    }
    if (!latest) {
      checkBound(message.acceptedMicros());
    }
    Progress one = progress(message);
    if (repeats && one.gap && message.number() <= one.last) {
      return;
    }
    if (one.delivered.get(message.number())) {
      fail("received twice: " + message);
    }
    if (one.former.get(message.number())
        && message.acceptedMicros() < dueFromMicros - overlapMicros) {
      fail("another stream repeats the old " + message);
    }
    one.delivered.set(message.number());
    if (latest) {
      checkNotOlder(message);
    } else if (message.number() < one.last) {
      fail(message + " arrived after #" + one.last + " of its publisher");
    } else {
      checkHole(one, message);
      progress.forEach(other -> checkOrder(other, message));
    }
    one.last = message.number();
    one.gap = false;
    shown.put(message.slot(), message);
  }

  // Nodes report them later than other losses.
  private void checkBound(long beforeMicros) {
    for (LateBinding.Bound sent : broker.bound(boundCheckedMicros, beforeMicros)) {
      Published message = sent.message;
      if (announcements.reportedBy(message.acceptedMicros()) > beforeMicros) {
        return;
      }
      if (sent.announced
          && isDue(message)
          && message.acceptedMicros() > gapMicros
          && !bound.contains(message.number())
          && !(latest && isFollowed(message))) {
        fail(message + ", sent at " + sent.sentMicros + ", is missing without a gap");
      }
      boundCheckedMicros = message.acceptedMicros() + 1;
    }
  }

  private boolean isFollowed(Published message) {
    Published last = shown.get(message.slot());
    return !inOrder || last != null && last.acceptedMicros() > message.acceptedMicros() - spread;
  }

  private void checkHole(Progress one, Published message) {
    List<Published> all = broker.accepted(message.publisher());
    for (int number = one.last + 1; number < message.number(); number++) {
      if (!one.gap && one.has(all.get(number)) && isDue(all.get(number))) {
        fail(all.get(number) + " is missing before " + message + " without a gap");
      }
    }
  }

  // The broker mixes up only retained messages, and reports a gap first.
  private void checkOrder(Progress other, Published message) {
    if (other.publisher != message.publisher() || other.has(message)) {
      return;
    }
    if (other.last > message.number() && message.acceptedMicros() >= orderedFromMicros) {
      fail(message + " arrived after #" + other.last + " of another topic without a gap");
    }
    List<Published> all = broker.accepted(message.publisher());
    for (int number = message.number() - 1; number > other.last && !other.gap; number--) {
      if (all.get(number).acceptedMicros() < orderedFromMicros) {
        return;
      }
      if (other.has(all.get(number)) && isDue(all.get(number))) {
        fail(all.get(number) + " must arrive before " + message + " without a gap");
      }
    }
  }

  /**
   * Checks a caught-up time. It covers everything that the broker accepted before it, minus the
   * margin for clock and delivery differences.
   */
  void checkCaughtUp(long timeMs) {
    long vouchedMicros = steps.micros(timeMs - marginMs);
    checkBound(vouchedMicros);
    if (latest) {
      checkNewest(vouchedMicros);
    } else {
      progress.forEach(one -> checkComplete(one, vouchedMicros));
    }
  }

  // Superseded messages need not have arrived.
  private void checkNewest(long beforeMicros) {
    for (Published newest : broker.newest(key)) {
      Published last = shown.get(newest.slot());
      boolean due = newest.acceptedMicros() < beforeMicros && isMissing(newest, last);
      if (due && !isSuperseded(newest)) {
        fail("received caught-up with " + last + " instead of " + newest);
      }
    }
  }

  // The node may still hold the bound message instead.
  private boolean isSuperseded(Published newest) {
    return broker.bound(newest.acceptedMicros() - spread, timeline.nowMicros()).stream()
        .anyMatch(
            sent ->
                sent.message.slot().equals(newest.slot()) && Selectors.selects(key, sent.message));
  }

  private void checkComplete(Progress one, long beforeMicros) {
    List<Published> all = broker.accepted(one.publisher);
    one.vouched = Math.max(one.vouched, one.last + 1);
    for (; one.vouched < all.size() && !one.gap; one.vouched++) {
      Published message = all.get(one.vouched);
      if (message.acceptedMicros() >= beforeMicros) {
        return;
      }
      boolean reported = discards && message.acceptedMicros() < gapMicros;
      if (one.has(message) && isDue(message) && !reported) {
        fail("received caught-up without " + message + ", accepted at " + message.acceptedMicros());
      }
    }
  }

  /** Records that a gap must follow before the next message. */
  void expectGap() {
    gapExpected = true;
  }

  boolean isLatest() {
    return latest;
  }

  private boolean isDue(Published message) {
    boolean isStored =
        stream == null || !stream.isCompacted(message) && !stream.isTruncated(message);
    return message.acceptedMicros() >= dueFromMicros && isStored && Selectors.selects(key, message);
  }

  private void checkNotOlder(Published message) {
    Published before = shown.get(message.slot());
    if (before != null
        && before.publisher() == message.publisher()
        && before.number() > message.number()) {
      fail(message + " came after the newer " + before);
    }
  }

  /**
   * Checks the newest message of each slot while no message is in flight. Messages accepted before
   * the subscription or the latest gap are exempt. Nodes may differ in the order of messages that
   * were accepted within the spread.
   */
  void checkAtRest() {
    if (stream != null && stream.growthMean > 0) {
      return; // slots have changed their partition
    }
    for (Published newest : broker.newest(key)) {
      Published last = shown.get(newest.slot());
      if (isMissing(newest, last)) {
        fail("rests with " + last + " instead of " + newest);
      }
    }
  }

  private boolean isMissing(Published newest, Published last) {
    boolean expected = isDue(newest) && newest.acceptedMicros() >= gapMicros;
    boolean removed = last == null && newest.isRemoval(); // missing in a snapshot
    boolean overtook = last != null && last.priority() < newest.priority();
    return expected
        && !removed
        && !overtook
        && (last == null || last.acceptedMicros() < newest.acceptedMicros() - spread);
  }

  /**
   * Checks the newest message of each slot after the last messages, which were published far apart.
   * They may still exceed {@code limits.pending-bytes} within one interval of {@code rate}; then a
   * gap follows them.
   */
  void checkFinal() {
    for (Published newest : broker.newest(key)) {
      Published last = shown.get(newest.slot());
      boolean delivered = newest.acceptedMicros() < gapMicros;
      boolean removed = last == null && newest.isRemoval();
      if (last != newest && !delivered && !removed) {
        fail("ends with " + last + " instead of " + newest);
      }
    }
  }

  /** Fails the run, unless this world promises nothing. */
  void fail(String what) {
    if (strict) {
      throw new Failure(subject, what);
    }
  }
}
