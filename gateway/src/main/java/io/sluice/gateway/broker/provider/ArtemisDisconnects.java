package io.sluice.gateway.broker.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.DisconnectConsumerMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Packets by which the broker closes consumers. It sends one for each consumer of a session that it
 * closes, before it stops to deliver. They are handled on the thread that reads the connection, so
 * a canary that arrives later finds the consumer disconnected. Any thread.
 *
 * <p>The client itself would close the consumer with a request. A session that the broker has
 * closed leaves this request unanswered, and the call timeout then fails the whole connection.
 */
final class ArtemisDisconnects implements Interceptor {
  /** Consumer at the broker. */
  private record Key(Object connection, long channel, long consumer) {
    static Key of(ClientSessionInternal session, ClientConsumer consumer) {
      ActiveMQSessionContext context = (ActiveMQSessionContext) session.getSessionContext();
      return new Key(
          session.getConnection().getID(),
          context.getSessionChannel().getID(),
          consumer.getConsumerContext().getId());
    }
  }

  private final Map<Key, Runnable> consumers = new ConcurrentHashMap<>();
  private final Queue<SimpleString> abandonedQueues = new ConcurrentLinkedQueue<>();

  /** Registers an action that runs when the broker closes the consumer. */
  void add(ClientSessionInternal session, ClientConsumer consumer, Runnable action) {
    consumers.put(Key.of(session, consumer), action);
  }

  /** Removes a consumer that is being closed. */
  void remove(ClientSessionInternal session, ClientConsumer consumer) {
    consumers.remove(Key.of(session, consumer));
  }

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (!(packet instanceof DisconnectConsumerMessage disconnect)) {
      return true;
    }
    Runnable action =
        consumers.remove(
            new Key(connection.getID(), packet.getChannelID(), disconnect.getConsumerId()));
    if (action == null) {
      return true;
    }
    action.run();
    return false;
  }

  /** Records a queue whose session has ended. The broker keeps it until the connection ends. */
  void abandon(SimpleString queue) {
    abandonedQueues.add(queue);
  }

  /** Removes and returns the queues that have to be deleted on another session. */
  List<SimpleString> removeAbandoned() {
    List<SimpleString> queues = new ArrayList<>();
    for (SimpleString queue = abandonedQueues.poll();
        queue != null;
        queue = abandonedQueues.poll()) {
      queues.add(queue);
    }
    return queues;
  }
}
