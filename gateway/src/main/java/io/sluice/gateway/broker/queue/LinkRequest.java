package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request that concerns subscriptions, with a time limit. Any thread. */
final class LinkRequest<T> implements LinkUser {
  private static final Logger log = LoggerFactory.getLogger(LinkRequest.class);

  private static final String TOO_MANY =
      RequestThreads.MAX + " requests for subscriptions wait for the broker, the maximum of a node";

  /** The request; waits for the broker. */
  interface Work<T> {
    T run(QueueLink link) throws JMSException;
  }

  private final ConsumerActor.Owner owner;
  private final String name;
  private final Work<T> work;
  private final ResultListener<T> listener;
  private final long limitNs;
  private final AtomicBoolean ended = new AtomicBoolean();

  /**
   * Creates a request that has not started.
   *
   * @param name name of the request in the log
   */
  LinkRequest(
      ConsumerActor.Owner owner,
      String name,
      Work<T> work,
      ResultListener<T> listener,
      long timeoutMs) {
    this.owner = owner;
    this.name = name;
    this.work = work;
    this.listener = listener;
    this.limitNs = owner.nowNs() + timeoutMs * 1_000_000;
  }

  @Override
  public void onConnected(QueueLink link) {
    if (!link.callRequest(() -> run(link))) {
      refuse(ErrorCode.RATE_LIMITED, TOO_MANY);
    }
  }

  private void run(QueueLink link) {
    if (ended.get()) {
      return;
    }
    try {
      T result = work.run(link);
      if (end()) {
        listener.onResult(result);
      }
    } catch (SubscriptionRefusal e) {
      refuse(e.code(), e.getMessage());
    } catch (Throwable e) { // a provider's client may fail in any way
      log.atWarn()
          .addKeyValue("request", name)
          .addKeyValue("cause", Credentials.masked(String.valueOf(e)))
          .log("queue.request-failed");
      if (e instanceof JMSSecurityException) {
        refuse(ErrorCode.FORBIDDEN, "the broker denies access to this subscription");
      } else {
        refuse(ErrorCode.BROKER_UNAVAILABLE, "the broker cannot serve the request at the moment");
      }
    }
  }

  private void refuse(ErrorCode code, String why) {
    if (end()) {
      listener.onRefused(code, why);
    }
  }

  private boolean end() {
    boolean first = !ended.getAndSet(true);
    if (first) {
      owner.remove(this);
    }
    return first;
  }

  @Override
  public void onLost(String why) {
    refuse(ErrorCode.BROKER_UNAVAILABLE, why);
  }

  @Override
  public void check(long nowNs) {
    if (nowNs - limitNs >= 0) {
      refuse(ErrorCode.BROKER_UNAVAILABLE, "the broker did not respond in time");
    }
  }

  @Override
  public boolean isOverdue(long nowNs) {
    return false;
  }

  @Override
  public void close() {
    refuse(ErrorCode.BROKER_UNAVAILABLE, "the node is stopping");
  }
}
