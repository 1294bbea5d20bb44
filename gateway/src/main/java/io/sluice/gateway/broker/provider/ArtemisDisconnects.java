package io.sluice.gateway.broker.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.api.core.SimpleString;
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
  /** Channel of a session. */
  record Channel(Object connection, long number) {
    static Channel of(ClientSessionInternal session) {
      ActiveMQSessionContext context = (ActiveMQSessionContext) session.getSessionContext();
      return new Channel(session.getConnection().getID(), context.getSessionChannel().getID());
    }
  }

  /** Consumer at the broker. */
  record Key(Channel channel, long consumer) {}

  /** Consumers by their keys, each with the action that runs when the broker closes it. */
  private final Map<Key, Runnable> consumers = new HashMap<>();

  /**
   * Channels on which a consumer is being opened, each with the consumers that the broker has
   * closed meanwhile. The new one may be closed before its id is known.
   */
  private final Map<Channel, Set<Long>> openings = new HashMap<>();

  private final Queue<SimpleString> abandonedQueues = new ConcurrentLinkedQueue<>();

  /** Begins to open a consumer. One thread at a time opens those of a channel. */
  synchronized void begin(Channel channel) {
    openings.put(channel, new HashSet<>());
  }

  /**
   * Registers the consumer that was opened.
   *
   * @param action runs when the broker closes the consumer; at once if it has
   */
  void add(Key key, Runnable action) {
    if (!register(key, action)) {
      action.run();
    }
  }

  private synchronized boolean register(Key key, Runnable action) {
    if (openings.get(key.channel()).contains(key.consumer())) {
      return false;
    }
    consumers.put(key, action);
    return true;
  }

  /** Ends the opening of a consumer, which may have failed. */
  synchronized void end(Channel channel) {
    openings.remove(channel);
  }

  /** Removes a consumer that is being closed. */
  synchronized void remove(Key key) {
    consumers.remove(key);
  }

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (!(packet instanceof DisconnectConsumerMessage disconnect)) {
      return true;
    }
    Channel channel = new Channel(connection.getID(), packet.getChannelID());
    Runnable action = take(new Key(channel, disconnect.getConsumerId()));
    if (action == null) {
      return true;
    }
    action.run();
    return false;
  }

  /** Returns the action of a consumer that the broker has closed; null if it is unknown. */
  private synchronized Runnable take(Key key) {
    Runnable action = consumers.remove(key);
    Set<Long> closed = openings.get(key.channel());
    if (action == null && closed != null) {
      closed.add(key.consumer());
      return () -> {};
    }
    return action;
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
