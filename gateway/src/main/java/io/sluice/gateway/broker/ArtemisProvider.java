package io.sluice.gateway.broker;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;

/** ActiveMQ Artemis by its own client. */
final class ArtemisProvider implements Provider {
  private static final Wildcards WILDCARDS = new Wildcards("*", "#", ".");

  private final ActiveMQConnectionFactory factory;
  private final Credentials credentials;

  ArtemisProvider(Config config) {
    factory = new ActiveMQConnectionFactory(config.get(Settings.BROKER_URL));
    credentials = new Credentials(config);
    // The client's own reconnect would restore consumers and hide the gap: ADR 2.
    factory.setReconnectAttempts(0);
    factory.setInitialConnectAttempts(1);
    // A publish is confirmed to its client only when the broker has answered for it.
    factory.setBlockOnDurableSend(true);
    factory.setBlockOnNonDurableSend(true);
  }

  @Override
  public Connection connect(int index, Runnable onLost) throws JMSException {
    return credentials.connect(factory, index, onLost);
  }

  @Override
  public Wildcards wildcards() {
    return WILDCARDS;
  }

  @Override
  public long timeMs(Message message) throws JMSException {
    if (message instanceof ActiveMQMessage artemis) {
      Long ingress = artemis.getCoreMessage().getIngressTimestamp();
      if (ingress != null) {
        return ingress;
      }
    }
    return message.getJMSTimestamp();
  }

  // "address::queue" is a queue: its messages would be taken from those whom it belongs to.
  @Override
  public boolean isPlainName(String topic) {
    return !topic.contains("::");
  }

  @Override
  public boolean isInternal(String topic) {
    return topic.startsWith("activemq.") || topic.startsWith("$.") || topic.startsWith("$sys.");
  }
}
