package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.broker.jms.QueueSupport;
import io.sluice.gateway.broker.request.JmsRequests;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.protocol.Feature;
import java.util.Set;

/** Consumers of queues, and requests, at one broker. Any thread. */
public final class JmsQueueSupport implements QueueSupport {
  private final JmsQueues queues;
  private final JmsRequests requests;

  private JmsQueueSupport(QueueOptions options, RequestLimits limits, BrokerAccess broker) {
    this.requests = new JmsRequests(limits, broker);
    this.queues = new JmsQueues(options, broker);
  }

  /** Returns the factory for a node's broker. */
  public static QueueSupport.Factory factory(QueueOptions options, RequestLimits limits) {
    return broker -> new JmsQueueSupport(options, limits, broker);
  }

  @Override
  public Queues queues() {
    return queues;
  }

  @Override
  public Requests requests() {
    return requests;
  }

  @Override
  public Set<Feature> usable(Set<Feature> features) {
    return features;
  }

  @Override
  public void onBrokerConnected() {
    requests.onBrokerConnected();
  }

  @Override
  public void onBrokerLost() {
    requests.onBrokerLost();
  }

  @Override
  public void stop() {
    requests.stop();
    queues.stop();
  }
}
