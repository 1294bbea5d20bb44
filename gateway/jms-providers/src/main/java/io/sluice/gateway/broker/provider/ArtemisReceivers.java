package io.sluice.gateway.broker.provider;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveLargeMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor that passes messages to their consumers on the thread that reads the connection.
 * Otherwise the client passes each message to another thread, whose wake-up costs more than its
 * work. Any thread.
 *
 * <p>A receiver must never block, because nothing else reads the connection.
 */
final class ArtemisReceivers implements Interceptor {
  /** Consumer of messages. Called on the thread that reads the connection. */
  interface Receiver {
    /** Receives a message; returns false if the client must queue it for another thread. */
    boolean receive(SessionReceiveMessage packet);

    /** The client queues a message for another thread. */
    void onQueued(int messages);
  }

  private final Map<ArtemisDisconnects.Key, Receiver> receivers = new ConcurrentHashMap<>();

  /** Channels on which a consumer is being opened. */
  private final Set<ArtemisDisconnects.Channel> opening = ConcurrentHashMap.newKeySet();

  /** Messages that the client queued for consumers that are not registered. */
  private final Map<ArtemisDisconnects.Key, Integer> queuedEarly = new HashMap<>();

  /** Begins to open a consumer. One thread at a time opens those of a channel. */
  void begin(ArtemisDisconnects.Channel channel) {
    opening.add(channel);
  }

  /** Registers the consumer that was opened, and reports the messages that were queued for it. */
  synchronized void add(ArtemisDisconnects.Key key, Receiver receiver) {
    Integer queued = queuedEarly.remove(key);
    if (queued != null) {
      receiver.onQueued(queued);
    }
    receivers.put(key, receiver);
  }

  /** Ends the opening of a consumer, which may have failed. */
  synchronized void end(ArtemisDisconnects.Channel channel) {
    opening.remove(channel);
    queuedEarly.keySet().removeIf(key -> key.channel().equals(channel));
  }

  /** Removes a consumer that is being closed. The client queues or discards its messages. */
  void remove(ArtemisDisconnects.Key key) {
    receivers.remove(key);
  }

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (packet instanceof SessionReceiveMessage message) {
      Receiver receiver = receiver(packet, connection, message.getConsumerID());
      return receiver == null || !receiver.receive(message);
    }
    if (packet instanceof SessionReceiveLargeMessage large) {
      Receiver receiver = receiver(packet, connection, large.getConsumerID());
      if (receiver != null) {
        receiver.onQueued(1);
      }
    }
    return true;
  }

  /** Returns the receiver, or null if the consumer is not registered. */
  private Receiver receiver(Packet packet, RemotingConnection connection, long consumer) {
    ArtemisDisconnects.Channel channel =
        new ArtemisDisconnects.Channel(connection.getID(), packet.getChannelID());
    ArtemisDisconnects.Key key = new ArtemisDisconnects.Key(channel, consumer);
    Receiver receiver = receivers.get(key);
    if (receiver != null) {
      return receiver;
    }
    return opening.contains(channel) ? countEarly(key) : receivers.get(key);
  }

  /** Counts a message of a consumer that is being opened; returns the consumer if it is by now. */
  private synchronized Receiver countEarly(ArtemisDisconnects.Key key) {
    Receiver receiver = receivers.get(key);
    if (receiver == null) {
      queuedEarly.merge(key, 1, Integer::sum);
    }
    return receiver;
  }
}
