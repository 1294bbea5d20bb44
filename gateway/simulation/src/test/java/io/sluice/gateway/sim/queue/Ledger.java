package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.queue.QueuedMessage.State;
import java.util.List;

/** Checks of the guarantees of docs/PROTOCOL.md, section 12, for each message. */
final class Ledger {
  private final QueueWorld world;

  Ledger(QueueWorld world) {
    this.world = world;
  }

  /** A client has received a delivery. */
  void onDelivery(String client, QueueNode node, Dispatch dispatch, boolean redelivered) {
    QueuedMessage message = dispatch.message;
    world.tally.delivered++;
    if (dispatch.received) {
      world.fail(client, "receives the same dispatch of " + message + " twice");
    }
    if (message.settledMicros >= 0 && message.settledMicros < dispatch.atMicros) {
      world.fail(client, "receives " + message + ", which is settled");
    }
    if (redelivered) {
      world.tally.redelivered++;
    } else {
      checkUnmarked(client, node, dispatch);
    }
    if (dispatch.count > world.plan.maxAttempts) {
      world.fail(client, "receives attempt " + dispatch.count + " of " + message);
    }
    dispatch.received = true;
    if (message.reached < dispatch.number) {
      message.reached = dispatch.number;
    }
  }

  private void checkUnmarked(String client, QueueNode node, Dispatch dispatch) {
    QueuedMessage message = dispatch.message;
    if (message.reached > 0 && message.reached < dispatch.number) {
      world.fail(client, "receives " + message + " again, unmarked, from " + node.name);
    }
  }

  /** A client has received the answer to an acknowledgement or a rejection. */
  void onSettled(String client, QueuedMessage message, String how) {
    State expected = how.equals("ack") ? State.ACKNOWLEDGED : State.DEAD;
    if (message.state != expected) {
      world.fail(client, "reads settled for " + message + ", which is " + message.state);
    }
    if (message.settledMicros < 0) {
      message.settledMicros = world.timeline.nowMicros();
    }
    world.tally.settled++;
  }

  /** Checks after the faults that no message is lost or left. */
  void checkFinal() {
    for (QueuedMessage message : world.broker.messages()) {
      boolean service = message.content.queue().equals(QueuePlan.SERVICE);
      if (message.transaction != null && world.broker.withText(message.transaction) == null) {
        world.fail("node", message + " is acknowledged by half a transaction");
      }
      boolean left = message.state == State.QUEUED || message.state == State.DISPATCHED;
      if (left && !service) {
        world.fail("node", message + " is still " + message.state);
      }
    }
  }

  /** Returns the number of messages of some queues that are not settled. */
  long left(List<String> queues) {
    return world.broker.messages().stream()
        .filter(each -> queues.contains(each.content.queue()))
        .filter(each -> each.state == State.QUEUED || each.state == State.DISPATCHED)
        .count();
  }
}
