package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Session of one consumer: its end at the node, and its end at the broker. */
final class SimulatedQueueSession implements QueueSession {
  private static final long LATE = 3 * QueuePlan.SECOND;
  private static final int LOST_ONE_IN = 50;

  /** Time in which a consumer without messages has to request one. */
  private static final long ASKING = 5 * QueuePlan.SECOND;

  final String queue;
  final ProviderLink link;

  private final QueueWorld world;
  private final NodeConsumer consumer;
  private final Listener listener;

  /** Messages that the session has received and not settled; state at the broker. */
  private final Set<Dispatch> dispatched = new LinkedHashSet<>();

  private boolean requested;

  /** True once the node knows that it is open. */
  private boolean opened;

  private int calls;

  /** Time since which the consumer should have requested a message; -1 if it need not. */
  private long idleMicros = -1;

  /** True after a release, until a violation has suppressed the next request. */
  private boolean hasReturned;

  private boolean closedAtBroker;
  private volatile boolean closedAtNode;

  SimulatedQueueSession(
      QueueWorld world, ProviderLink link, String queue, NodeConsumer consumer, Listener listener) {
    this.world = world;
    this.link = link;
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
  }

  void onOpened() {
    opened = true;
  }

  private void call(ProviderLink.Effect<Void> effect) throws JMSException {
    calls++;
    try {
      link.call(effect);
    } finally {
      calls--;
      idleMicros = -1;
    }
  }

  /** Checks that a consumer with credit and without messages requests one. */
  void checkRequested() {
    long now = world.timeline.nowMicros();
    if (!isIdle()) {
      idleMicros = -1;
    } else if (idleMicros < 0) {
      idleMicros = now;
    } else if (now - idleMicros > ASKING) {
      world.fail(link.node, "requests no message of " + queue + " for an idle consumer");
    }
  }

  private boolean isIdle() {
    boolean open = opened && !closedAtBroker && !closedAtNode && link.isOpen();
    return open && !requested && calls == 0 && dispatched.isEmpty() && consumer.wantsMessages();
  }

  /** Returns whether the broker may send a message. */
  boolean isReady() {
    return requested && !closedAtBroker;
  }

  /** Sends a message to the node. */
  void dispatch(Dispatch next) {
    requested = false;
    dispatched.add(next);
    Dispatch.Jms message = next.jms();
    world.trace.note(link.node, () -> "gets " + next.message + " as dispatch " + next.number);
    link.toNode(
        () -> {
          if (dispatched.contains(next) || closedAtBroker) {
            arrive(message);
          }
        });
    if (world.breaks(QueueRule.LATE_MESSAGE_IS_DROPPED)) {
      world.timeline.after(LATE, () -> link.host.arriveLate(link, queue, message));
    }
  }

  private void arrive(Dispatch.Jms message) {
    if (world.breaks(QueueRule.RECEIVED_IS_DELIVERED)
        && message.dispatch.number % LOST_ONE_IN == 0) {
      return;
    }
    listener.onMessage(message, null);
  }

  @Override
  public void transact(List<Message> acknowledged, Sends sends) throws JMSException {
    world.sending.clear();
    sends.send(null);
    List<QueuedMessage.Content> sent = List.copyOf(world.sending);
    call(
        () -> {
          checkOpen();
          failSometimes();
          for (Message message : acknowledged) {
            settle(message, QueuedMessage.State.ACKNOWLEDGED);
            dispatch(message).message.transaction = sent.get(0).text();
          }
          if (!world.breaks(QueueRule.TRANSACTION_IS_WHOLE)) {
            sent.forEach(world.broker::accept);
          }
          return null;
        });
  }

  /** Closes the session at the broker: its messages return to the queue and count as delivered. */
  void closeAtBroker() {
    if (!closedAtBroker) {
      closedAtBroker = true;
      requested = false;
      world.broker.remove(this);
      returnAll(Set.copyOf(dispatched));
    }
  }

  /** Closes the session as an operator of the broker does. */
  void disconnect() {
    closeAtBroker();
    link.toNode(() -> closedAtNode = true);
  }

  private void returnAll(Set<Dispatch> counted) {
    List<Dispatch> all = new ArrayList<>(dispatched);
    dispatched.clear();
    for (Dispatch each : all) {
      if (!counted.contains(each)) {
        each.message.count--;
      }
      world.broker.giveBack(each.message);
    }
  }

  @Override
  public void request() throws JMSException {
    boolean forgotten = hasReturned && world.breaks(QueueRule.RETURN_ENDS_REQUEST);
    hasReturned = false;
    call(
        () -> {
          requested = !forgotten;
          world.broker.dispatch(queue);
          return null;
        });
  }

  @Override
  public void cancel() throws JMSException {
    call(
        () -> {
          requested = false;
          return null;
        });
  }

  @Override
  public void acknowledge(List<Message> messages) throws JMSException {
    call(
        () -> {
          for (Message message : messages) {
            failSometimes();
            settle(message, QueuedMessage.State.ACKNOWLEDGED);
          }
          return null;
        });
  }

  @Override
  public void reject(Message message, String deadLetter, String from) throws JMSException {
    boolean kept = !world.breaks(QueueRule.REJECTED_IS_KEPT);
    call(
        () -> {
          checkOpen();
          dispatch(message).message.copied |= kept;
          failSometimes();
          settle(message, kept ? QueuedMessage.State.DEAD : QueuedMessage.State.ACKNOWLEDGED);
          return null;
        });
  }

  private static Dispatch dispatch(Message message) {
    return ((Dispatch.Jms) message).dispatch;
  }

  private void checkOpen() throws JMSException {
    if (closedAtBroker) {
      throw new JMSException("the session is closed");
    }
  }

  private void failSometimes() throws JMSException {
    if (world.isFaulty() && world.random.oneIn(world.plan.failedCallOneIn)) {
      throw new JMSException("the broker is out of memory");
    }
  }

  private void settle(Message message, QueuedMessage.State state) throws JMSException {
    checkOpen();
    Dispatch settled = dispatch(message);
    if (!dispatched.remove(settled)) {
      world.fail(link.node, "settles " + settled.message + ", which its session does not have");
    }
    world.broker.settle(settled.message, state);
  }

  @Override
  public void release(List<Message> messages) throws JMSException {
    call(
        () -> {
          checkOpen();
          failSometimes();
          release(messages, false);
          return null;
        });
    hasReturned = true;
  }

  private void release(List<Message> messages, boolean ends) {
    Set<Dispatch> counted = new LinkedHashSet<>();
    messages.forEach(message -> counted.add(dispatch(message)));
    // After a failed settlement, the node does not know which messages are settled.
    if (!ends && !dispatched.containsAll(counted)) {
      world.fail(link.node, "releases a message that its session does not have");
    }
    requested = false;
    if (ends) {
      closedAtBroker = true;
      world.broker.remove(this);
    }
    returnAll(counted);
  }

  @Override
  public void close(List<Message> messages) {
    try {
      call(
          () -> {
            if (!closedAtBroker) {
              release(messages, true);
            }
            return null;
          });
    } catch (JMSException e) {
      // the broker closes the session with the connection
    }
    closedAtNode = true;
  }

  @Override
  public boolean isRedelivered(Message message) {
    return dispatch(message).redelivered && !world.breaks(QueueRule.COUNTED_IS_MARKED);
  }

  @Override
  public boolean isExhausted(Message message) {
    Dispatch dispatch = dispatch(message);
    boolean exhausted = world.plan.nodeLimitsAttempts && dispatch.count > world.plan.maxAttempts;
    dispatch.message.exhausted |= exhausted;
    return exhausted && !world.breaks(QueueRule.ATTEMPTS_ARE_LIMITED);
  }

  @Override
  public boolean isClosed() {
    return closedAtNode;
  }
}
