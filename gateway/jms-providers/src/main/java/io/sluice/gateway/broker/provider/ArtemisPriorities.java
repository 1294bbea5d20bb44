package io.sluice.gateway.broker.provider;

import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveLargeMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that limits the priorities of received messages to those of JMS. Senders that use the
 * core API can exceed them, and the JMS client would close the connection. Stateless; any thread.
 */
public final class ArtemisPriorities implements Interceptor {
  private static final int HIGHEST = 9;

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (packet instanceof SessionReceiveMessage small) {
      limit(small.getMessage());
    } else if (packet instanceof SessionReceiveLargeMessage large) {
      limit(large.getLargeMessage().toCore());
    }
    return true;
  }

  private static void limit(ICoreMessage message) {
    int priority = message.getPriority();
    if (priority < 0 || priority > HIGHEST) {
      message.setPriority((byte) Math.max(0, Math.min(HIGHEST, priority)));
    }
  }
}
