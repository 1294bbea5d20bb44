package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.SubjectTrie;
import java.util.HashMap;
import java.util.Map;

/** Interests of the node itself, found by the topics that they cover. Bound to one thread. */
final class WarmInterests {
  private final SubjectTrie<Interest> byPattern = new SubjectTrie<>();
  private final Map<Interest, Integer> order = new HashMap<>();
  private int added;

  /** Adds an interest whose name none of the others has. */
  void add(Interest interest) {
    order.put(interest, added++);
    byPattern.put(interest.name, interest);
  }

  /** Removes an interest if it is here. */
  void remove(Interest interest) {
    if (order.remove(interest) != null) {
      byPattern.remove(interest.name, interest);
    }
  }

  /** Returns the first of the interests, in the order of addition, that cover another name. */
  Interest covering(String name) {
    Interest[] first = {null};
    byPattern.forEachCovering(
        name,
        interest -> {
          boolean other = !interest.name.equals(name);
          if (other && (first[0] == null || order.get(interest) < order.get(first[0]))) {
            first[0] = interest;
          }
        });
    return first[0];
  }
}
