package io.sluice.gateway.hub;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Interests without a consumer that another one feeds, by topic or pattern: at most one for all
 * messages, and one for each selector. Bound to the sequencer of the feeding interest.
 */
final class FedInterests {
  private final SubjectTrie<List<Interest>> byTopic = new SubjectTrie<>();
  private final Map<String, List<Interest>> lists = new HashMap<>(2);
  private final List<Interest> all = new ArrayList<>(1);

  void add(Interest interest) {
    all.add(interest);
    List<Interest> same = lists.get(interest.topic());
    if (same == null) {
      same = new ArrayList<>(1);
      lists.put(interest.topic(), same);
      byTopic.put(interest.topic(), same);
    }
    same.add(interest);
  }

  void remove(Interest interest) {
    if (!all.remove(interest)) {
      return;
    }
    List<Interest> same = lists.get(interest.topic());
    same.remove(interest);
    if (same.isEmpty()) {
      lists.remove(interest.topic());
      byTopic.remove(interest.topic(), same);
    }
  }

  /** Returns the interests, in the order in which they were added; a view. */
  List<Interest> all() {
    return all;
  }

  /** Calls back with each interest whose topic or pattern covers a topic. */
  void forEachCovering(String topic, Consumer<Interest> action) {
    byTopic.forEachCovering(topic, same -> same.forEach(action));
  }
}
