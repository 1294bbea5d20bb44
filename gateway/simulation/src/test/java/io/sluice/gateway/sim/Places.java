package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Check of a subscription to an ordered source. A replay for a position begins after it in each
 * partition. A live message that the client has is later than the answer: the node was behind.
 */
final class Places {
  private final Application application;

  /** Highest id of each partition in the client's position. */
  private Map<Integer, Long> reached = new HashMap<>();

  /** Highest id of each partition up to the answer. */
  private Map<Integer, Long> answered = new HashMap<>();

  private boolean replaysAfterPlace;

  Places(Application application) {
    this.application = application;
  }

  /**
   * @param elsewhere whether the position is of another log; a node that is behind replays by
   *     offset what the client already has
   */
  void onSubscribed(Continuity.Answer answer, boolean elsewhere) {
    boolean recovered = Boolean.TRUE.equals(answer.recovered());
    replaysAfterPlace = recovered && elsewhere;
    answered = highest(answer.ids());
    if (!recovered) {
      reached = highest(answer.ids());
    }
  }

  void onMessage(long id, boolean replayed) {
    int partition = StreamPlace.partition(id);
    if (replayed && replaysAfterPlace && id <= reached.getOrDefault(partition, -1L)) {
      application.fail("a replay repeats " + Long.toHexString(id));
    }
    if (!replayed && id <= answered.getOrDefault(partition, -1L)) {
      application.fail("the answer announces the later " + Long.toHexString(id));
    }
    reached.merge(partition, id, Math::max);
  }

  /** Another stream begins at a gap. */
  void onStream(Continuity.Begun begun) {
    answered = highest(begun.ids());
    reached = highest(begun.ids());
  }

  static Map<Integer, Long> highest(List<Long> ids) {
    Map<Integer, Long> highest = new HashMap<>();
    ids.forEach(id -> highest.merge(StreamPlace.partition(id), id, Math::max));
    return highest;
  }
}
