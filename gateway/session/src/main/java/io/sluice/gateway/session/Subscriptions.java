package io.sluice.gateway.session;

import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.shard.Subscription;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Subscriptions of a client, and the checks of a new one. Created with the first subscription.
 * Bound to the client's event loop.
 */
final class Subscriptions {
  /** Name of the action in the audit log. */
  private static final String ACTION = "subscribe";

  private final Session session;

  /** The only subscription, if there is one: it saves most clients a map of 90 B. */
  private Subscription only;

  /**
   * All subscriptions: plain ones by topic, tagged ones by ref ({@link Long}). Null until there are
   * two.
   */
  private Map<Object, Subscription> many;

  /** Null until the number of subscribes exceeds the limit of subscriptions. */
  private TokenBucket bucket;

  private int subscribes;

  /** Numbers of subscriptions by topic and selector; without a selector they are not counted. */
  private Map<InterestKey, Integer> selectors = Map.of();

  Subscriptions(Session session) {
    this.session = session;
  }

  int count() {
    if (many != null) {
      return many.size();
    }
    return only == null ? 0 : 1;
  }

  /** Returns the delivery watermark of all subscriptions, Unix milliseconds; 0 without one. */
  long provenMs() {
    long provenMs = Long.MAX_VALUE;
    for (Subscription subscription : all()) {
      provenMs = Math.min(provenMs, subscription.provenMs());
    }
    return provenMs == Long.MAX_VALUE ? 0 : Math.min(provenMs, session.shard.provenMs());
  }

  /** Returns the sources of all subscriptions as a bit set of their numbers. */
  int sources() {
    int sources = 0;
    for (Subscription subscription : all()) {
      sources |= 1 << subscription.source();
    }
    return sources;
  }

  void onSubscribe(ClientFrame.Subscribe frame) {
    SessionPolicy policy = session.policy;
    String topic = frame.topic();
    TopicRules.Problem problem = policy.subscribeProblem(frame.key(), session.client.grant());
    if (problem != null) {
      session.refuse(ACTION, frame.ref(), problem, Destination.topic(topic));
    } else if (frame.tagged() ? session.isRefInUse(frame.ref()) : contains(topic)) {
      String why =
          frame.tagged()
              ? "ref " + frame.ref() + " already identifies a tagged subscription or a consumer"
              : "already subscribed to this topic";
      session.error(frame.ref(), ErrorCode.ALREADY_SUBSCRIBED, why, Destination.topic(topic));
    } else if (count() >= policy.options.subscriptions()) {
      policy.metrics.limitReached(LimitSettings.SUBSCRIPTIONS.key());
      String why =
          "limit of " + policy.options.subscriptions() + " subscriptions per client reached";
      refuse(frame, ErrorCode.TOO_MANY_SUBSCRIPTIONS, why);
    } else if (hasTooManySelectors(frame.key())) {
      policy.metrics.limitReached(LimitSettings.SELECTORS.key());
      String why =
          "client has %d different selectors; %s is %d"
              .formatted(
                  selectors.size(), LimitSettings.SELECTORS.key(), policy.options.maxSelectors());
      refuse(frame, ErrorCode.TOO_MANY_SUBSCRIPTIONS, why);
    } else if (!takeToken()) {
      String why = "over " + policy.options.subscribeRate() + " subscribes a second";
      refuse(frame, ErrorCode.RATE_LIMITED, why);
    } else {
      subscribeWithinQuotas(frame);
    }
  }

  private boolean hasTooManySelectors(InterestKey key) {
    return key.hasSelector()
        && !selectors.containsKey(key)
        && selectors.size() >= session.policy.options.maxSelectors();
  }

  private void countSelector(InterestKey key) {
    if (key.hasSelector()) {
      selectors = selectors.isEmpty() ? new HashMap<>(2) : selectors;
      selectors.merge(key, 1, Integer::sum);
    }
  }

  private void uncountSelector(InterestKey key) {
    if (key.hasSelector()) {
      selectors.computeIfPresent(key, (any, count) -> count == 1 ? null : count - 1);
    }
  }

  // Most clients subscribe less often than the limit of subscriptions and need no bucket.
  private boolean takeToken() {
    if (++subscribes <= session.policy.options.subscriptions()) {
      return true;
    }
    long nowNs = System.nanoTime();
    if (bucket == null) {
      int rate = session.policy.options.subscribeRate();
      bucket = new TokenBucket(rate, rate, nowNs);
    }
    return bucket.take(nowNs);
  }

  private void subscribeWithinQuotas(ClientFrame.Subscribe frame) {
    Limit exceeded = session.connection.lease().subscribe(frame.key());
    if (exceeded != null) {
      refuse(frame, ErrorCode.TOO_MANY_TOPICS, exceeded.problem()); // shared, so it may end
    } else {
      countSelector(frame.key());
      add(
          session.shard.subscribe(
              session, frame.key(), frame.ref(), frame.tagged(), frame.start(), frame.delivery()));
      session.policy.metrics.subscriptionAdded();
      session.onSources();
    }
  }

  private void refuse(ClientFrame.Subscribe frame, ErrorCode code, String why) {
    session.refuse(ACTION, frame.ref(), code, why, Destination.topic(frame.topic()));
  }

  void onUnsubscribe(ClientFrame.Unsubscribe frame) {
    long ref = frame.subscription();
    boolean tagged = ref != ClientFrame.NO_REF;
    Object key = key(tagged, frame.topic(), ref);
    Subscription ended = get(key);
    boolean matches = frame.topic() == null || ended != null && frame.topic().equals(ended.topic());
    if (ended == null || !matches) {
      String why =
          tagged ? "no tagged subscription has ref " + ref : "not subscribed to this topic";
      Destination named = frame.topic() == null ? null : Destination.topic(frame.topic());
      session.error(frame.ref(), ErrorCode.NOT_SUBSCRIBED, why, named);
      return;
    }
    remove(key);
    ended.end();
    onEnd(ended);
    session.onSources();
    session.send(session.policy.frames.unsubscribed(frame.ref(), ended.topic(), ref));
  }

  /** Removes a subscription that the hub has ended or rejected. */
  void onRefused(Subscription subscription, ErrorCode code, String why) {
    remove(key(subscription));
    onEnd(subscription);
    Destination topic = Destination.topic(subscription.topic());
    session.client.auditRefused(ACTION, topic, code.code());
    session.onSources();
    session.send(session.refusal(subscription.ref(), code, why, topic));
    session.closeIfComplete();
  }

  private void onEnd(Subscription ended) {
    session.policy.metrics.subscriptionRemoved();
    session.connection.lease().unsubscribe(ended.key());
    uncountSelector(ended.key());
  }

  /** Ends the subscriptions that the client's new grant no longer allows. */
  void endForbidden() {
    forbidden(session.policy, session.client.grant())
        .forEach(
            (subscription, problem) -> {
              subscription.end();
              onRefused(subscription, problem.code(), problem.message());
            });
  }

  /** Returns the subscriptions that a grant does not allow, with the reason. */
  Map<Subscription, TopicRules.Problem> forbidden(SessionPolicy policy, Grant grant) {
    Map<Subscription, TopicRules.Problem> forbidden = new IdentityHashMap<>(0);
    for (Subscription subscription : all()) {
      InterestKey topic = InterestKey.of(subscription.topic()); // selectors need no permission
      TopicRules.Problem problem = policy.subscribeProblem(topic, grant);
      if (problem != null) {
        forbidden.put(subscription, problem);
      }
    }
    return forbidden;
  }

  /** Returns the same as texts, such as {@code subscribe orders.eu}. */
  Stream<String> forbiddenUses(SessionPolicy policy, Grant grant) {
    return forbidden(policy, grant).keySet().stream().map(each -> ACTION + " " + each.topic());
  }

  /** Ends all subscriptions of a client that has disconnected. */
  void endAll() {
    Collection<Subscription> left = all();
    left.forEach(Subscription::end);
    left.forEach(this::onEnd);
    only = null;
    many = null;
  }

  /** Returns the number of gaps sent to all subscriptions. */
  int gaps() {
    return all().stream().mapToInt(Subscription::gaps).sum();
  }

  /** Returns the figures of the subscriptions whose keys match. */
  List<SubscriptionFigures> figures(Predicate<InterestKey> matches) {
    return all().stream()
        .filter(each -> matches.test(each.key()))
        .map(Subscription::figures)
        .toList();
  }

  private Collection<Subscription> all() {
    if (many != null) {
      return many.values();
    }
    return only == null ? List.of() : List.of(only);
  }

  private static Object key(boolean tagged, String topic, long ref) {
    return tagged ? (Object) ref : topic;
  }

  private static Object key(Subscription subscription) {
    return key(subscription.isTagged(), subscription.topic(), subscription.ref());
  }

  /** Returns whether there is a tagged subscription with a ref, or a plain one of a topic. */
  boolean contains(Object key) {
    return get(key) != null;
  }

  /** Returns the subscription with this key, or null. */
  private Subscription get(Object key) {
    if (many != null) {
      return many.get(key);
    }
    return only != null && key(only).equals(key) ? only : null;
  }

  private void add(Subscription added) {
    if (many != null) {
      many.put(key(added), added);
    } else if (only == null) {
      only = added;
    } else {
      many = new HashMap<>(2);
      many.put(key(only), only);
      many.put(key(added), added);
      only = null;
    }
  }

  private void remove(Object key) {
    if (many != null) {
      many.remove(key);
    } else if (contains(key)) {
      only = null;
    }
  }
}
