package io.sluice.gateway.sim.queue;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import java.util.List;

/** Consumers of queues that violate rules. Without any, they only pass calls on. */
final class ViolatingQueues implements Queues {
  private static final int EXTRA_CREDIT = 2;

  private static final SettleListener IGNORED =
      new SettleListener() {
        @Override
        public void onSettled() {}

        @Override
        public void onRefused(ErrorCode code, String why) {}
      };

  private final Queues queues;
  private final QueueWorld world;

  ViolatingQueues(Queues queues, QueueWorld world) {
    this.queues = queues;
    this.world = world;
  }

  // The simulated broker ignores the selector, which tells the session its consumer.
  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    QueueRequest passed =
        new QueueRequest(
            request.requester(),
            request.queue(),
            request.subscription(),
            Integer.toString(world.consumers.size()),
            credit(request.credit()));
    NodeConsumer state = new NodeConsumer(request.credit());
    world.consumers.add(state);
    Listener violating = new Listener(listener);
    return new Consumer(queues.consume(passed, violating), violating, state);
  }

  private int credit(int credit) {
    boolean more = world.breaks(QueueRule.CREDIT_LIMITS_PENDING) && credit > 0;
    return more ? credit + EXTRA_CREDIT : credit;
  }

  @Override
  public void browse(QueueRequest request, int max, BrowseListener listener) {
    queues.browse(request, max, listener);
  }

  @Override
  public void publish(List<Publication> publications, PublishListener listener) {
    queues.publish(publications, listener);
  }

  @Override
  public void list(
      Requester requester, String principal, int max, ResultListener<List<DurableState>> listener) {
    queues.list(requester, principal, max, listener);
  }

  @Override
  public void delete(
      Requester requester, TopicSubscription subscription, ResultListener<Void> listener) {
    queues.delete(requester, subscription, listener);
  }

  private final class Listener implements QueueListener {
    private final QueueListener listener;

    /** True between a failed settlement and the release that follows it. */
    private boolean failed;

    Listener(QueueListener listener) {
      this.listener = listener;
    }

    @Override
    public void onConsuming() {
      listener.onConsuming();
    }

    @Override
    public void onDelivery(QueueDelivery delivery) {
      boolean perhaps = delivery.redelivery() == Redelivery.UNKNOWN;
      listener.onDelivery(
          perhaps && world.breaks(QueueRule.LOST_COUNT_IS_MARKED) ? unmarked(delivery) : delivery);
    }

    private static QueueDelivery unmarked(QueueDelivery delivery) {
      return new QueueDelivery(
          delivery.tag(),
          Redelivery.NONE,
          delivery.identity(),
          delivery.timeMs(),
          delivery.kind(),
          delivery.payload(),
          delivery.properties(),
          delivery.messageType(),
          delivery.correlationId(),
          delivery.replyTo(),
          delivery.group(),
          delivery.topic());
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      boolean lost = reason == ReleaseReason.BROKER_LOST;
      boolean late = reason == ReleaseReason.TIMEOUT;
      boolean follows = lost && failed;
      failed &= !lost;
      if (!(lost && world.breaks(QueueRule.LOSS_RELEASES))
          && !(follows && world.breaks(QueueRule.FAILURE_RELEASES))
          && !(late && world.breaks(QueueRule.TIMEOUT_RELEASES))) {
        listener.onReleased(tag, reason);
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      listener.onRefused(code, why);
    }
  }

  private final class Consumer implements QueueConsumer {
    private final QueueConsumer consumer;
    private final Listener events;
    private final NodeConsumer state;

    /** Release that a violation applies before the next settlement. */
    private Runnable held = () -> {};

    Consumer(QueueConsumer consumer, Listener events, NodeConsumer state) {
      this.consumer = consumer;
      this.events = events;
      this.state = state;
    }

    @Override
    public void credit(int newCredit) {
      state.credit(newCredit);
      consumer.credit(ViolatingQueues.this.credit(newCredit));
    }

    @Override
    public void settle(long tag, boolean upTo, Settlement how, SettleListener listener) {
      boolean covered = upTo && !world.breaks(QueueRule.UP_TO_COVERS_ALL);
      held.run();
      held = () -> {};
      if (how == Settlement.RELEASE && world.breaks(QueueRule.RELEASE_ENDS_DELIVERY)) {
        held = () -> consumer.settle(tag, covered, how, IGNORED);
        listener.onSettled();
        return;
      }
      consumer.settle(tag, covered, how, new Result(listener, events));
      if (world.breaks(QueueRule.SETTLED_AFTER_STORE)) {
        listener.onSettled();
      }
    }

    @Override
    public void respond(long tag, Publication reply, PublishListener listener) {
      consumer.respond(tag, reply, listener);
    }

    @Override
    public void transact(
        List<Acknowledgement> acknowledgements,
        List<Publication> publications,
        PublishListener listener) {
      consumer.transact(acknowledgements, publications, listener);
    }

    @Override
    public void close() {
      if (!world.breaks(QueueRule.CLOSE_RELEASES)) {
        state.close();
        consumer.close();
      }
    }
  }

  private final class Result implements SettleListener {
    private final SettleListener listener;
    private final Listener events;

    Result(SettleListener listener, Listener events) {
      this.listener = listener;
      this.events = events;
    }

    @Override
    public void onSettled() {
      if (!world.breaks(QueueRule.SETTLED_AFTER_STORE)) {
        listener.onSettled();
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.failed |= code == ErrorCode.SETTLE_FAILED;
      if (!world.breaks(QueueRule.SETTLED_AFTER_STORE)
          && !world.breaks(QueueRule.FAILURE_IS_ANSWERED)) {
        listener.onRefused(code, why);
      }
    }
  }
}
