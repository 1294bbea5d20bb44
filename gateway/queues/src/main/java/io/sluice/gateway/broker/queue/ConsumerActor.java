package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.queue.QueueLink.Kind;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of one consumer: its sessions at the broker, one after the other, and its end. All steps
 * run in order on a {@link SerialExecutor} and never wait; a step starts at most one call to the
 * broker, which ends in a later step. Requests for messages are sent besides.
 */
final class ConsumerActor implements QueueConsumer, LinkUser {
  private static final Logger log = LoggerFactory.getLogger(ConsumerActor.class);

  /** Maximum number of waiting steps beyond which settlements are refused. */
  private static final int MAX_STEPS = 10_000;

  /** Maximum number of consecutive sessions that fail without a message. */
  private static final int MAX_FAILED_SESSIONS = 10;

  private static final String TOO_MANY = "too many settlements of this consumer are waiting";
  private static final String LOST = "the connection to the broker was lost";

  private final Owner owner;
  private final QueueRequest request;
  private final QueueListener listener;
  private final DeliveryReader reader;
  private final QueueOptions options;
  private final QueueMeters meters;
  private final SerialExecutor steps;
  private final long createdNs;
  private final ConsumerCalls calls;
  private final Settlements settlements;
  private final PendingMessages pending;
  private final Environment environment = new Environment();

  /** Delays between sessions; those of one consumer do not delay others. */
  private final Backoff backoff;

  /** Start of the latest session. */
  private long openedNs;

  private QueueLink link;

  /** The session that is open or opening, or null. */
  private DeliverySession latest;

  /** Null unless it is open. */
  private volatile DeliverySession session;

  private int credit;
  private volatile boolean wasActive;
  private boolean closing;
  private boolean stopping;
  private boolean ended;

  /** Completes after the end of a consumer that its client closes; null before. */
  private volatile CompletableFuture<Void> closed;

  /** Consecutive sessions that failed to receive a message. */
  private int failedSessions;

  /** True between a failure and the next attempt to open a session. */
  private boolean delayed;

  ConsumerActor(
      Owner owner,
      QueueRequest request,
      QueueListener listener,
      DeliveryReader reader,
      QueueOptions options,
      QueueMeters meters) {
    this.owner = owner;
    this.request = request;
    this.listener = listener;
    this.reader = reader;
    this.options = options;
    this.meters = meters;
    this.credit = request.credit();
    this.steps = new SerialExecutor(owner.steps());
    this.createdNs = owner.nowNs();
    this.backoff = owner.backoff();
    this.calls = new ConsumerCalls(user(), owner::nowNs, callTimeoutNs(), steps);
    this.settlements = new Settlements(meters);
    this.pending = settlements.pending();
  }

  /** The consumer as its sessions use it. */
  private final class Environment implements DeliverySession.Consumer {
    @Override
    public QueueRequest request() {
      return request;
    }

    @Override
    public int credit() {
      return credit;
    }

    @Override
    public boolean isClosing() {
      return closing;
    }

    @Override
    public long nowNs() {
      return owner.nowNs();
    }

    @Override
    public void execute(Runnable step) {
      steps.execute(step);
    }

    @Override
    public void change(Runnable change) {
      ConsumerActor.this.change(change);
    }

    @Override
    public void reset(Throwable cause) {
      ConsumerActor.this.reset(cause);
    }

    @Override
    public void closeSession() {
      ConsumerActor.this.closeSession();
    }
  }

  /** Ends the consumer before it is opened. */
  void refuse(ErrorCode code, String why) {
    step(() -> end(code, why));
  }

  @Override
  public void credit(int newCredit) {
    step(() -> credit = newCredit);
  }

  @Override
  public void settle(long tag, boolean upTo, Settlement how, SettleListener result) {
    if (steps.size() > MAX_STEPS) {
      settlements.refuse(result, ErrorCode.RATE_LIMITED, TOO_MANY);
    } else {
      step(() -> settlements.settle(isClosed(), tag, upTo, how, result));
    }
  }

  @Override
  public void respond(long tag, Publication reply, PublishListener result) {
    if (steps.size() > MAX_STEPS) {
      result.onRefused(ErrorCode.RATE_LIMITED, "too many replies of this consumer are waiting");
    } else {
      step(() -> settlements.respond(isClosed(), tag, reply, owner.replies(), result));
    }
  }

  @Override
  public void transact(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener result) {
    int unserved = PartRefused.firstUnserved(publications, owner.senders());
    if (unserved > 0) {
      result.onRefused(ErrorCode.FORBIDDEN, PartRefused.unserved(unserved));
    } else if (steps.size() > MAX_STEPS) {
      result.onRefused(ErrorCode.RATE_LIMITED, TOO_MANY);
    } else {
      step(() -> settlements.transact(isClosed(), acknowledgements, publications, result));
    }
  }

  private boolean isClosed() {
    return closing || ended;
  }

  @Override
  public void close() {
    if (closed == null) {
      closed = new CompletableFuture<>();
    }
    step(() -> closing = true);
  }

  /** Returns whether the client closes this consumer of a subscription. Any thread. */
  boolean isClosing(TopicSubscription subscription) {
    return closed != null && subscription.equals(request.subscription());
  }

  /** Returns a stage that completes after the end, if the consumer is closing. Any thread. */
  CompletableFuture<Void> closed() {
    return closed;
  }

  // The connection closes sessions without messages faster.
  @Override
  public void stop() {
    step(
        () -> {
          stopping = true;
          closing = true;
        });
  }

  @Override
  public String user() {
    return request.requester().user();
  }

  @Override
  public void onConnected(QueueLink connected) {
    step(() -> link = connected);
  }

  @Override
  public void onLost(String why) {
    step(() -> onLinkLost(why));
  }

  @Override
  public void check(long nowNs) {
    if (pending.isOverdue(nowNs)) {
      step(this::releaseOverdue);
    }
    if (calls.isSendOverdue(nowNs)) {
      step(this::interruptSend);
    }
    DeliverySession current = session;
    if (current != null && current.isRepeatDue(nowNs)) {
      step(current::repeatRequest);
    }
    if (current != null && current.opened().isClosed()) {
      step(() -> onSessionClosed(current));
    } else if (!wasActive && nowNs - createdNs > callTimeoutNs()) {
      step(this::refuseUnopened);
    }
  }

  @Override
  public boolean isOverdue(long nowNs) {
    return calls.isOverdue(nowNs);
  }

  private long callTimeoutNs() {
    return options.callTimeoutMs() * 1_000_000;
  }

  // A broker blocks a transaction or a dead letter whose destination is full. That must not cost
  // the other consumers their connection.
  private void interruptSend() {
    if (latest != null) {
      latest.interrupt();
    }
  }

  private void step(Runnable change) {
    steps.execute(() -> change(change));
  }

  private void change(Runnable change) {
    try {
      change.run();
    } finally { // the failure of a listener must not stop the consumer
      proceed();
    }
  }

  /** Starts what is due next. */
  private void proceed() {
    if (ended) {
      return;
    }
    if (session == null) {
      openOrEnd();
    } else {
      session.proceed();
    }
  }

  private void openOrEnd() {
    if (calls.isRunning()) {
      return;
    }
    if (closing) {
      end();
    } else if (link != null && !delayed) {
      open();
    }
  }

  private void open() {
    DeliverySession opening =
        new DeliverySession(
            environment,
            link,
            listener,
            reader,
            options,
            meters,
            calls,
            settlements,
            new SessionTransactions(owner::senders));
    latest = opening;
    call(Kind.OPEN, opening::open, failure -> onOpened(opening, failure));
  }

  private void onOpened(DeliverySession opened, Throwable failure) {
    if (failure != null) {
      onOpenFailed(failure);
      return;
    }
    session = opened;
    openedNs = owner.nowNs();
    if (!wasActive) {
      wasActive = true;
      meters.consumers(1);
      if (!closing) {
        listener.onConsuming();
      }
    }
  }

  private void onOpenFailed(Throwable failure) {
    log.atWarn()
        .addKeyValue("session", request.requester().session())
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(failure)))
        .log("queue.refused");
    OpenFailure reason = OpenFailure.of(failure, request);
    if (reason.isPermanent() || !wasActive) {
      end(reason.code(), reason.why());
    } else {
      openLater();
    }
  }

  private void openLater() {
    delayed = true;
    owner.later(backoff, () -> step(() -> delayed = false));
  }

  private void refuseUnopened() {
    if (!wasActive && link == null && !ended) {
      end(ErrorCode.BROKER_UNAVAILABLE, "the broker is not connected");
    }
  }

  private void releaseOverdue() {
    for (PendingMessage message : pending.overdue(owner.nowNs())) {
      pending.release(message);
      meters.released(ReleaseReason.TIMEOUT.code(), 1);
      listener.onReleased(message.tag, ReleaseReason.TIMEOUT);
    }
    pending.updateDeadline();
  }

  private void onSessionClosed(DeliverySession lost) {
    if (lost != session || calls.isRunning()) {
      return;
    }
    Throwable failure = lost.opened().failure();
    failedSessions = failure == null || lost.hasArrived() ? 0 : failedSessions + 1;
    reset(failure == null ? new JMSException("the broker closed the session") : failure);
  }

  /** Closes the session and opens another one later; its messages return to the queue. */
  private void reset(Throwable cause) {
    log.atWarn()
        .addKeyValue("session", request.requester().session())
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(cause)))
        .log("queue.reset");
    QueueSession failed = session.opened();
    List<Message> messages = new ArrayList<>(pending.messages());
    messages.addAll(settlements.rejectedByNode()); // they count as delivered: attempts are limited
    abandonSession(ErrorCode.SETTLE_FAILED, "the consumer at the broker failed");
    if (owner.nowNs() - openedNs > callTimeoutNs()) {
      backoff.reset(); // a session that fails soon would otherwise fail again and again
    }
    openLater();
    call(Kind.CLOSE, () -> failed.close(messages), failure -> endIfStuck(cause));
  }

  // A message that can neither be delivered nor rejected would be received again and again.
  private void endIfStuck(Throwable cause) {
    if (settlements.stuck() != null) {
      endStuck(ErrorCode.SETTLE_FAILED, settlements.stuck());
    } else if (failedSessions >= MAX_FAILED_SESSIONS) {
      String why =
          "no message could be received in %d attempts: %s"
              .formatted(failedSessions, Explanation.of(cause));
      endStuck(ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  private void endStuck(ErrorCode code, String why) {
    if (ended) {
      return;
    }
    meters.stuck();
    log.atError()
        .addKeyValue("session", request.requester().session())
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", why)
        .log("queue.stuck");
    end(code, why);
  }

  private void onLinkLost(String why) {
    link = null;
    calls.abandon();
    settlements.onLost();
    abandonSession(ErrorCode.BROKER_UNAVAILABLE, LOST);
    if (settlements.stuck() != null) {
      endStuck(ErrorCode.SETTLE_FAILED, settlements.stuck());
    }
    if (!wasActive && !closing && !ended) {
      end(ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  private void abandonSession(ErrorCode code, String why) {
    Runnable refusals = settlements.abandon(code, why);
    boolean incomplete = session != null && isShared();
    endSession();
    calls.endAsk();
    long unsettled = pending.unreleased();
    pending.clear();
    refusals.run();
    meters.released(ReleaseReason.BROKER_LOST.code(), unsettled);
    if ((unsettled > 0 || incomplete) && !closing) {
      listener.onReleased(0, ReleaseReason.BROKER_LOST);
    }
  }

  private void endSession() {
    session = null;
    if (latest != null) {
      latest.end();
      latest = null;
    }
  }

  // The broker ends a shared subscription with its last consumer, and may have lost messages.
  private boolean isShared() {
    return request.subscription() != null && !request.subscription().durable();
  }

  private void closeSession() {
    QueueSession last = session.opened();
    List<Message> messages = pending.messages();
    meters.released("closed", pending.unreleased());
    endSession();
    pending.clear();
    if (stopping && messages.isEmpty()) {
      end();
    } else {
      call(Kind.CLOSE, () -> last.close(messages), failure -> end());
    }
  }

  private void end(ErrorCode code, String why) {
    if (!closing) {
      listener.onRefused(code, why);
    }
    end();
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    endSession();
    if (wasActive) {
      meters.consumers(-1);
    }
    owner.remove(this);
    if (closed != null) {
      closed.complete(null);
    }
  }

  /** Starts a call; its result is ignored if the link is lost before. */
  private void call(Kind kind, ConsumerCalls.Call work, Consumer<Throwable> done) {
    calls.start(link, kind, work, failure -> change(() -> done.accept(failure)));
  }
}
