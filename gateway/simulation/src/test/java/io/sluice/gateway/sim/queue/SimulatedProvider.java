package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.provider.Wildcards;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/** JMS client of one process of a node. */
final class SimulatedProvider implements Provider {
  private final QueueWorld world;
  private final String node;
  private final Map<Connection, ProviderLink> links = new IdentityHashMap<>();
  private final Map<String, QueueSession.Listener> latest = new HashMap<>();
  private boolean alive = true;

  SimulatedProvider(QueueWorld world, String node) {
    this.world = world;
    this.node = node;
  }

  /** Returns whether the process runs. */
  boolean isAlive() {
    return alive;
  }

  /** Terminates the process: the broker notices that for each connection at another time. */
  void terminate() {
    alive = false;
    links.values().forEach(link -> link.lose(world.random.mostlySmall(10 * QueuePlan.SECOND), 0));
  }

  @Override
  public Connection connect(int index, Runnable onLost) throws JMSException {
    world.fibers.sleep(world.callDelay());
    ProviderLink opened = new ProviderLink(world, this, node, onLost);
    if (!world.broker.isUp()) {
      throw new JMSException("connection refused");
    }
    world.broker.add(opened);
    Connection connection = Stubs.connection(opened);
    links.put(connection, opened);
    opened.call(() -> null);
    return connection;
  }

  @Override
  public QueueSession queueSession(
      Connection connection,
      String queue,
      String selector,
      QueueSession.Listener listener,
      Executor executor)
      throws JMSException {
    SimulatedQueueSession opened =
        links
            .get(connection)
            .open(queue, world.consumers.get(Integer.parseInt(selector)), listener);
    latest.put(queue, listener);
    return opened;
  }

  /** Passes a message of a lost connection to the latest session of its queue. */
  void arriveLate(ProviderLink lost, String queue, Message message) {
    if (alive && !lost.isOpen() && latest.containsKey(queue)) {
      latest.get(queue).onMessage(message, null);
    }
  }

  @Override
  public Wildcards wildcards() {
    return new Wildcards("*", ">", ".");
  }
}
