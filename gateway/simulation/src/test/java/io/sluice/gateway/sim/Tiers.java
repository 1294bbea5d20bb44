package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.link.SimulatedLinks;
import io.sluice.gateway.protocol.GapReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Roots and leaves of a world, and their links. It has a separate random sequence. */
final class Tiers {
  private static final long SALT = 0x71e2L;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** Number of all streams, for leaves that do not distinguish the logs of their roots. */
  private static final int ONE_STREAM = 7;

  final SeededRandom random;
  final SimulatedLinks.Network network;
  private final Set<Rule> broken;

  /** Numbers of the roots of each node, which are lower than its own; none for a root. */
  private final List<List<Integer>> roots = new ArrayList<>();

  /**
   * @param broken rules that are violated
   */
  Tiers(long seed, Set<Rule> broken) {
    random = new SeededRandom((seed + SALT) * SPREADER);
    this.broken = broken;
    boolean two = !random.oneIn(3) || broken.contains(Rule.ANOTHER_ROOT_IS_ANOTHER_STREAM);
    roots.add(List.of());
    if (two) {
      roots.add(List.of());
    }
    List<List<Integer>> choices =
        two ? List.of(List.of(0), List.of(1), List.of(0, 1), List.of(1, 0)) : List.of(List.of(0));
    int first = roots.size();
    for (int leaves = 2 + random.below(2); leaves > 0; leaves--) {
      roots.add(random.of(choices));
    }
    if (random.oneIn(2)) {
      roots.add(random.oneIn(2) ? List.of(first) : List.of(first, first + 1));
    }
    network =
        new SimulatedLinks.Network(
            random.of(List.of(Plan.MILLI, 50 * Plan.MILLI, Plan.SECOND)),
            random.of(List.of(0L, 0L, 20_000L, 200_000L)),
            random.of(List.of(1, 500, 32_768)),
            random.of(List.of(2_000, 262_144)));
  }

  int nodes() {
    return roots.size();
  }

  boolean isLeaf(int node) {
    return !rootsOf(node).isEmpty();
  }

  List<Integer> rootsOf(int node) {
    return roots.get(node);
  }

  /** Returns the violations of rules by the links of one process. */
  SimulatedLinks.Faults faults() {
    return new Violations();
  }

  private final class Violations implements SimulatedLinks.Faults {
    /** Epoch of each log that the leaf has begun. */
    private final Map<Integer, Long> epochs = new HashMap<>();

    /** Number of the stream of each of these logs. */
    private final Map<Integer, Integer> streams = new HashMap<>();

    @Override
    public List<LinkRecord> toRoot(LinkRecord sent) {
      if (sent instanceof LinkRecord.Open open && open.epoch() != 0) {
        long change =
            broken.contains(Rule.LINK_REPEATS_NOTHING)
                ? -1
                : broken.contains(Rule.LINK_LEAVES_OUT_NOTHING) ? 1 : 0;
        return List.of(
            new LinkRecord.Open(
                open.ref(), open.key(), open.epoch(), open.offset() + change, open.reached()));
      }
      return List.of(sent);
    }

    @Override
    public List<LinkRecord> toLeaf(LinkRecord sent) {
      if (sent instanceof LinkRecord.Begin begun && begun.place() != null) {
        return begin(begun);
      }
      if (sent instanceof LinkRecord.Confirmed answer
          && broken.contains(Rule.SOURCE_CONFIRMS_PLACES_OF_LEAVES)) {
        return List.of(new LinkRecord.Confirmed(answer.ref(), answer.number(), null));
      }
      if (sent instanceof LinkRecord.Stored && broken.contains(Rule.ROOT_READS_BACK_ALL)) {
        return List.of();
      }
      boolean isGap = sent instanceof LinkRecord.Gap;
      boolean isEviction = isGap && ((LinkRecord.Gap) sent).reason() == GapReason.OVERLOAD;
      boolean isHidden =
          isEviction
              ? broken.contains(Rule.EVICTED_IS_REPORTED)
              : isGap && broken.contains(Rule.GAP_IS_PASSED_ON);
      return isHidden ? List.of() : List.of(sent);
    }

    private List<LinkRecord> begin(LinkRecord.Begin begun) {
      Long before = epochs.put(begun.ref(), begun.epoch());
      Integer stream = streams.put(begun.ref(), begun.place().stream());
      if (broken.contains(Rule.SOURCE_CONFIRMS_PLACES_OF_LEAVES)) {
        boolean isOfStream = stream != null && stream == begun.place().stream();
        return List.of(
            new LinkRecord.Begin(
                begun.ref(), begun.epoch(), begun.offset(), begun.place(), isOfStream));
      }
      if (before != null && broken.contains(Rule.ANOTHER_ROOT_IS_ANOTHER_STREAM)) {
        return List.of(
            new LinkRecord.Begin(begun.ref(), begun.epoch(), begun.offset(), null, true));
      }
      if (before != null && broken.contains(Rule.LOG_PRECEDES_GAP)) {
        return List.of(begun, new LinkRecord.Live(begun.ref()));
      }
      if (broken.contains(Rule.ROOTS_HAVE_SEPARATE_STREAMS)) {
        return List.of(
            new LinkRecord.Begin(
                begun.ref(),
                begun.epoch(),
                begun.offset(),
                new StreamPlace(ONE_STREAM, begun.place().ids(), new long[0], true),
                begun.isConfirmed()));
      }
      return List.of(begun);
    }
  }

  @Override
  public String toString() {
    return "tiers: roots=%s network=%s".formatted(roots, network);
  }
}
