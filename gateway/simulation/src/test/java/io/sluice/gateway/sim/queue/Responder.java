package io.sluice.gateway.sim.queue;

import java.util.List;

/** Application at the broker that answers requests: late, twice, in vain or not at all. */
final class Responder {
  /** Beginning of each reply; the text of the request follows. */
  static final String PREFIX = "re:";

  private static final List<Long> DELAYS =
      List.of(QueuePlan.MILLI, 50 * QueuePlan.MILLI, QueuePlan.SECOND, 10 * QueuePlan.SECOND);

  private final QueueWorld world;

  Responder(QueueWorld world) {
    this.world = world;
  }

  /** Answers a message of its queue later. */
  void onAccepted(QueuedMessage message) {
    if (message.content.queue().equals(QueuePlan.SERVICE)) {
      world.timeline.after(world.random.between(0, world.random.of(DELAYS)), () -> take(message));
    }
  }

  private void take(QueuedMessage message) {
    if (world.broker.take(message) == null || message.content.replyTo() == null) {
      return;
    }
    switch (world.random.below(8)) {
      case 0 -> world.trace.note("node", () -> "no reply to " + message);
      case 1 -> {
        answer(message);
        world.timeline.after(world.random.between(0, QueuePlan.SECOND), () -> answer(message));
      }
      case 2 -> {
        reply(message, message.content.correlationId() + "0", "of nothing");
        answer(message);
      }
      default -> answer(message);
    }
  }

  private void answer(QueuedMessage message) {
    reply(message, message.content.correlationId(), PREFIX + message.content.text());
  }

  private void reply(QueuedMessage message, String correlationId, String text) {
    world.broker.reply(message.content.replyTo(), correlationId, text);
  }
}
