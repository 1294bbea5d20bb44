package io.sluice.gateway.session.queue;

import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.selector.SelectorSyntax;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Consumers of queues and subscriptions of a client, and its browse; the checks of both. Created
 * when the client first uses a queue. Bound to the client's event loop.
 */
final class Consumers implements SessionFeature.State {
  /** Names of the actions in the audit log. */
  private static final String CONSUME = "consume";

  private static final String BROWSE = "browse";

  /** Maximum number of messages of a browse. */
  private static final int MAX_BROWSE = 1000;

  /** Interval at which deliveries are sent to a client that could not receive them. */
  private static final long TICK_MS = 10;

  private final SessionContext session;
  private final SessionPolicy policy;
  private final QueueFrames frames;
  private final Map<Long, QueueSubscription> byRef = new HashMap<>(2);

  /** Null until the number of consumes exceeds the limit of consumers. */
  private TokenBucket bucket;

  private int consumes;
  private boolean ticking;

  /** The unanswered browse, or null. */
  private Browsing browsing;

  private Consumers(SessionContext session, QueueFrames frames) {
    this.session = session;
    this.policy = session.policy();
    this.frames = frames;
  }

  /** Returns the feature of a node's sessions. */
  static SessionFeature<Consumers> feature(QueueFrames frames) {
    return SessionFeature.of(Consumers.class, session -> new Consumers(session, frames))
        .on(ClientFrame.Consume.class, Consumers::onConsume)
        .on(ClientFrame.Credit.class, Consumers::onCredit)
        .on(ClientFrame.Settle.class, Consumers::onSettle)
        .on(ClientFrame.Browse.class, Consumers::onBrowse)
        .announcing(Consumers::announce);
  }

  private static void announce(SessionOptions options, Set<Feature> announced) {
    if (!options.consumeQueues().isEmpty()) {
      announced.add(Feature.QUEUES);
    }
    if (options.sharedTopics().isEmpty()) {
      announced.remove(Feature.SHARED);
    }
  }

  @Override
  public int consumers() {
    return byRef.size();
  }

  /** Returns whether the client has no consumer, and no unanswered browse. */
  @Override
  public boolean isIdle() {
    return byRef.isEmpty() && browsing == null;
  }

  @Override
  public boolean isRefInUse(long ref) {
    return byRef.containsKey(ref);
  }

  void onConsume(ClientFrame.Consume frame) {
    Destination source = frame.source().destination();
    TopicRules.Problem problem =
        QueuePermissions.consumeProblem(
            policy, frame.source(), frame.where(), session.client().grant());
    if (session.isStream()) {
      String why = "a stream cannot settle messages: consume over a WebSocket";
      session.error(frame.ref(), ErrorCode.UNSUPPORTED, why, source);
    } else if (problem != null) {
      session.refuse(CONSUME, frame.ref(), problem, source);
    } else if (session.isRefInUse(frame.ref())) {
      String why = "ref " + frame.ref() + " already identifies a consumer or a tagged subscription";
      session.error(frame.ref(), ErrorCode.ALREADY_SUBSCRIBED, why, source);
    } else if (frame.credit() > policy.options().consumerCredit()) {
      session.error(frame.ref(), ErrorCode.BAD_FRAME, creditProblem(frame.credit()), source);
    } else {
      consumeWithinLimits(frame, source);
    }
  }

  private String creditProblem(int credit) {
    return "\"credit\" is %d; %s is %d"
        .formatted(credit, LimitSettings.CONSUMER_CREDIT.key(), policy.options().consumerCredit());
  }

  private void consumeWithinLimits(ClientFrame.Consume frame, Destination source) {
    int max = policy.options().consumers();
    if (consumers() >= max) {
      policy.metrics().limitReached(LimitSettings.CONSUMERS.key());
      String why = "limit of " + max + " consumers per client reached";
      session.refuse(CONSUME, frame.ref(), ErrorCode.TOO_MANY_CONSUMERS, why, source);
    } else if (!takeToken()) {
      String why = "over " + policy.options().subscribeRate() + " consumes a second";
      session.refuse(CONSUME, frame.ref(), ErrorCode.RATE_LIMITED, why, source);
    } else {
      consumeWithinQuotas(frame, source);
    }
  }

  private void consumeWithinQuotas(ClientFrame.Consume frame, Destination source) {
    Limit exceeded = session.lease().acquireConsumer();
    if (exceeded != null) {
      String why = exceeded.problem();
      session.refuse(CONSUME, frame.ref(), ErrorCode.TOO_MANY_CONSUMERS, why, source);
      return;
    }
    QueueSubscription added =
        new QueueSubscription(
            this,
            session,
            frames,
            frame.ref(),
            frame.source(),
            SelectorSyntax.normalized(frame.where()),
            frame.credit());
    byRef.put(frame.ref(), added);
    added.open();
  }

  // Most clients consume less often than the limit of consumers and need no bucket.
  private boolean takeToken() {
    if (++consumes <= policy.options().consumers()) {
      return true;
    }
    long nowNs = System.nanoTime();
    if (bucket == null) {
      int rate = policy.options().subscribeRate();
      bucket = new TokenBucket(rate, rate, nowNs);
    }
    return bucket.take(nowNs);
  }

  void onSettle(ClientFrame.Settle frame) {
    QueueSubscription consumer = byRef.get(frame.subscription());
    if (consumer == null) {
      policy.metrics().queues().settled(ErrorCode.NOT_PENDING.code(), 1);
      refuse(frame, ErrorCode.NOT_PENDING, noConsumer(frame.subscription()));
    } else {
      consumer.settle(frame);
    }
  }

  private static String noConsumer(long ref) {
    return "no consumer has ref " + ref;
  }

  /** Sends the failure of a settlement. */
  void refuse(ClientFrame.Settle frame, ErrorCode code, String why) {
    refuse(frame.ref(), code, why, frame.subscription(), frame.tag());
  }

  // A race that the client has lost costs its rate of refusals; the broker's failures do not.
  private void refuse(long ref, ErrorCode code, String why, long subscription, long tag) {
    if (code == ErrorCode.NOT_PENDING) {
      error(ref, code, why, subscription, tag);
    } else {
      policy.metrics().clientError(code.code());
      session.send(frames.error(ref, code, why, subscription, tag));
    }
  }

  private void error(long ref, ErrorCode code, String why, long subscription, long tag) {
    session.error(
        code, why, (sent, message) -> frames.error(ref, sent, message, subscription, tag));
  }

  /** Answers a message of one consumer. */
  void respond(ClientFrame.Respond frame, Responding responding) {
    QueueSubscription consumer = byRef.get(frame.subscription());
    if (consumer == null) {
      refuse(frame, ErrorCode.NOT_PENDING, noConsumer(frame.subscription()));
    } else {
      consumer.respond(frame, responding);
    }
  }

  void refuse(ClientFrame.Respond frame, ErrorCode code, String why) {
    refuse(frame.ref(), code, why, frame.subscription(), frame.tag());
  }

  /** Returns why a transaction cannot acknowledge a message, or null. */
  String ackProblem(ClientFrame.Settle ack) {
    QueueSubscription consumer = byRef.get(ack.subscription());
    return consumer == null ? noConsumer(ack.subscription()) : consumer.ackProblem(ack);
  }

  /** Acknowledges messages of one consumer and publishes others, all or nothing. */
  void transact(
      List<ClientFrame.Settle> acks, List<Publication> publications, PublishListener result) {
    byRef.get(acks.get(0).subscription()).transact(acks, publications, result);
  }

  void onCredit(ClientFrame.Credit frame) {
    QueueSubscription consumer = byRef.get(frame.subscription());
    if (frame.credit() > policy.options().consumerCredit()) {
      error(
          frame.ref(), ErrorCode.BAD_FRAME, creditProblem(frame.credit()), frame.subscription(), 0);
    } else if (consumer == null) {
      String why = noConsumer(frame.subscription());
      error(frame.ref(), ErrorCode.NOT_PENDING, why, frame.subscription(), 0);
    } else {
      consumer.credit(frame.credit());
    }
  }

  /** Ends a consumer on request of the client; a topic must be that of the consumer. */
  @Override
  public boolean onUnsubscribe(ClientFrame.Unsubscribe frame) {
    QueueSubscription ended = byRef.get(frame.subscription());
    if (ended == null || !isSource(frame.topic(), ended)) {
      return false;
    }
    end(ended);
    session.send(frames.unsubscribed(frame.ref(), ended.destination(), frame.subscription()));
    return true;
  }

  private static boolean isSource(String topic, QueueSubscription consumer) {
    return topic == null || consumer.destination().equals(Destination.topic(topic));
  }

  /** Removes a consumer that the broker has ended or refused, or that is not granted any more. */
  void onRefused(QueueSubscription refused, ErrorCode code, String why) {
    end(refused);
    if (code == ErrorCode.TOO_MANY_SUBSCRIPTIONS) {
      policy.metrics().limitReached(LimitSettings.DURABLES.key());
    }
    session.client().auditRefused(CONSUME, refused.destination(), code.code());
    session.send(session.refusal(refused.ref(), code, why, refused.destination()));
    session.closeIfComplete();
  }

  private void end(QueueSubscription ended) {
    byRef.remove(ended.ref());
    ended.close();
    session.lease().releaseConsumer();
  }

  void onBrowse(ClientFrame.Browse frame) {
    Destination queue = Destination.queue(frame.queue());
    TopicRules.Problem problem =
        QueuePermissions.browseProblem(
            policy, frame.queue(), frame.where(), session.client().grant());
    if (problem != null) {
      session.refuse(BROWSE, frame.ref(), problem, queue);
    } else if (frame.max() > MAX_BROWSE) {
      String why = "\"max\" is " + frame.max() + "; at most " + MAX_BROWSE + " are allowed";
      session.error(frame.ref(), ErrorCode.BAD_FRAME, why, queue);
    } else if (browsing != null) {
      String why = "an earlier browse is still pending";
      session.refuse(BROWSE, frame.ref(), ErrorCode.RATE_LIMITED, why, queue);
    } else {
      browseWithinQuotas(frame, queue);
    }
  }

  // A running browse counts as a consumer, because it costs the broker as much.
  private void browseWithinQuotas(ClientFrame.Browse frame, Destination queue) {
    Limit exceeded = session.lease().acquireConsumer();
    if (exceeded != null) {
      String why = exceeded.problem();
      session.refuse(BROWSE, frame.ref(), ErrorCode.TOO_MANY_CONSUMERS, why, queue);
      return;
    }
    browsing = new Browsing(this, session, frames, frame.ref(), queue);
    String where = SelectorSyntax.normalized(frame.where());
    QueueRequest request = new QueueRequest(session.client().requester(), frame.queue(), where, 0);
    policy.sources().queues().browse(request, frame.max(), browsing);
  }

  void onBrowseFailed(Browsing failed, ErrorCode code, String why) {
    session.client().auditRefused(BROWSE, failed.queue(), code.code());
    session.send(session.refusal(failed.ref(), code, why, failed.queue()));
    onBrowseEnd();
  }

  void onBrowseEnd() {
    if (browsing != null) {
      browsing = null;
      session.lease().releaseConsumer();
      session.closeIfComplete();
    }
  }

  /** Schedules another attempt to send the deliveries that wait for the client. */
  void sendLater() {
    if (!ticking) {
      ticking = true;
      session.executeLater(this::onTick, TICK_MS);
    }
  }

  private void onTick() {
    ticking = false;
    for (QueueSubscription consumer : byRef.values()) {
      if (!session.isClosing()) {
        consumer.sendWaiting();
      }
    }
  }

  /** Ends the consumers and the browse that the client's new grant no longer allows. */
  @Override
  public void endForbidden() {
    forbidden(policy, session.client().grant())
        .forEach((consumer, problem) -> onRefused(consumer, problem.code(), problem.message()));
    TopicRules.Problem problem = browseProblem(policy, session.client().grant());
    if (problem != null) {
      browsing.cancel();
      onBrowseFailed(browsing, problem.code(), problem.message());
    }
  }

  /** Returns the consumers that a grant does not allow, with the reason. */
  Map<QueueSubscription, TopicRules.Problem> forbidden(SessionPolicy by, Grant grant) {
    Map<QueueSubscription, TopicRules.Problem> forbidden = new LinkedHashMap<>(0);
    for (QueueSubscription consumer : byRef.values()) {
      TopicRules.Problem problem =
          QueuePermissions.consumeProblem(by, consumer.source(), null, grant);
      if (problem != null) {
        forbidden.put(consumer, problem);
      }
    }
    return forbidden;
  }

  /** Returns the same and the browse as texts, such as {@code consume orders}. */
  @Override
  public Stream<String> forbiddenUses(SessionPolicy by, Grant grant) {
    Stream<String> consumers = forbidden(by, grant).keySet().stream().map(Consumers::use);
    return browseProblem(by, grant) == null
        ? consumers
        : Stream.concat(consumers, Stream.of(BROWSE + " " + browsing.queue().name()));
  }

  private static String use(QueueSubscription consumer) {
    ConsumerSource source = consumer.source();
    return (source.isQueue() ? CONSUME : source.kind().member())
        + " "
        + source.destination().name();
  }

  private TopicRules.Problem browseProblem(SessionPolicy by, Grant grant) {
    return browsing == null
        ? null
        : QueuePermissions.browseProblem(by, browsing.queue().name(), null, grant);
  }

  /** Ends all consumers of a client that has disconnected; their messages return to the broker. */
  @Override
  public void close(boolean forGood) {
    List.copyOf(byRef.values()).forEach(this::end);
    if (browsing != null) {
      browsing.cancel();
      onBrowseEnd();
    }
  }
}
