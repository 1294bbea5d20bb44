package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Subscriptions of one client. All events are tasks of the dispatcher. */
final class Subscriptions {
  /** Refusals after which the node may accept the subscription later. */
  static final Set<String> TEMPORARY =
      Set.of("rate-limited", "broker-unavailable", "too-many-topics", "too-many-consumers");

  private final SluiceClient client;

  /** Subscriptions by topic and selector; any thread may use it. */
  private final Map<String, Subscription> byKey =
      Collections.synchronizedMap(new LinkedHashMap<>());

  /** Subscriptions that were requested on this connection. */
  private final Map<Long, Subscription> byRef = new HashMap<>();

  private Connection connection;

  Subscriptions(SluiceClient client) {
    this.client = client;
  }

  static String key(String topic, String where) {
    return where == null ? topic : topic + " " + where;
  }

  /** Adds a subscription; requires that there is none of the topic with the same selector. */
  Subscription add(String topic, SubscribeOptions options, SubscriptionListener listener) {
    Subscription subscription = new Subscription(this, topic, options, listener);
    if (byKey.putIfAbsent(subscription.key(), subscription) != null) {
      throw new IllegalStateException("a subscription exists: " + subscription.key());
    }
    client.dispatcher().execute(() -> request(subscription));
    return subscription;
  }

  void close(Subscription subscription) {
    if (byKey.remove(subscription.key(), subscription)) {
      client.dispatcher().execute(() -> end(subscription));
    }
  }

  void guard(Runnable callback) {
    client.guard(callback);
  }

  private void request(Subscription subscription) {
    boolean isKnown = byKey.get(subscription.key()) == subscription;
    if (connection == null || !isKnown) {
      return;
    }
    if (subscription.isTagged() && !connection.hasFeature("selectors")) {
      refuse(subscription, new SluiceException("unsupported", "the node has no selectors"));
      return;
    }
    subscription.onState(SubscriptionState.PENDING);
    long ref = client.nextRef();
    byRef.put(ref, subscription);
    connection.send(subscription.frame(ref, subscription.continuity.onSubscribe()));
  }

  private void end(Subscription subscription) {
    Long ref = refOf(subscription);
    if (ref != null && connection != null) {
      byRef.remove(ref);
      connection.send(subscription.unsubscribe(client.nextRef(), ref));
    }
    subscription.onState(SubscriptionState.CLOSED);
  }

  private Long refOf(Subscription subscription) {
    for (Map.Entry<Long, Subscription> entry : byRef.entrySet()) {
      if (entry.getValue() == subscription) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Returns a copy of all subscriptions, the oldest first. */
  Collection<Subscription> all() {
    synchronized (byKey) {
      return new ArrayList<>(byKey.values());
    }
  }

  void onOpen(Connection opened) {
    connection = opened;
    byRef.clear();
    all().forEach(this::request);
  }

  /**
   * Continues on another connection, on which requests were sent already.
   *
   * @param refs valid requests by their number
   */
  void onMove(Connection opened, Map<Long, Subscription> refs) {
    connection = opened;
    byRef.clear();
    byRef.putAll(refs);
    for (Subscription subscription : all()) {
      if (refs.containsValue(subscription)) {
        subscription.continuity.onSubscribe();
      } else {
        request(subscription);
      }
    }
  }

  void onEnd() {
    connection = null;
    byRef.clear();
    all().forEach(subscription -> subscription.onState(SubscriptionState.PENDING));
  }

  void onSubscribed(Frame answer) {
    Subscription subscription = byRef.get(answer.ref());
    if (subscription != null) {
      subscription.generation++;
      String gap = subscription.continuity.onSubscribed(answer, connection.overlap());
      if (gap != null) {
        subscription.onGap(gap);
      }
      subscription.failures = 0;
      subscription.onState(SubscriptionState.LIVE);
    }
  }

  void onMessage(Frame frame) {
    String pattern = frame.optionalText("pattern");
    Subscription subscription = answered(frame, pattern == null ? frame.text("topic") : pattern);
    if (subscription != null) {
      Message message = Message.of(frame);
      if (subscription.continuity.onMessage(frame)) {
        subscription.onMessage(message);
      }
    }
  }

  void onGap(Frame frame) {
    Subscription subscription = answered(frame, frame.text("topic"));
    if (subscription != null) {
      subscription.generation++;
      subscription.onGap(subscription.continuity.onGap(frame));
    }
  }

  /** Reports a gap to the subscription of an unreadable frame, or to all if it is unknown. */
  void onUnreadable(Frame frame) {
    Object pattern = frame.get("pattern");
    Object key = pattern == null ? frame.get("topic") : pattern;
    Object ref = frame.get("ref");
    Subscription found =
        ref != null ? byRef.get(ref) : key instanceof String ? byKey.get(key) : null;
    for (Subscription one : found == null ? all() : List.of(found)) {
      if (one.continuity.isAnswered()) {
        one.generation++;
        if (found != null) {
          one.continuity.onUnreadable(frame);
        }
        one.onGap("unreadable");
      }
    }
  }

  /** Refuses the subscription whose answer is unreadable. */
  void onUnreadableAnswer(Frame frame, SluiceException error) {
    Subscription subscription = byRef.remove(frame.get("ref"));
    if (subscription != null) {
      refuse(subscription, error);
    }
  }

  private Subscription answered(Frame frame, String topic) {
    Subscription found = frame.has("ref") ? byRef.get(frame.ref()) : byKey.get(topic);
    return found != null && found.continuity.isAnswered() ? found : null;
  }

  void onCaughtUp(long time) {
    all().forEach(subscription -> subscription.continuity.onCaughtUp(time));
  }

  /** Returns whether the error belongs to a subscription. */
  boolean onError(Frame frame) {
    Subscription subscription = frame.has("ref") ? byRef.remove(frame.ref()) : null;
    if (subscription == null) {
      return false;
    }
    refuse(subscription, Connection.error(frame));
    return true;
  }

  private void refuse(Subscription subscription, SluiceException error) {
    subscription.generation++;
    subscription.onState(SubscriptionState.REFUSED);
    subscription.onError(error);
    if (TEMPORARY.contains(error.code())) {
      int failures = ++subscription.failures;
      client.retry(failures, () -> retry(subscription, failures));
    }
  }

  private void retry(Subscription subscription, int failures) {
    if (subscription.state() == SubscriptionState.REFUSED && subscription.failures == failures) {
      request(subscription);
    }
  }

  /** Requests the refused subscriptions again, because the node has accepted another credential. */
  void onRefreshed() {
    all().forEach(subscription -> retry(subscription, subscription.failures));
  }

  void onClose() {
    connection = null;
    all().forEach(subscription -> subscription.onState(SubscriptionState.CLOSED));
    byKey.clear();
  }
}
