package io.sluice.gateway.broker;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Results of the publishes to a source, which are counted before their listeners. Any thread. */
public final class PublishResults {
  private static final Logger log = LoggerFactory.getLogger(PublishResults.class);

  private final GatewayMetrics metrics;

  public PublishResults(GatewayMetrics metrics) {
    this.metrics = metrics;
  }

  /** Notifies a listener that the source has accepted its publish. */
  public void publish(PublishListener listener) {
    metrics.published();
    notifyListener(listener, listener::onPublished);
  }

  /** Notifies a listener that its publish was refused. */
  public void refuse(PublishListener listener, ErrorCode code, String why) {
    metrics.publishRefused(code.code());
    notifyListener(listener, () -> listener.onRefused(code, why));
  }

  // The failure of a listener must not affect other publishes.
  private static void notifyListener(PublishListener listener, Runnable notification) {
    try {
      notification.run();
    } catch (Throwable e) {
      log.atError()
          .addKeyValue("session", listener.requester().session())
          .setCause(e)
          .log("publish.unanswered");
    }
  }
}
