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
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Settlement;
import java.util.List;
import java.util.function.Predicate;

/** Consumers of queues that violate rules. Without any, they only pass calls on. */
final class ViolatingQueues implements Queues {
  private static final int EXTRA_CREDIT = 2;

  private final Queues queues;
  private final Predicate<QueueRule> breaks;

  ViolatingQueues(Queues queues, Predicate<QueueRule> breaks) {
    this.queues = queues;
    this.breaks = breaks;
  }

  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    QueueRequest passed =
        new QueueRequest(
            request.queue(), request.subscription(), request.where(), credit(request.credit()));
    Listener violating = new Listener(listener);
    return new Consumer(queues.consume(passed, violating), violating);
  }

  private int credit(int credit) {
    boolean more = breaks.test(QueueRule.CREDIT_LIMITS_PENDING) && credit > 0;
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
  public void list(String principal, int max, ResultListener<List<DurableState>> listener) {
    queues.list(principal, max, listener);
  }

  @Override
  public void delete(TopicSubscription subscription, ResultListener<Void> listener) {
    queues.delete(subscription, listener);
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
      listener.onDelivery(delivery);
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      boolean lost = reason == ReleaseReason.BROKER_LOST;
      boolean late = reason == ReleaseReason.TIMEOUT;
      boolean follows = lost && failed;
      failed &= !lost;
      if (!(lost && breaks.test(QueueRule.LOSS_RELEASES))
          && !(follows && breaks.test(QueueRule.FAILURE_RELEASES))
          && !(late && breaks.test(QueueRule.TIMEOUT_RELEASES))) {
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

    Consumer(QueueConsumer consumer, Listener events) {
      this.consumer = consumer;
      this.events = events;
    }

    @Override
    public void credit(int newCredit) {
      consumer.credit(ViolatingQueues.this.credit(newCredit));
    }

    @Override
    public void settle(long tag, boolean upTo, Settlement how, SettleListener listener) {
      boolean covered = upTo && !breaks.test(QueueRule.UP_TO_COVERS_ALL);
      consumer.settle(tag, covered, how, new Result(listener, events));
      if (breaks.test(QueueRule.SETTLED_AFTER_STORE)) {
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
      if (!breaks.test(QueueRule.CLOSE_RELEASES)) {
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
      if (!breaks.test(QueueRule.SETTLED_AFTER_STORE)) {
        listener.onSettled();
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.failed |= code == ErrorCode.SETTLE_FAILED;
      if (!breaks.test(QueueRule.SETTLED_AFTER_STORE)
          && !breaks.test(QueueRule.FAILURE_IS_ANSWERED)) {
        listener.onRefused(code, why);
      }
    }
  }
}
