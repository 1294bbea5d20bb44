package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import java.util.ArrayList;
import java.util.List;

/**
 * One connection of a node to the broker: its end at the node, its end at the broker, and the
 * network. Each end notices a loss at another time.
 */
final class ProviderLink {
  private static final long POLL = 200 * QueuePlan.MILLI;

  /** Call to the broker; its effect happens at the broker. */
  interface Effect<T> {
    T apply() throws JMSException;
  }

  final String node;
  final SimulatedProvider host;

  private final QueueWorld world;
  private final Runnable onLost;
  private final List<SimulatedQueueSession> sessions = new ArrayList<>();
  private boolean openAtNode = true;
  private boolean openAtBroker = true;

  /** True once the network drops all packets. */
  private boolean silent;

  private long lastDown;

  /** Name of the reply queue, or null. */
  private String replyQueue;

  /** Time at which the node could notice the loss of its reply queue; -1 before. */
  private long repliesLostMicros = -1;

  private MessageListener replies;

  ProviderLink(QueueWorld world, SimulatedProvider host, String node, Runnable onLost) {
    this.world = world;
    this.host = host;
    this.node = node;
    this.onLost = onLost;
  }

  boolean isOpen() {
    return openAtNode && openAtBroker && !silent;
  }

  List<SimulatedQueueSession> sessions() {
    return sessions;
  }

  /** Runs a call and waits for its answer, which may be lost. Called by a fiber. */
  <T> T call(Effect<T> effect) throws JMSException {
    world.fibers.sleep(world.callDelay());
    T result = null;
    JMSException failure = null;
    boolean answered = openAtBroker && !silent;
    if (answered) {
      try {
        result = effect.apply();
      } catch (JMSException e) {
        failure = e;
      }
    }
    world.fibers.sleep(world.callDelay());
    while (openAtNode && (silent || !answered)) {
      world.fibers.sleep(POLL);
    }
    if (failure != null) {
      throw failure;
    }
    boolean late = answered && !silent && world.random.oneIn(2);
    if (!openAtNode && !late) {
      throw new JMSException("the connection is closed");
    }
    return result;
  }

  /** Sends a packet to the node. Packets arrive in order. */
  void toNode(Runnable arrival) {
    if (silent || !openAtNode) {
      return;
    }
    lastDown = Math.max(lastDown, world.timeline.nowMicros() + world.packetDelay());
    world.timeline.at(
        lastDown,
        () -> {
          if (!silent && host.isAlive()) {
            arrival.run();
          }
        });
  }

  SimulatedQueueSession open(String queue, NodeConsumer consumer, QueueSession.Listener listener)
      throws JMSException {
    SimulatedQueueSession session =
        call(
            () -> {
              world.broker.checkPermitted(queue);
              SimulatedQueueSession opened =
                  new SimulatedQueueSession(world, this, queue, consumer, listener);
              sessions.add(opened);
              world.broker.add(opened);
              return opened;
            });
    session.onOpened();
    return session;
  }

  String openReplyQueue() throws JMSException {
    return call(() -> replyQueue = world.broker.addReplyQueue(this));
  }

  void listen(MessageListener listener) {
    replies = listener;
  }

  MessageListener listener() throws JMSException {
    if (replyQueue == null) {
      throw new JMSException("the consumer is closed");
    }
    return replies;
  }

  void reply(jakarta.jms.Message message) {
    toNode(
        () -> {
          if (openAtNode && replyQueue != null) {
            replies.onMessage(message);
          }
        });
  }

  /** Closes the reply queue as an operator of the broker does. */
  void deleteReplyQueue() {
    if (replyQueue != null) {
      world.broker.removeReplyQueue(replyQueue);
      toNode(
          () -> {
            replyQueue = null;
            onRepliesLost();
          });
    }
  }

  private void onRepliesLost() {
    if (repliesLostMicros < 0) {
      repliesLostMicros = world.timeline.nowMicros();
    }
  }

  /** Returns the time at which the node could notice the loss of its reply queue; -1 before. */
  long repliesLostMicros() {
    return repliesLostMicros;
  }

  /** Drops all packets. Each end notices that after a time. */
  void lose(long brokerAfterMicros, long nodeAfterMicros) {
    silent = true;
    world.timeline.after(brokerAfterMicros, this::closeAtBroker);
    world.timeline.after(
        nodeAfterMicros,
        () -> {
          if (openAtNode && host.isAlive()) {
            onRepliesLost();
            onLost.run();
          }
        });
  }

  /** Closes the connection at the node. The broker notices that unless the network is silent. */
  void closeAtNode() {
    openAtNode = false;
    if (!silent) {
      world.timeline.after(world.packetDelay(), this::closeAtBroker);
    }
  }

  /** Closes the connection at the broker: unsettled messages return to their queues. */
  void closeAtBroker() {
    if (openAtBroker) {
      openAtBroker = false;
      world.broker.remove(this);
      world.broker.removeReplyQueue(replyQueue);
      sessions.forEach(SimulatedQueueSession::closeAtBroker);
    }
  }
}
