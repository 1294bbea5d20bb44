package io.sluice.gateway.broker.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.DisconnectConsumerMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Interceptor of the packets by which the broker closes consumers. When the broker closes a
 * session, it sends one for each of its consumers before it stops delivery. They are handled on the
 * thread that reads the connection, so a canary that arrives later finds the consumer disconnected.
 * Any thread.
 *
 * <p>The client itself would close the consumer with a request. A session that the broker has
 * closed leaves this request unanswered, and the call timeout then fails the whole connection.
 */
final class ArtemisDisconnects implements Interceptor {
  /** Channel of a session, unique among all connections. */
  record Channel(Object connection, long number) {
    static Channel of(ClientSessionInternal session) {
      ActiveMQSessionContext context = (ActiveMQSessionContext) session.getSessionContext();
      return new Channel(session.getConnection().getID(), context.getSessionChannel().getID());
    }
  }

  /** Consumer at the broker. */
  record Key(Channel channel, long consumer) {}

  /** Consumers of one session. Guarded by the outer instance. */
  private static final class OnSession {
    /** Actions that run when the broker closes a consumer; null once it has. */
    private final Map<Long, Runnable> consumers = new HashMap<>();

    /** Consumers that were closed before they were registered; of the current call. */
    private final Set<Long> closedEarly = new HashSet<>();

    /** Stops the opening or closing of a consumer; null while there is none. */
    private Runnable stop;

    /** True if the broker has closed a consumer, and thus perhaps the session. */
    private boolean disconnected;
  }

  private final Map<Channel, OnSession> sessions = new HashMap<>();
  private final Queue<SimpleString> orphanedQueues = new ConcurrentLinkedQueue<>();

  /**
   * Begins to open or close a consumer. One thread at a time opens and closes those of a channel.
   *
   * @param stop runs, perhaps more than once, if the broker may have closed the session and may
   *     leave requests unanswered
   */
  void begin(Channel channel, Runnable stop) {
    if (isDisconnected(channel, stop)) {
      stop.run();
    }
  }

  private synchronized boolean isDisconnected(Channel channel, Runnable stop) {
    OnSession session = sessions.computeIfAbsent(channel, any -> new OnSession());
    session.stop = stop;
    return session.disconnected;
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
    OnSession session = sessions.get(key.channel());
    boolean closed = session.closedEarly.contains(key.consumer());
    // The broker has answered on this session, so it had closed no more than single consumers.
    session.disconnected &= closed;
    session.consumers.put(key.consumer(), closed ? null : action);
    return !closed;
  }

  /** Ends the opening or closing of a consumer, which may have failed. */
  synchronized void end(Channel channel) {
    OnSession session = sessions.get(channel);
    session.stop = null;
    session.closedEarly.clear();
    removeIfUnused(channel, session);
  }

  /** Removes a consumer that is being closed. Its disconnect no longer runs its action. */
  synchronized void remove(Key key) {
    OnSession session = sessions.get(key.channel());
    if (session != null) {
      session.consumers.remove(key.consumer());
      removeIfUnused(key.channel(), session);
    }
  }

  private void removeIfUnused(Channel channel, OnSession session) {
    if (session.consumers.isEmpty() && session.stop == null) {
      sessions.remove(channel);
    }
  }

  @Override
  public boolean intercept(Packet packet, RemotingConnection connection) {
    if (!(packet instanceof DisconnectConsumerMessage disconnect)) {
      return true;
    }
    Channel channel = new Channel(connection.getID(), packet.getChannelID());
    List<Runnable> actions = onDisconnect(new Key(channel, disconnect.getConsumerId()));
    actions.forEach(Runnable::run);
    return actions.isEmpty();
  }

  /** Returns the actions for a consumer that the broker has closed; none if it is unknown. */
  private synchronized List<Runnable> onDisconnect(Key key) {
    OnSession session = sessions.get(key.channel());
    if (session == null) {
      return List.of();
    }
    boolean known = session.consumers.containsKey(key.consumer());
    if (!known && session.stop == null) {
      return List.of();
    }
    session.disconnected = true;
    if (!known) {
      session.closedEarly.add(key.consumer());
    }
    Runnable action = session.consumers.replace(key.consumer(), null);
    return Stream.of(action, session.stop).filter(Objects::nonNull).toList();
  }

  /** Records a queue that could not be deleted. The broker retains it until the connection ends. */
  void addOrphanedQueue(SimpleString queue) {
    orphanedQueues.add(queue);
  }

  /** Returns whether queues have to be deleted on another session. */
  boolean hasOrphanedQueues() {
    return !orphanedQueues.isEmpty();
  }

  /** Removes and returns the queues that have to be deleted on another session. */
  List<SimpleString> removeOrphanedQueues() {
    List<SimpleString> queues = new ArrayList<>();
    for (SimpleString queue = orphanedQueues.poll(); queue != null; queue = orphanedQueues.poll()) {
      queues.add(queue);
    }
    return queues;
  }
}
