package io.sluice.gateway.sim.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.broker.jms.ServedNames;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.broker.queue.JmsQueues;
import io.sluice.gateway.broker.queue.QueueOptions;
import io.sluice.gateway.broker.request.JmsRequests;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.gateway.sim.NodeClock;
import io.sluice.gateway.sim.queue.QueuedMessage.Content;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Broker of a node: the real queues and requests; publishes are simulated, topics unused. */
final class NodeBroker implements Broker {
  private static final long MAX_BACKOFF_MS = 2_000;
  private static final int UNKNOWN_ONE_IN = 30;
  private static final int MAX_REQUESTS = 20;
  private static final long WAITING_BYTES = 1_000;

  private final QueueWorld world;
  private final SimulatedProvider provider;
  private final NodeThreads threads;
  private final BrokerListener listener;
  private final JmsRequests requests;
  private final Queues queues;
  private final Requests usedRequests;

  /** Correlation id of the previous request or response, for violations. */
  private String previous;

  private boolean connected;

  NodeBroker(
      QueueWorld world,
      SimulatedProvider provider,
      NodeThreads threads,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.world = world;
    this.provider = provider;
    this.threads = threads;
    this.listener = listener;
    QueuePlan plan = world.plan;
    long ackTimeoutMs = plan.ackTimeout / QueuePlan.MILLI;
    long callTimeoutMs = plan.callTimeout / QueuePlan.MILLI;
    long pendingBytes = plan.config.get(LimitSettings.PENDING_BYTES);
    BrokerAccess access =
        new BrokerAccess(
            provider,
            new BrokerNames(provider.wildcards(), name -> true, new TopicRules(255, 16)),
            NodeBroker::content,
            message -> new Reply(1, 1, PayloadKind.TEXT, text(message), null, null),
            ALL,
            this::sendReply,
            this::sendRequest,
            senders(),
            this::backoff,
            metrics,
            threads);
    this.requests =
        new JmsRequests(new RequestLimits(MAX_REQUESTS, WAITING_BYTES, callTimeoutMs), access);
    this.usedRequests = new ViolatingRequests(requests, world);
    this.queues =
        new ViolatingQueues(
            new JmsQueues(
                new QueueOptions(ackTimeoutMs, callTimeoutMs, "", pendingBytes, SUBSCRIPTIONS),
                access),
            world);
  }

  private static final SubscriptionLimits SUBSCRIPTIONS = new SubscriptionLimits(86_400_000, 1);

  private SessionSender.Factory senders() {
    return new SessionSender.Factory() {
      @Override
      public boolean isServed(Publication publication) {
        return true;
      }

      @Override
      public SessionSender open(jakarta.jms.Session session) {
        return publication -> world.sending.add(content(publication));
      }
    };
  }

  private static Content content(Publication publication) {
    return Content.of(publication.destination().name(), new String(publication.payload(), UTF_8));
  }

  private static final ServedNames ALL =
      new ServedNames() {
        @Override
        public boolean isServedQueue(String queue) {
          return true;
        }

        @Override
        public boolean isServedTopic(String topic) {
          return true;
        }
      };

  private Backoff backoff() {
    return new Backoff(100, MAX_BACKOFF_MS, new SplittableRandom(world.random.number()));
  }

  private static byte[] text(jakarta.jms.Message message) {
    try {
      return ((TextMessage) message).getText().getBytes(UTF_8);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  // As of an allowlisted property: the number of the dispatch.
  private static Message content(jakarta.jms.Message message) {
    Dispatch dispatch = ((Dispatch.Jms) message).dispatch;
    QueuedMessage of = dispatch.message;
    long timeMs = NodeClock.EPOCH_MS + of.acceptedMicros / QueuePlan.MILLI;
    return new Message(
        of.content.queue(), of.number, timeMs, PayloadKind.TEXT, text(message), null);
  }

  @Override
  public void start() {
    listener.onLive();
    connect();
  }

  private void connect() {
    if (world.broker.isUp()) {
      connected = true;
      requests.onBrokerConnected();
    } else {
      world.timeline.after(QueuePlan.SECOND, this::reconnect);
    }
  }

  private void reconnect() {
    if (provider.isAlive() && !connected) {
      connect();
    }
  }

  /** The broker restarts; the node notices that later. */
  void onBrokerRestart() {
    world.timeline.after(
        world.random.mostlySmall(3 * QueuePlan.SECOND),
        () -> {
          if (provider.isAlive()) {
            connected = false;
            requests.onBrokerLost();
            world.timeline.after(world.random.between(0, QueuePlan.SECOND), this::reconnect);
          }
        });
  }

  @Override
  public void stop() {
    threads.terminate();
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topicListener) {
    throw new UnsupportedOperationException("topics");
  }

  @Override
  public Consumer openDurable(String pattern, DurableListener durableListener) {
    throw new UnsupportedOperationException("durable topics");
  }

  @Override
  public boolean preservesOrderAcrossTopics() {
    return false;
  }

  @Override
  public void unsubscribeDurable(String pattern, Runnable done) {
    throw new UnsupportedOperationException("durable topics");
  }

  @Override
  public Set<Feature> features() {
    return Set.of(Feature.TRANSACTIONS, Feature.TRANSACTED_ACKS);
  }

  @Override
  public Requests requests() {
    return usedRequests;
  }

  @Override
  public Queues queues() {
    return queues;
  }

  @Override
  public void publish(Publication publication, PublishListener result) {
    Content content = content(publication);
    send(result, () -> accept(content));
  }

  private ErrorCode accept(Content content) {
    world.broker.accept(content);
    return null;
  }

  private void sendRequest(
      Publication request,
      Destination replyTo,
      String correlationId,
      long ttlMs,
      PublishListener result) {
    boolean wrong = world.breaks(QueueRule.REPLY_BELONGS_TO_REQUEST) && previous != null;
    String sent = wrong ? previous : correlationId;
    previous = correlationId;
    Content content =
        new Content(
            request.destination().name(),
            new String(request.payload(), UTF_8),
            true,
            world.timeline.nowMicros() + ttlMs * QueuePlan.MILLI,
            name(replyTo),
            sent);
    send(result, () -> accept(content));
  }

  private void sendReply(
      Publication reply, Destination to, String correlationId, PublishListener result) {
    boolean wrong = world.breaks(QueueRule.RESPONSE_IS_CORRELATED) && previous != null;
    String sent = wrong ? previous : correlationId;
    previous = correlationId;
    String text = new String(reply.payload(), UTF_8);
    send(result, () -> world.broker.reply(name(to), sent, text) ? null : ErrorCode.NO_RECIPIENT);
  }

  private static String name(Destination destination) {
    try {
      return ((Queue) destination).getQueueName();
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a message; its outcome is sometimes unknown. */
  private void send(PublishListener result, Supplier<ErrorCode> effect) {
    if (!connected) {
      answer(() -> result.onRefused(ErrorCode.BROKER_UNAVAILABLE, "not connected"));
      return;
    }
    world.timeline.after(
        world.packetDelay(),
        () -> {
          ErrorCode refusal = world.broker.isUp() ? effect.get() : ErrorCode.PUBLISH_FAILED;
          boolean unknown = world.isFaulty() && world.random.oneIn(UNKNOWN_ONE_IN);
          if (refusal != null || unknown) {
            ErrorCode code = refusal == null ? ErrorCode.PUBLISH_FAILED : refusal;
            answer(() -> result.onRefused(code, "not confirmed"));
          } else {
            answer(result::onPublished);
          }
        });
  }

  private void answer(Runnable answer) {
    world.timeline.after(
        world.packetDelay(),
        () -> {
          if (provider.isAlive()) {
            answer.run();
          }
        });
  }
}
