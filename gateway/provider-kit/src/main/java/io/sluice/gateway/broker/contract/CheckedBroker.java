package io.sluice.gateway.broker.contract;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.JmsBroker;
import io.sluice.gateway.broker.queue.JmsQueueSupport;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The broker side of a node, whose operations wait for their results. Confined to one thread. */
final class CheckedBroker implements AutoCloseable {
  /** Time limit of each result. */
  static final long WAIT_MS = 15_000;

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final Exposition exposition = new Exposition("provider-check");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Connected connected = new Connected();
  private final JmsBroker broker;

  CheckedBroker(ContractOptions options) {
    broker =
        new JmsBroker(
            options.jms(),
            JmsQueueSupport.factory(options.queues(), options.requests()),
            control,
            connected,
            metrics);
    broker.start();
  }

  /** Waits for the connection; fails with the state of the connection. */
  void awaitConnected() throws Broken, InterruptedException {
    awaitConnected(WAIT_MS);
  }

  /** Waits for the connection for a longer or shorter time. */
  void awaitConnected(long waitMs) throws Broken, InterruptedException {
    if (!connected.awaitLive(waitMs)) {
      throw new Broken(broker.state());
    }
  }

  /** Waits for the first loss of the connection, which may be connected again. */
  void awaitLost(long waitMs) throws Broken, InterruptedException {
    Broken.unless(
        connected.awaitLoss(waitMs), "the loss was not noticed within " + waitMs / 1000 + " s");
  }

  /** Waits for the first proof of delivery, after which a silent broker is noticed. */
  void awaitProof() throws Broken, InterruptedException {
    Broken.unless(connected.awaitProof(WAIT_MS), "no test message (canary) has returned");
  }

  private static final class Connected implements BrokerListener {
    /** Guarded by this. */
    private boolean live;

    private final CountDownLatch lost = new CountDownLatch(1);
    private final CountDownLatch proven = new CountDownLatch(1);

    boolean awaitLoss(long waitMs) throws InterruptedException {
      return lost.await(waitMs, TimeUnit.MILLISECONDS);
    }

    synchronized boolean awaitLive(long waitMs) throws InterruptedException {
      long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
      while (!live && untilNs - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, untilNs - System.nanoTime());
      }
      return live;
    }

    @Override
    public synchronized void onLive() {
      live = true;
      notifyAll();
    }

    @Override
    public synchronized void onLost() {
      live = false;
      lost.countDown();
      notifyAll();
    }

    @Override
    public void onProbe(long sequence) {}

    boolean awaitProof(long waitMs) throws InterruptedException {
      return proven.await(waitMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void onProof(long sentMs) {
      proven.countDown();
    }
  }

  /** Result of a request that is awaited. */
  private static final class Result<T> implements PublishListener, ResultListener<T> {
    private final CompletableFuture<T> value = new CompletableFuture<>();

    @Override
    public Requester requester() {
      return Requester.NODE;
    }

    @Override
    public void onPublished() {
      value.complete(null);
    }

    @Override
    public void onResult(T result) {
      value.complete(result);
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      value.completeExceptionally(new Refused(code, why));
    }

    T await(String what) throws Refused, Broken, InterruptedException {
      try {
        return value.get(WAIT_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Refused refused) {
          throw refused;
        }
        throw new Broken(e.toString());
      } catch (TimeoutException e) {
        throw new Broken("no result of " + what + " within " + WAIT_MS / 1000 + " s");
      }
    }
  }

  /** Messages that arrive one after the other; a refusal ends them. */
  private static class Arrivals<T> {
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    final void add(Object event) {
      events.add(event);
    }

    final void refuse(ErrorCode code, String why) {
      events.add(new Refused(code, why));
    }

    /** Returns the next message, or null if there is none in time. */
    @SuppressWarnings("unchecked")
    final T poll(long waitMs) throws Refused, InterruptedException {
      Object event = events.poll(waitMs, TimeUnit.MILLISECONDS);
      if (event instanceof Refused refused) {
        throw refused;
      }
      return (T) event;
    }

    /** Returns the next message. */
    final T next() throws Refused, Broken, InterruptedException {
      T next = poll(WAIT_MS);
      Broken.unless(next != null, "no message within " + WAIT_MS / 1000 + " s");
      return next;
    }
  }

  /** Messages of a topic or pattern. */
  static final class Subscription extends Arrivals<Subscription.Arrival> implements TopicListener {
    private final Result<Void> active = new Result<>();

    /** Message and its delivery. */
    record Arrival(Message message, DeliveryInfo delivery) {}

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      add(new Arrival(message, delivery));
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      refuse(ErrorCode.INTERNAL, "the message is a gap: " + reason.code());
    }

    @Override
    public void onActive(boolean again) {
      active.onPublished();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      active.onRefused(code, why);
    }
  }

  /** Subscribes and waits until the consumer is active. */
  Subscription subscribe(String topic, String selector)
      throws Refused, Broken, InterruptedException {
    Subscription subscription = new Subscription();
    control.execute(() -> broker.open(new InterestKey(topic, selector), subscription));
    subscription.active.await("the subscription");
    return subscription;
  }

  /** Publishes and waits for the confirmation. */
  void publish(Publication publication) throws Refused, Broken, InterruptedException {
    Result<Void> result = new Result<>();
    broker.publish(publication, result);
    result.await("the publish");
  }

  /** Publishes messages in one transaction. */
  void transact(List<Publication> publications) throws Refused, Broken, InterruptedException {
    Result<Void> result = new Result<>();
    broker.queues().publish(publications, result);
    result.await("the transaction");
  }

  /** Consumer of a queue or a subscription. */
  static final class Consumer extends Arrivals<QueueDelivery>
      implements QueueListener, AutoCloseable {
    private final Result<Void> consuming = new Result<>();
    private QueueConsumer consumer;

    void credit(int credit) {
      consumer.credit(credit);
    }

    void settle(QueueDelivery delivery, Settlement how)
        throws Refused, Broken, InterruptedException {
      Result<Void> result = new Result<>();
      consumer.settle(
          delivery.tag(),
          false,
          how,
          new SettleListener() {
            @Override
            public void onSettled() {
              result.onPublished();
            }

            @Override
            public void onRefused(ErrorCode code, String why) {
              result.onRefused(code, why);
            }
          });
      result.await("the settlement");
    }

    void transact(QueueDelivery acknowledged, Publication publication)
        throws Refused, Broken, InterruptedException {
      Result<Void> result = new Result<>();
      consumer.transact(
          List.of(new Acknowledgement(acknowledged.tag(), false)), List.of(publication), result);
      result.await("the transaction");
    }

    void respond(QueueDelivery request, Publication reply)
        throws Refused, Broken, InterruptedException {
      Result<Void> result = new Result<>();
      consumer.respond(request.tag(), reply, result);
      result.await("the reply");
    }

    @Override
    public void onConsuming() {
      consuming.onPublished();
    }

    @Override
    public void onDelivery(QueueDelivery delivery) {
      add(delivery);
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      refuse(ErrorCode.INTERNAL, "a pending message was released: " + reason.code());
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      consuming.onRefused(code, why);
      refuse(code, why);
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  /** Opens a consumer of a queue and waits until it is active. */
  Consumer consume(String queue, String where, int credit)
      throws Refused, Broken, InterruptedException {
    return consume(new QueueRequest(Requester.NODE, queue, where, credit));
  }

  /** Opens a consumer of a subscription and waits until it is active. */
  Consumer consume(TopicSubscription subscription, int credit)
      throws Refused, Broken, InterruptedException {
    return consume(new QueueRequest(Requester.NODE, subscription, null, credit));
  }

  private Consumer consume(QueueRequest request) throws Refused, Broken, InterruptedException {
    Consumer consumer = new Consumer();
    consumer.consumer = broker.queues().consume(request, consumer);
    try {
      consumer.consuming.await("the consumer");
      return consumer;
    } catch (Refused | Broken e) {
      consumer.close();
      throw e;
    }
  }

  /** Removes a durable subscription. */
  void delete(TopicSubscription subscription) throws Refused, Broken, InterruptedException {
    Result<Void> result = new Result<>();
    broker.queues().delete(Requester.NODE, subscription, result);
    result.await("the removal");
  }

  /** Returns messages of a queue without removing them. */
  List<QueueDelivery> browse(String queue, String where)
      throws Refused, Broken, InterruptedException {
    Result<List<QueueDelivery>> result = new Result<>();
    List<QueueDelivery> found = new ArrayList<>();
    broker
        .queues()
        .browse(
            new QueueRequest(Requester.NODE, queue, where, 0),
            Integer.MAX_VALUE,
            new BrowseListener() {
              @Override
              public boolean onMessage(QueueDelivery message) {
                found.add(message);
                return true;
              }

              @Override
              public void onBrowsed(int count, boolean more, int skipped) {
                result.onResult(found);
              }

              @Override
              public void onRefused(ErrorCode code, String why) {
                result.onRefused(code, why);
              }
            });
    return result.await("the browse");
  }

  /** Sends a request; the result is its reply. */
  CompletableFuture<Reply> request(Publication publication) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    broker
        .requests()
        .request(
            publication,
            WAIT_MS,
            new ReplyListener() {
              @Override
              public void onPublished() {}

              @Override
              public void onReply(Reply arrived) {
                reply.complete(arrived);
              }

              @Override
              public void onRefused(ErrorCode code, String why) {
                reply.completeExceptionally(new Refused(code, why));
              }

              @Override
              public Requester requester() {
                return Requester.NODE;
              }
            });
    return reply;
  }

  @Override
  public void close() {
    CompletableFuture.runAsync(broker::stop, control)
        .orTimeout(WAIT_MS, TimeUnit.MILLISECONDS)
        .exceptionally(failure -> null)
        .join();
    control.shutdownNow();
    metrics.close();
    exposition.close();
  }
}
