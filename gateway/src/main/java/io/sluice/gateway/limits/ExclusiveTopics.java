package io.sluice.gateway.limits;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Subscribed topics and the quotas that use them. It counts for each quota the topics that no other
 * quota uses: what one client alone occupies at the broker. For any thread; called when a
 * subscription begins or ends, never for a message.
 *
 * <p>All changes of one topic are atomic, so the counts are exact between event loops. A client
 * that stays behind alone is charged for the topic, even past its limit.
 */
final class ExclusiveTopics {
  private final Map<String, Users> byTopic = new ConcurrentHashMap<>();

  /** Quotas that use one topic, each with its number of subscriptions. Guarded by the map. */
  private static final class Users {
    private Quota only;
    private int subscriptions;

    /** Subscriptions by quota; null while {@link #only} has all of them. */
    private Map<Quota, Integer> shared;

    void add(Quota quota) {
      if (shared == null && (only == null || only == quota)) {
        only = quota;
        subscriptions++;
        return;
      }
      if (shared == null) {
        only.releaseTopic();
        shared = new HashMap<>(4);
        shared.put(only, subscriptions);
      }
      shared.merge(quota, 1, Integer::sum);
    }

    /** Returns whether other subscriptions are left. */
    boolean remove(Quota quota) {
      if (shared != null) {
        shared.merge(quota, -1, Users::sumOrNull);
        if (shared.size() == 1) {
          Map.Entry<Quota, Integer> left = shared.entrySet().iterator().next();
          only = left.getKey();
          subscriptions = left.getValue();
          shared = null;
          only.chargeTopic();
        }
        return true;
      }
      subscriptions--;
      if (subscriptions == 0) {
        quota.releaseTopic();
      }
      return subscriptions > 0;
    }

    private static Integer sumOrNull(int count, int more) {
      return count + more == 0 ? null : count + more;
    }
  }

  /** Adds a subscription; false if its quota may not occupy one more topic alone. */
  boolean add(String topic, Quota quota) {
    return byTopic.compute(topic, (name, users) -> added(users, quota)) != null;
  }

  private static Users added(Users known, Quota quota) {
    if (known == null && !quota.takeTopic()) {
      return null;
    }
    Users users = known == null ? new Users() : known;
    users.add(quota);
    return users;
  }

  /** Removes a subscription that was added. */
  void remove(String topic, Quota quota) {
    byTopic.computeIfPresent(topic, (name, users) -> users.remove(quota) ? users : null);
  }

  /** Returns the number of subscribed topics. */
  int size() {
    return byTopic.size();
  }
}
