package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request that concerns subscriptions, with a time limit. Any thread. */
final class LinkRequest<T> extends TimedRequest {
  private static final Logger log = LoggerFactory.getLogger(LinkRequest.class);

  /** The request; waits for the broker. */
  interface Work<T> {
    T run(QueueLink link) throws JMSException;
  }

  private final String user;
  private final String name;
  private final Work<T> work;
  private final ResultListener<T> listener;

  /**
   * Creates a request that has not started.
   *
   * @param user the user that it serves
   * @param name name of the request in the log
   */
  LinkRequest(
      LinkUser.Owner owner,
      String user,
      String name,
      Work<T> work,
      ResultListener<T> listener,
      long timeoutMs) {
    super(owner, timeoutMs, "the broker did not respond in time");
    this.user = user;
    this.name = name;
    this.work = work;
    this.listener = listener;
  }

  @Override
  public String user() {
    return user;
  }

  @Override
  public void onConnected(QueueLink link) {
    link.call(QueueLink.Kind.REQUEST, user, () -> run(link));
  }

  private void run(QueueLink link) {
    if (isEnded()) {
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
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("queue.request-failed");
      if (e instanceof JMSSecurityException) {
        refuse(ErrorCode.FORBIDDEN, "the broker denies access to this subscription");
      } else if (Provider.isUnsupported(e)) {
        refuse(ErrorCode.UNSUPPORTED, "the JMS client does not support the request");
      } else {
        refuse(ErrorCode.BROKER_UNAVAILABLE, "the broker cannot serve the request at the moment");
      }
    }
  }

  @Override
  void onRefused(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  @Override
  public void close() {
    refuse(ErrorCode.BROKER_UNAVAILABLE, "the node is stopping");
  }
}
