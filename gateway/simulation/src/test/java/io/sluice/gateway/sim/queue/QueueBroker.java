package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.queue.QueuedMessage.Content;
import io.sluice.gateway.sim.queue.QueuedMessage.State;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.activemq.command.ActiveMQTextMessage;

/** The broker: queues with delivery counts and a dead-letter queue. It never loses a message. */
final class QueueBroker {
  private final QueueWorld world;
  private final List<QueuedMessage> messages = new ArrayList<>();
  private final List<Dispatch> dispatches = new ArrayList<>();
  private final Map<String, QueuedMessage> byText = new HashMap<>();
  private final Map<String, TreeSet<QueuedMessage>> queues = new HashMap<>();
  private final Map<String, List<SimulatedQueueSession>> consumers = new HashMap<>();
  private final Map<String, ProviderLink> replyQueues = new HashMap<>();

  /** Reply queues with those that were deleted. */
  private final Map<String, ProviderLink> allReplyQueues = new HashMap<>();

  private final List<ProviderLink> links = new ArrayList<>();
  private long replies;
  private boolean up = true;

  QueueBroker(QueueWorld world) {
    this.world = world;
  }

  boolean isUp() {
    return up;
  }

  List<QueuedMessage> messages() {
    return messages;
  }

  List<ProviderLink> links() {
    return links;
  }

  /** Returns the message with this text, or null. */
  QueuedMessage withText(String text) {
    return byText.get(text);
  }

  Dispatch dispatch(long number) {
    return dispatches.get((int) number - 1);
  }

  /** Returns the sessions of nodes. */
  List<SimulatedQueueSession> sessions() {
    return consumers.values().stream().flatMap(List::stream).toList();
  }

  /** Accepts a message. */
  QueuedMessage accept(Content content) {
    QueuedMessage accepted =
        new QueuedMessage(messages.size() + 1, content, world.timeline.nowMicros());
    messages.add(accepted);
    byText.put(content.text(), accepted);
    queue(content.queue()).add(accepted);
    if (content.expiresMicros() > 0) {
      world.timeline.at(content.expiresMicros(), () -> expire(accepted));
    }
    dispatch(content.queue());
    world.responder.onAccepted(accepted);
    return accepted;
  }

  private void expire(QueuedMessage message) {
    if (message.state == State.QUEUED) {
      queue(message.content.queue()).remove(message);
      message.state = State.EXPIRED;
    }
  }

  private TreeSet<QueuedMessage> queue(String name) {
    return queues.computeIfAbsent(
        name, missing -> new TreeSet<>(Comparator.comparingLong(message -> message.number)));
  }

  private List<SimulatedQueueSession> consumers(String queue) {
    return consumers.computeIfAbsent(queue, missing -> new ArrayList<>());
  }

  /** Sends messages to the sessions that have requested one. */
  void dispatch(String queue) {
    List<SimulatedQueueSession> ready =
        new ArrayList<>(consumers(queue).stream().filter(SimulatedQueueSession::isReady).toList());
    TreeSet<QueuedMessage> waiting = queue(queue);
    while (!ready.isEmpty() && !waiting.isEmpty()) {
      QueuedMessage next = waiting.pollFirst();
      SimulatedQueueSession receiver = ready.remove(world.random.below(ready.size()));
      Dispatch dispatch =
          new Dispatch(
              dispatches.size() + 1,
              next,
              receiver,
              next.count > 0,
              next.count + 1,
              world.timeline.nowMicros());
      dispatches.add(dispatch);
      next.state = State.DISPATCHED;
      next.count++;
      receiver.dispatch(dispatch);
    }
  }

  /** Puts an unsettled message back into its queue, unless its attempts are used up. */
  void giveBack(QueuedMessage message) {
    if (message.state != State.DISPATCHED) {
      throw new IllegalStateException(message + " is " + message.state);
    }
    long expires = message.content.expiresMicros();
    if (!world.plan.nodeLimitsAttempts && message.count >= world.plan.maxAttempts) {
      message.state = State.DEAD;
      message.exhausted = true;
    } else if (expires > 0 && expires <= world.timeline.nowMicros()) {
      message.state = State.EXPIRED;
    } else {
      message.state = State.QUEUED;
      String queue = message.content.queue();
      queue(queue).add(message);
      world.timeline.after(0, () -> dispatch(queue));
    }
  }

  void settle(QueuedMessage message, State state) {
    message.state = state;
    world.trace.note("node", () -> message + " is " + state);
    if (state == State.ACKNOWLEDGED && !message.acknowledged) {
      world.fail("node", message + " is acknowledged at the broker by no client");
    }
    if (state == State.DEAD && !message.rejected && !message.exhausted) {
      world.fail("node", message + " is rejected at the broker by no client");
    }
  }

  /** Removes a message that an application at the broker has read; null if it is gone. */
  QueuedMessage take(QueuedMessage message) {
    if (!queue(message.content.queue()).remove(message)) {
      return null;
    }
    message.acknowledged = true;
    message.state = State.ACKNOWLEDGED;
    return message;
  }

  /** Sends a reply. Returns false if its queue does not exist. */
  boolean reply(String to, String correlationId, String text) {
    ProviderLink link = replyQueues.get(to);
    if (link == null) {
      return false;
    }
    try {
      ActiveMQTextMessage reply = new ActiveMQTextMessage();
      reply.setText(text);
      reply.setJMSCorrelationID(correlationId);
      link.reply(reply);
      return true;
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  int waiting(String queue) {
    return queue(queue).size();
  }

  /** Fails at times while there are faults. */
  void checkPermitted(String queue) throws JMSException {
    if (world.isFaulty() && world.random.oneIn(world.plan.refusedOneIn)) {
      throw new InvalidDestinationException("no queue " + queue);
    }
  }

  void add(SimulatedQueueSession session) {
    consumers(session.queue).add(session);
  }

  void remove(SimulatedQueueSession session) {
    consumers(session.queue).remove(session);
  }

  void add(ProviderLink link) {
    links.add(link);
  }

  void remove(ProviderLink link) {
    links.remove(link);
  }

  /** Returns the time at which a node could notice the loss of its reply queue; -1 before. */
  long repliesLostMicros(String replyQueue) {
    return allReplyQueues.get(replyQueue).repliesLostMicros();
  }

  String addReplyQueue(ProviderLink link) {
    String name = Dispatch.TEMPORARY + ++replies;
    allReplyQueues.put(name, link);
    replyQueues.put(name, link);
    return name;
  }

  void removeReplyQueue(String name) {
    replyQueues.remove(name);
  }

  /** Stops for a time. All connections are lost, and perhaps the delivery counts. */
  void restart(long downMicros) {
    up = false;
    for (ProviderLink link : List.copyOf(links)) {
      link.lose(0, world.random.mostlySmall(3 * QueuePlan.SECOND));
      link.closeAtBroker();
    }
    for (QueuedMessage message : messages) {
      stop(message);
    }
    world.timeline.after(downMicros, () -> up = true);
  }

  private void stop(QueuedMessage message) {
    if (message.state == State.QUEUED) {
      if (!message.content.persistent()) {
        queue(message.content.queue()).remove(message);
        message.state = State.LOST;
      } else if (world.plan.losesCounts) {
        message.count = 0;
      }
    }
  }
}
