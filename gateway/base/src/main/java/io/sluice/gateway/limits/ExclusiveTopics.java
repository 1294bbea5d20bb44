package io.sluice.gateway.limits;

import io.sluice.gateway.protocol.InterestKey;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Subscribed topics and the quotas that use them. A topic with a selector counts as another topic.
 * For any thread; called when a subscription begins or ends, never for a message.
 *
 * <p>Each quota is charged for the topics that no other quota uses, because it alone causes their
 * subscription at the broker. Changes of one topic are atomic, so the counts are exact between
 * event loops.
 *
 * <p>At the limit, a quota may still subscribe to topics that other quotas use. A topic that no
 * quota uses is rejected. The last quota of a formerly shared topic is charged for it, even past
 * its limit.
 */
final class ExclusiveTopics {
  private final Map<InterestKey, Users> byTopic = new ConcurrentHashMap<>();

  /** Quotas that use one topic, with their numbers of subscriptions. Guarded by the map. */
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

    /** Removes a subscription. Returns whether others remain. */
    boolean remove(Quota quota) {
      if (shared != null) {
        shared.merge(quota, -1, Users::sumOrNull);
        if (shared.size() == 1) {
          Map.Entry<Quota, Integer> left = shared.entrySet().iterator().next();
          only = left.getKey();
          subscriptions = left.getValue();
          shared = null;
          only.addTopicPastLimit();
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

  /**
   * Adds a subscription. Returns false without adding it if the topic is new and the quota's limit
   * of exclusive topics is reached.
   */
  boolean add(InterestKey topic, Quota quota) {
    return byTopic.compute(topic, (name, users) -> addTo(users, quota)) != null;
  }

  private static Users addTo(Users present, Quota quota) {
    if (present == null && !quota.acquireTopic()) {
      return null;
    }
    Users users = present == null ? new Users() : present;
    users.add(quota);
    return users;
  }

  /** Removes a subscription that was added. */
  void remove(InterestKey topic, Quota quota) {
    byTopic.computeIfPresent(topic, (name, users) -> users.remove(quota) ? users : null);
  }

  /** Returns whether any quota uses the topic. */
  boolean contains(InterestKey topic) {
    return byTopic.containsKey(topic);
  }

  /** Returns the number of subscribed topics. */
  int size() {
    return byTopic.size();
  }
}
