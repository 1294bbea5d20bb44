package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that concern durable subscriptions: list and delete of clients and operators, and the
 * node's check for unused ones. Their number is bounded. Any thread.
 */
final class SubscriptionRequests {
  private static final Logger log = LoggerFactory.getLogger(SubscriptionRequests.class);

  private static final String NODE = Requester.NODE.user();

  /** Maximum number of requests at a time. */
  static final int MAX = 512;

  private final LinkUser.Owner owner;
  private final Consumer<LinkUser> starter;
  private final long timeoutMs;
  private final Shares running = new Shares(MAX);

  /** True once a client of this node has used a durable subscription. */
  private volatile boolean used;

  /**
   * Creates an instance without requests.
   *
   * @param starter adds a request to the users of the connection
   */
  SubscriptionRequests(LinkUser.Owner owner, Consumer<LinkUser> starter, long timeoutMs) {
    this.owner = owner;
    this.starter = starter;
    this.timeoutMs = timeoutMs;
  }

  /** A client uses a subscription: unused ones have to be checked for from now on. */
  void onUsed(TopicSubscription subscription) {
    used |= subscription.durable();
  }

  void list(String user, String principal, int max, ResultListener<List<DurableState>> listener) {
    used = true;
    start(user, "list", link -> link.list(principal, max), listener);
  }

  void delete(String user, TopicSubscription subscription, ResultListener<Void> listener) {
    start(
        user,
        "delete",
        link -> {
          link.delete(subscription);
          return null;
        },
        listener);
  }

  /** Checks for unused subscriptions. Without a durable subscription, no connection is opened. */
  void expire() {
    if (used) {
      try {
        start(NODE, "expire", SubscriptionRequests::expire, ResultListener.ignored());
      } catch (Throwable e) { // the timer would run no further checks
        log.atError().setCause(e).log("queue.fault");
      }
    }
  }

  private static Void expire(QueueLink link) throws JMSException {
    link.expire();
    return null;
  }

  private <T> void start(
      String user, String name, LinkRequest.Work<T> work, ResultListener<T> listener) {
    if (!running.take(user, 1)) {
      listener.onRefused(
          ErrorCode.RATE_LIMITED,
          "too many requests for subscriptions at the moment: at most %d per node, and per user as many as are left for others"
              .formatted(MAX));
    } else {
      starter.accept(new LinkRequest<>(owner, user, name, work, listener, timeoutMs));
    }
  }

  /** A request has ended. */
  void onEnded(String user) {
    running.release(user, 1);
  }
}
