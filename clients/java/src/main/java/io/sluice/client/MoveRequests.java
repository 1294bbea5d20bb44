package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Subscribe requests on the second connection of a move, and their answers: PROTOCOL.md, section 4.
 * Tasks of the dispatcher use it.
 */
final class MoveRequests {
  /** Request, and the state of the subscription's stream when it was sent. */
  private static final class Request {
    private final Subscription subscription;
    private final int generation;
    private final long count;

    /** Number of the request; null after a temporary refusal. */
    private Long ref;

    private boolean isAnswered;
    private long retryAt = Long.MAX_VALUE;

    Request(Subscription subscription, long ref) {
      this.subscription = subscription;
      this.ref = ref;
      generation = subscription.generation;
      count = subscription.continuity.count();
    }
  }

  private final SluiceClient client;
  private final Connection connection;
  private final Map<Subscription, Request> all = new LinkedHashMap<>();
  private final Map<Long, Request> byRef = new HashMap<>();
  private final Map<Subscription, Integer> refusals = new HashMap<>();
  private final Set<Long> withdrawn = new HashSet<>();
  private boolean isSameNode;
  private boolean isRefused;

  MoveRequests(SluiceClient client, Connection connection) {
    this.client = client;
    this.connection = connection;
  }

  /** Returns whether the node has the logs of the node that the client leaves. */
  boolean isSameNode() {
    return isSameNode;
  }

  /** Returns whether the node has permanently refused a subscription. */
  boolean isRefused() {
    return isRefused;
  }

  /** Sends requests that are missing or outdated. Returns whether all are answered. */
  boolean update() {
    withdrawClosed();
    boolean isReady = true;
    for (Subscription subscription : client.dispatcher().subscriptions().all()) {
      isReady &= subscription.state() == SubscriptionState.REFUSED || isAnswered(subscription);
    }
    return isReady;
  }

  /** Returns the valid requests by their number, and withdraws the others. */
  Map<Long, Subscription> take() {
    withdrawClosed();
    Map<Long, Subscription> valid = new LinkedHashMap<>();
    for (Request request : new ArrayList<>(all.values())) {
      if (!isCurrent(request)) {
        withdraw(request);
      } else if (request.ref != null) {
        valid.put(request.ref, request.subscription);
      }
    }
    return valid;
  }

  /** Records an answer. Returns whether the frame is to be kept for the subscription. */
  boolean onAnswer(Frame frame) {
    Request request = frame.has("ref") ? byRef.get(frame.ref()) : null;
    if (request == null) {
      return true;
    }
    Subscription subscription = request.subscription;
    if (frame.type().equals("subscribed")) {
      request.isAnswered = true;
      isSameNode |= frame.text("epoch").equals(subscription.continuity.epoch());
      return true;
    }
    if (Subscriptions.TEMPORARY.contains(frame.text("code"))) {
      postpone(request);
      return false;
    }
    request.isAnswered = true;
    isRefused = true;
    return true;
  }

  /** Returns whether a frame is the refusal of a request that was withdrawn. */
  boolean isWithdrawn(Frame frame) {
    return frame.type().equals("error") && frame.has("ref") && withdrawn.contains(frame.ref());
  }

  private void postpone(Request request) {
    int count = refusals.merge(request.subscription, 1, Integer::sum);
    request.retryAt = System.nanoTime() / 1_000_000 + client.backoffMs(count);
    byRef.remove(request.ref);
    request.ref = null;
  }

  private boolean isAnswered(Subscription subscription) {
    Request request = all.get(subscription);
    if (request != null && isCurrent(request)) {
      return request.isAnswered;
    }
    if (subscription.isTagged() && !connection.hasFeature("selectors")) {
      isRefused = true;
      return true;
    }
    if (!subscription.continuity.isReplaying()) {
      send(subscription);
    }
    return false;
  }

  private void send(Subscription subscription) {
    Request before = all.get(subscription);
    if (before != null) {
      withdraw(before);
    }
    long ref = client.nextRef();
    Request request = new Request(subscription, ref);
    all.put(subscription, request);
    byRef.put(ref, request);
    connection.send(subscription.frame(ref, subscription.continuity.next()));
  }

  /**
   * Returns whether the answer's stream continues the one of the other connection. After a gap,
   * earlier messages would arrive out of order. At most half of the overlap may be repeated.
   */
  private boolean isCurrent(Request request) {
    Subscription subscription = request.subscription;
    boolean isSame =
        subscription.generation == request.generation && !subscription.continuity.isReplaying();
    long repeated = subscription.continuity.count() - request.count;
    boolean isDue = System.nanoTime() / 1_000_000 >= request.retryAt;
    return isSame && !isDue && repeated <= connection.overlap() / 2;
  }

  private void withdrawClosed() {
    for (Request request : new ArrayList<>(all.values())) {
      if (request.subscription.state() == SubscriptionState.CLOSED) {
        withdraw(request);
      }
    }
  }

  private void withdraw(Request request) {
    all.remove(request.subscription);
    if (request.ref != null && byRef.remove(request.ref) != null) {
      withdrawn.add(request.ref);
      // The answer is read by the call: it may be an error, if the node has refused the request.
      long ref = client.nextRef();
      connection.call(ref, request.subscription.unsubscribe(ref, request.ref));
    }
  }
}
