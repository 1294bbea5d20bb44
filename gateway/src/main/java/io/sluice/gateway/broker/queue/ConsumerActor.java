package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.broker.queue.ContentReader.Undeliverable;
import io.sluice.gateway.broker.queue.PendingMessage.State;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Settlement;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of one consumer: its session at the broker, unsettled messages and settlements. All steps
 * run in order on a {@link SerialExecutor} and never wait; a step starts at most one call to the
 * broker, which ends in a later step. Requests for messages are sent besides.
 *
 * <p>A released message returns to the queue with the end of a transaction, which ends the delivery
 * of all messages of the session. The consumer therefore returns it when the client has settled or
 * released all others, and receives no further message until then.
 */
final class ConsumerActor implements QueueConsumer, LinkUser {
  private static final Logger log = LoggerFactory.getLogger(ConsumerActor.class);

  /** Maximum number of acknowledgements in one call. */
  private static final int BATCH = 256;

  /** Maximum number of waiting steps beyond which settlements are refused. */
  private static final int MAX_STEPS = 10_000;

  /** Time after which a request is repeated, should the broker have lost it. */
  private static final long REPEAT_NS = 30_000_000_000L;

  private static final long NONE = Long.MAX_VALUE;
  private static final String NOT_PENDING = "the message is not pending at this consumer";
  private static final String LOST = "the connection to the broker was lost";

  /** Environment of a consumer. Any thread. */
  interface Owner {
    /** Executor of steps. */
    Executor steps();

    long nowNs();

    /** Publisher of replies. */
    ReplySender replies();

    /** Senders of the messages of transactions. */
    SessionSender.Factory senders();

    /** Runs a task after the delay of a reconnect. */
    void later(Runnable task);

    /** The consumer has ended. */
    void remove(LinkUser ended);
  }

  /** Call to the broker. */
  private interface Call {
    void run() throws JMSException;
  }

  /** Receiver of the messages of one session. */
  private final class Receiver implements QueueSession.Listener {
    private volatile QueueSession opened;
    private final SessionTransactions transactions = new SessionTransactions(owner::senders);

    @Override
    public void onMessage(Message message, Throwable undecodable) {
      steps.execute(() -> onArrived(this, new Arrived(message, undecodable)));
    }
  }

  private record Arrived(Message message, Throwable undecodable) {}

  private final Owner owner;
  private final QueueRequest request;
  private final QueueListener listener;
  private final DeliveryReader reader;
  private final QueueOptions options;
  private final QueueMeters meters;
  private final SerialExecutor steps;
  private final long createdNs;

  private QueueLink link;
  private Receiver receiver;

  /** Null unless it is open. */
  private volatile QueueSession session;

  private int credit;
  private long lastTag;
  private volatile boolean wasActive;
  private boolean closing;
  private boolean stopping;
  private boolean ended;

  /** True between a failure and the next attempt to open a session. */
  private boolean delayed;

  /** True if a message is requested from the broker and has not arrived. */
  private boolean requested;

  /** Number of the latest call; earlier ones were abandoned. */
  private volatile long call;

  private boolean calling;

  /** True if the latest call is a transaction. */
  private volatile boolean transacting;

  /** Start of the running call; {@link #NONE} while there is none. */
  private volatile long callSinceNs = NONE;

  /** True while a request or its withdrawal is sent to the broker. */
  private boolean asking;

  private volatile long askSinceNs = NONE;

  /** Failure of a request; null if there was none. */
  private Throwable broken;

  /** Time of the latest request. */
  private volatile long requestedNs;

  /** True while released messages return to the queue. */
  private boolean returning;

  /** Earliest time limit of an unsettled message. */
  private volatile long deadlineNs = NONE;

  /** Unsettled messages by tag. */
  private final TreeMap<Long, PendingMessage> pending = new TreeMap<>();

  private int released;
  private long pendingBytes;

  /** Messages that arrived when the client had no credit. */
  private final Queue<Arrived> arrived = new ArrayDeque<>();

  private final Queue<Settling> settlements = new ArrayDeque<>();

  /** Settlements in the running call. */
  private List<Settling> inCall = List.of();

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
    this.requestedNs = createdNs;
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
      refuse(result, ErrorCode.RATE_LIMITED, "too many settlements of this consumer are waiting");
    } else {
      step(() -> settleNow(tag, upTo, how, result));
    }
  }

  @Override
  public void respond(long tag, Publication reply, PublishListener result) {
    if (steps.size() > MAX_STEPS) {
      result.onRefused(ErrorCode.RATE_LIMITED, "too many replies of this consumer are waiting");
    } else {
      step(() -> respondNow(tag, reply, result));
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
      result.onRefused(ErrorCode.RATE_LIMITED, "too many settlements of this consumer are waiting");
    } else {
      step(() -> transactNow(acknowledgements, publications, result));
    }
  }

  @Override
  public void close() {
    step(() -> closing = true);
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
  public void onConnected(QueueLink connected) {
    step(() -> link = connected);
  }

  @Override
  public void onLost(String why) {
    step(() -> onLinkLost(why));
  }

  @Override
  public void check(long nowNs) {
    if (deadlineNs != NONE && nowNs - deadlineNs >= 0) {
      step(this::releaseOverdue);
    }
    if (nowNs - requestedNs > REPEAT_NS) {
      requestedNs = nowNs;
      step(this::repeatRequest);
    }
    if (transacting && isOverdue(callSinceNs, nowNs)) {
      step(this::interruptTransaction);
    }
    QueueSession current = session;
    if (current != null && current.isClosed()) {
      step(() -> onSessionClosed(current));
    } else if (!wasActive && nowNs - createdNs > callTimeoutNs()) {
      step(this::refuseUnopened);
    }
  }

  @Override
  public boolean isOverdue(long nowNs) {
    long graceNs = transacting ? callTimeoutNs() : 0; // for the interrupt to take effect
    return isOverdue(callSinceNs, nowNs - graceNs) || isOverdue(askSinceNs, nowNs);
  }

  private boolean isOverdue(long sinceNs, long nowNs) {
    return sinceNs != NONE && nowNs - sinceNs > callTimeoutNs();
  }

  private long callTimeoutNs() {
    return options.callTimeoutMs() * 1_000_000;
  }

  // A broker blocks a transaction that publishes to a full destination. That must not cost the
  // other
  // consumers their connection.
  private void interruptTransaction() {
    if (receiver != null) {
      receiver.transactions.interrupt();
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
      return;
    }
    if (broken != null && !calling) {
      reset(broken);
    } else if (!returning) {
      deliverArrived();
      callNext();
      changeRequest();
    }
  }

  private void callNext() {
    if (calling) {
      return;
    }
    if (!settlements.isEmpty()) {
      settleNext();
    } else if (closing && !asking) {
      closeSession();
    } else if (released > 0 && released == pending.size() && !asking) {
      returnReleased();
    }
  }

  private void openOrEnd() {
    if (calling) {
      return;
    }
    if (closing) {
      end();
    } else if (link != null && !delayed) {
      open();
    }
  }

  private void open() {
    QueueLink current = link;
    Receiver opening = new Receiver();
    receiver = opening;
    call(
        () -> opening.opened = current.open(request, opening),
        failure -> onOpened(opening, failure));
  }

  private void onOpened(Receiver opened, Throwable failure) {
    if (failure != null) {
      onOpenFailed(failure);
      return;
    }
    session = opened.opened;
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
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", Credentials.masked(String.valueOf(failure)))
        .log("queue.refused");
    if (failure instanceof SubscriptionRefusal refusal) {
      end(refusal.code(), refusal.getMessage());
    } else if (failure instanceof InvalidDestinationException) {
      endUnknown();
    } else if (failure instanceof JMSSecurityException) {
      end(ErrorCode.FORBIDDEN, "the broker denies access to this " + kind());
    } else if (failure instanceof InvalidSelectorException) {
      end(
          ErrorCode.INVALID_SELECTOR,
          "the broker refuses the selector: " + Explanation.of(failure));
    } else if (!wasActive) {
      end(
          ErrorCode.BROKER_UNAVAILABLE,
          "the broker cannot serve this " + kind() + " at the moment");
    } else {
      openLater();
    }
  }

  private void endUnknown() {
    ErrorCode code = isOfQueue() ? ErrorCode.UNKNOWN_QUEUE : ErrorCode.UNKNOWN_TOPIC;
    end(code, "the broker has no such " + kind());
  }

  private boolean isOfQueue() {
    return request.subscription() == null;
  }

  private String kind() {
    return isOfQueue() ? "queue" : "topic";
  }

  private void openLater() {
    delayed = true;
    owner.later(() -> step(() -> delayed = false));
  }

  private void refuseUnopened() {
    if (!wasActive && link == null && !ended) {
      end(ErrorCode.BROKER_UNAVAILABLE, "the broker is not connected");
    }
  }

  private void onArrived(Receiver from, Arrived message) {
    if (from == receiver && !ended) {
      requested = false;
      change(() -> arrived.add(message));
    }
  }

  private void deliverArrived() {
    while (!arrived.isEmpty() && isOpenFor(0)) {
      deliver(arrived.remove());
    }
  }

  /** Returns whether a message can be delivered after a number of settlements. */
  private boolean isOpenFor(int settled) {
    int unsettled = pending.size() - settled;
    return !closing
        && released == 0
        && unsettled < Math.min(credit, session.maxPending())
        && (unsettled == 0 || pendingBytes < options.pendingBytes());
  }

  private boolean hasRoom(int settled) {
    return arrived.isEmpty() && isOpenFor(settled);
  }

  private void deliver(Arrived next) {
    QueueDelivery delivery;
    try {
      delivery = read(next);
    } catch (Undeliverable e) {
      rejectUndeliverable(next.message, e.getMessage());
      return;
    }
    lastTag = delivery.tag();
    int bytes = delivery.payload().length;
    long limitNs = owner.nowNs() + options.ackTimeoutMs() * 1_000_000;
    pending.put(lastTag, new PendingMessage(lastTag, next.message, bytes, limitNs));
    pendingBytes += bytes;
    updateDeadline();
    meters.pending(1);
    meters.delivered(delivery.redelivered());
    listener.onDelivery(delivery);
  }

  private QueueDelivery read(Arrived next) throws Undeliverable {
    if (next.undecodable != null) {
      throw new Undeliverable("unsupported");
    }
    if (session.isExhausted(next.message)) {
      throw new Undeliverable("attempts");
    }
    try {
      boolean redelivered = session.isRedelivered(next.message);
      return reader.read(next.message, lastTag + 1, redelivered, link);
    } catch (JMSException | RuntimeException e) {
      throw new Undeliverable("unsupported");
    }
  }

  // Returned to the queue it would arrive again and again.
  private void rejectUndeliverable(Message message, String cause) {
    meters.undeliverable(cause);
    log.atWarn()
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", cause)
        .log("queue.undeliverable");
    PendingMessage settled = new PendingMessage(0, message, 0, NONE);
    settlements.add(new Settling(List.of(settled), Settlement.REJECT, null));
  }

  private void settleNow(long tag, boolean upTo, Settlement how, SettleListener result) {
    List<PendingMessage> messages = find(tag, upTo);
    if (messages.isEmpty() || closing || ended) {
      refuse(result, ErrorCode.NOT_PENDING, NOT_PENDING);
    } else if (how == Settlement.RELEASE) {
      messages.forEach(this::markReleased);
      meters.settled(how.code(), messages.size());
      result.onSettled();
    } else {
      messages.forEach(message -> message.state = State.SETTLING);
      settlements.add(new Settling(messages, how, result));
    }
  }

  private void transactNow(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener result) {
    List<PendingMessage> messages = new ArrayList<>();
    for (int i = 0; i < acknowledgements.size(); i++) {
      Acknowledgement ack = acknowledgements.get(i);
      List<PendingMessage> found = find(ack.tag(), ack.upTo());
      if (found.isEmpty() || closing || ended) {
        messages.forEach(message -> message.state = State.PENDING);
        result.onRefused(ErrorCode.NOT_PENDING, "ack " + (i + 1) + ": " + NOT_PENDING);
        return;
      }
      found.forEach(message -> message.state = State.SETTLING);
      messages.addAll(found);
    }
    settlements.add(Settling.transaction(messages, publications, result));
  }

  private void respondNow(long tag, Publication reply, PublishListener result) {
    List<PendingMessage> messages = find(tag, false);
    if (messages.isEmpty() || closing || ended) {
      result.onRefused(ErrorCode.NOT_PENDING, NOT_PENDING);
      return;
    }
    Message answered = messages.get(0).message;
    try {
      Destination to = answered.getJMSReplyTo();
      if (to == null) {
        result.onRefused(ErrorCode.NO_RECIPIENT, "the message requests no reply");
      } else {
        String id = answered.getJMSCorrelationID();
        owner.replies().send(reply, to, id == null ? answered.getJMSMessageID() : id, result);
      }
    } catch (JMSException e) {
      result.onRefused(ErrorCode.NO_RECIPIENT, "the reply destination cannot be read");
    }
  }

  private List<PendingMessage> find(long tag, boolean upTo) {
    if (tag > lastTag) {
      return List.of();
    }
    Collection<PendingMessage> covered =
        (upTo ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true)).values();
    return covered.stream().filter(message -> message.state == State.PENDING).toList();
  }

  private void markReleased(PendingMessage message) {
    message.state = State.RELEASED;
    released++;
  }

  private void releaseOverdue() {
    long nowNs = owner.nowNs();
    for (PendingMessage message : List.copyOf(pending.values())) {
      if (message.state == State.PENDING && nowNs - message.deadlineNs >= 0) {
        markReleased(message);
        meters.released(ReleaseReason.TIMEOUT.code(), 1);
        listener.onReleased(message.tag, ReleaseReason.TIMEOUT);
      }
    }
    updateDeadline();
  }

  private void updateDeadline() {
    deadlineNs =
        pending.values().stream()
            .filter(message -> message.state == State.PENDING)
            .mapToLong(message -> message.deadlineNs)
            .findFirst()
            .orElse(NONE);
  }

  /** Settles in one call what waits: all acknowledgements, one rejection or one transaction. */
  private void settleNext() {
    List<Settling> batch = new ArrayList<>();
    List<Message> messages = new ArrayList<>();
    Settling first = settlements.element();
    do {
      Settling next = settlements.remove();
      batch.add(next);
      next.messages().forEach(message -> messages.add(message.message));
    } while (first.isBatched() && canGrow(messages.size()));
    int known =
        (int)
            batch.stream().flatMap(each -> each.messages().stream()).filter(m -> m.tag > 0).count();
    boolean further = !requested && !asking && !hasRoom(0) && hasRoom(known);
    requested |= further;
    asking |= further;
    inCall = batch;
    Receiver current = receiver;
    String deadLetter = link.deadLetter();
    transacting = first.isTransaction();
    call(
        () -> {
          settle(current, first, messages, deadLetter);
          if (further) {
            current.opened.request();
          }
        },
        failure -> onSettled(batch, further, failure));
  }

  private boolean canGrow(int size) {
    return size < BATCH && !settlements.isEmpty() && settlements.element().isBatched();
  }

  private void settle(Receiver current, Settling first, List<Message> messages, String deadLetter)
      throws JMSException {
    if (first.isTransaction()) {
      current.transactions.run(current.opened, messages, first.publications());
    } else if (first.isBatched()) {
      current.opened.acknowledge(messages);
    } else {
      for (Message message : messages) {
        current.opened.reject(message, deadLetter, request.source());
      }
    }
  }

  private void onSettled(List<Settling> batch, boolean further, Throwable failure) {
    inCall = List.of();
    transacting = false;
    asking &= !further;
    if (failure != null) {
      ErrorCode code = ErrorCode.SETTLE_FAILED;
      batch.forEach(each -> refuse(each, each.failure(code, true), explanation(each, failure)));
      reset(failure);
      return;
    }
    for (Settling each : batch) {
      each.messages().forEach(this::forget);
      meters.settled(each.how().code(), each.messages().size());
      if (each.listener() != null) {
        each.listener().onSettled();
      }
    }
    updateDeadline();
  }

  private static String explanation(Settling settling, Throwable failure) {
    return settling.isTransaction()
        ? PartRefused.explanation(failure)
        : "the broker did not store the settlement: " + Explanation.of(failure);
  }

  private void forget(PendingMessage settled) {
    if (pending.remove(settled.tag) != null) {
      pendingBytes -= settled.bytes;
      meters.pending(-1);
    }
  }

  private void returnReleased() {
    List<Message> messages = messages();
    QueueSession current = session;
    returning = true;
    call(() -> current.release(messages), this::onReturned);
  }

  private void onReturned(Throwable failure) {
    returning = false;
    if (failure == null) {
      arrived.clear(); // they arrived before the return, too
      requested = false;
      clearPending();
    } else {
      reset(failure);
    }
  }

  // Not one of the calls: messages arrive while the broker stores settlements.
  private void changeRequest() {
    if (asking || returning || session == null || hasRoom(0) == requested) {
      return;
    }
    requested = !requested;
    ask(session);
  }

  private void repeatRequest() {
    if (requested && !asking && !returning && session != null) {
      ask(session);
    }
  }

  private void ask(QueueSession current) {
    asking = true;
    askSinceNs = owner.nowNs();
    requestedNs = askSinceNs;
    Call work = requested ? current::request : current::cancel;
    link.call(
        () -> {
          Throwable failure = run(work);
          steps.execute(() -> onAsked(current, failure));
        });
  }

  private void onAsked(QueueSession asked, Throwable failure) {
    if (asked == session) {
      askSinceNs = NONE;
      asking = false;
      change(() -> broken = failure);
    }
  }

  private void onSessionClosed(QueueSession lost) {
    if (lost == session && !calling) {
      reset(new JMSException("the broker closed the session"));
    }
  }

  /** Closes the session and opens another one later; its messages return to the queue. */
  private void reset(Throwable cause) {
    log.atWarn()
        .addKeyValue("queue", request.source())
        .addKeyValue("cause", Credentials.masked(String.valueOf(cause)))
        .log("queue.reset");
    QueueSession failed = session;
    List<Message> messages = messages();
    abandonSession(ErrorCode.SETTLE_FAILED, "the consumer at the broker failed");
    openLater();
    call(() -> failed.close(messages), failure -> {});
  }

  private void onLinkLost(String why) {
    link = null;
    call++; // abandons the running one
    calling = false;
    transacting = false;
    callSinceNs = NONE;
    abandonSession(ErrorCode.BROKER_UNAVAILABLE, LOST);
    if (!wasActive && !closing && !ended) {
      end(ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  private void abandonSession(ErrorCode code, String why) {
    List<Settling> sent = inCall;
    List<Settling> waiting = List.copyOf(settlements);
    inCall = List.of();
    settlements.clear();
    boolean incomplete = session != null && isShared();
    session = null;
    receiver = null;
    requested = false;
    asking = false;
    askSinceNs = NONE;
    returning = false;
    broken = null;
    arrived.clear();
    long unsettled = pending.size() - released;
    clearPending();
    sent.forEach(each -> refuse(each, each.failure(code, true), why));
    waiting.forEach(each -> refuse(each, each.failure(code, false), why));
    meters.released(ReleaseReason.BROKER_LOST.code(), unsettled);
    if ((unsettled > 0 || incomplete) && !closing) {
      listener.onReleased(0, ReleaseReason.BROKER_LOST);
    }
  }

  // The broker ends a shared subscription with its last consumer, and may have lost messages.
  private boolean isShared() {
    return !isOfQueue() && !request.subscription().durable();
  }

  private void clearPending() {
    meters.pending(-pending.size());
    pending.clear();
    pendingBytes = 0;
    released = 0;
    deadlineNs = NONE;
  }

  private List<Message> messages() {
    return pending.values().stream().map(each -> each.message).toList();
  }

  private void closeSession() {
    QueueSession last = session;
    List<Message> messages = messages();
    meters.released("closed", pending.size() - released);
    session = null;
    receiver = null;
    clearPending();
    if (stopping && messages.isEmpty()) {
      end();
    } else {
      call(() -> last.close(messages), failure -> end());
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
    if (wasActive) {
      meters.consumers(-1);
    }
    owner.remove(this);
  }

  /** Starts a call; its result is ignored if the link is lost before. */
  private void call(Call work, Consumer<Throwable> done) {
    long number = ++call;
    calling = true;
    link.call(
        () -> {
          if (number == call) {
            callSinceNs = owner.nowNs();
            Throwable failure = run(work);
            steps.execute(() -> onCalled(number, failure, done));
          }
        });
  }

  private static Throwable run(Call work) {
    try {
      work.run();
      return null;
    } catch (Throwable e) { // a provider's client may fail in any way
      return e;
    }
  }

  private void onCalled(long number, Throwable failure, Consumer<Throwable> done) {
    if (number == call) {
      calling = false;
      callSinceNs = NONE;
      change(() -> done.accept(failure));
    }
  }

  private void refuse(Settling settling, ErrorCode code, String why) {
    if (settling.isTransaction()) {
      settling.listener().onRefused(code, why);
    } else if (settling.listener() != null) {
      refuse(settling.listener(), code, why);
    }
  }

  private void refuse(SettleListener result, ErrorCode code, String why) {
    meters.settled(code.code(), 1);
    result.onRefused(code, why);
  }
}
