package io.sluice.gateway.broker.provider.classic;

import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.management.JMSStatsImpl;
import org.apache.activemq.transport.Transport;

/** Factory of {@link ClassicConnection}s, which is never serialized. Any thread. */
@SuppressWarnings("serial")
public final class ClassicConnections extends ActiveMQConnectionFactory {
  /** Creates a factory for the brokers of a URL. */
  public ClassicConnections(String url) {
    super(url);
  }

  @Override
  protected ActiveMQConnection createActiveMQConnection(Transport transport, JMSStatsImpl stats)
      throws Exception {
    return new ClassicConnection(
        transport, getClientIdGenerator(), getConnectionIdGenerator(), stats);
  }
}
