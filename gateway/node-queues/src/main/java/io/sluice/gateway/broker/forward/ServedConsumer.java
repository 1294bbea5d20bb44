package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Consumer at the broker of a leaf's client. Its messages wait while the link is full; then the
 * broker delivers no further ones. Bound to the event loop of the link; the listener is for any
 * thread.
 */
final class ServedConsumer implements QueueListener, LeafLink.Opened, LeafLink.Waiting {
  private final int ref;
  private final String user;
  private final LeafLink leaf;

  /** Messages that wait for room on the link, at most the credit. */
  private final Queue<QueueDelivery> waiting = new ArrayDeque<>(0);

  private QueueConsumer consumer;
  private int credit;
  private boolean paused;

  ServedConsumer(int ref, QueueRequest request, LeafLink leaf) {
    this.ref = ref;
    this.user = request.requester().user();
    this.credit = request.credit();
    this.leaf = leaf;
  }

  /** Sets the consumer at the broker. Its events arrive later. */
  void begin(QueueConsumer atBroker) {
    consumer = atBroker;
  }

  QueueConsumer atBroker() {
    return consumer;
  }

  void credit(int newCredit) {
    credit = newCredit;
    if (!paused) {
      consumer.credit(credit);
    }
  }

  @Override
  public void close() {
    consumer.close();
    ended();
  }

  private void ended() {
    waiting.clear();
    leaf.forget(this);
    leaf.pools().consumers().release(user, 1);
  }

  private void later(Runnable task) {
    leaf.execute(
        () -> {
          if (leaf.isOpen(ref, this)) {
            task.run();
          }
        });
  }

  @Override
  public void onConsuming() {
    later(() -> leaf.send(new QueueRecord.Consuming(ref)));
  }

  @Override
  public void onDelivery(QueueDelivery delivery) {
    later(() -> deliver(delivery));
  }

  private void deliver(QueueDelivery delivery) {
    if (waiting.isEmpty() && !leaf.isFull()) {
      leaf.send(new QueueRecord.Delivered(ref, delivery));
      return;
    }
    waiting.add(delivery);
    if (!paused) {
      paused = true;
      consumer.credit(0);
    }
    leaf.await(this);
  }

  @Override
  public boolean sendNext() {
    QueueDelivery next = waiting.poll();
    if (next != null) {
      leaf.send(new QueueRecord.Delivered(ref, next));
    }
    if (!waiting.isEmpty()) {
      return true;
    }
    if (paused) {
      paused = false;
      consumer.credit(credit);
    }
    return false;
  }

  @Override
  public void onReleased(long tag, ReleaseReason reason) {
    later(() -> release(tag, reason));
  }

  private void release(long tag, ReleaseReason reason) {
    if (tag == 0) {
      waiting.clear();
    }
    // A message that has waited was not sent: the leaf has not received it.
    if (!waiting.removeIf(each -> each.tag() == tag)) {
      leaf.send(new QueueRecord.Released(ref, tag, reason));
    }
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    later(
        () -> {
          leaf.end(ref, this);
          ended();
          leaf.send(new QueueRecord.Refused(ref, code, why));
        });
  }
}
