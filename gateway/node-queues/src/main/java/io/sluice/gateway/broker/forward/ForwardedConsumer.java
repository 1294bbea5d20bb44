package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Consumer of a leaf's client: its sessions at roots, one after the other. Each session numbers its
 * messages from 1; the client receives tags that continue those of the session before. Any thread
 * calls {@link QueueConsumer}; everything else is bound to the event loop of the links.
 */
final class ForwardedConsumer implements QueueConsumer {
  /** Refusals that may end, such as when a root still closes the session of a lost link. */
  private static final Set<ErrorCode> TEMPORARY =
      Set.of(
          ErrorCode.BROKER_UNAVAILABLE,
          ErrorCode.RATE_LIMITED,
          ErrorCode.TOO_MANY_CONSUMERS,
          ErrorCode.SUBSCRIPTION_IN_USE);

  /** Maximum number of consecutive sessions that the root refuses for a temporary reason. */
  private static final int MAX_REFUSALS = 100;

  private static final long RETRY_MIN_MS = 100;
  private static final long RETRY_MAX_MS = 5_000;
  private static final String NOT_PENDING = "the message is not pending";

  private final ForwardedQueues owner;
  private final QueueRequest request;
  private final QueueListener listener;
  private final QueueMeters meters;
  private final Backoff backoff =
      new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, RandomGenerator.getDefault());

  /** Unsettled messages by tag, with the destination of their replies or null. */
  private final NavigableMap<Long, Destination> pending = new TreeMap<>();

  private int credit;

  /** Ref of the session; 0 without one. */
  private int ref;

  /** Latest tag before the session. */
  private long base;

  private long lastTag;
  private int refusals;
  private boolean wasActive;
  private boolean ended;

  ForwardedConsumer(ForwardedQueues owner, QueueRequest request, QueueListener listener) {
    this.owner = owner;
    this.request = request;
    this.listener = listener;
    this.meters = owner.metrics().queues();
    this.credit = request.credit();
  }

  /** Opens a session at the root. */
  void open() {
    if (ended || ref != 0) {
      return;
    }
    QueueRecord.Refused problem = owner.problem();
    if (problem != null) {
      end(problem.code(), problem.why());
      return;
    }
    base = lastTag;
    ref = owner.begin(this);
    owner.send(
        new QueueRecord.Consume(
            ref,
            new QueueRequest(
                request.requester(),
                request.queue(),
                request.subscription(),
                request.where(),
                credit)));
  }

  /** Handles an event of the session. */
  void onRecord(QueueRecord.Result result) {
    if (result instanceof QueueRecord.Delivered delivered) {
      deliver(delivered.message());
    } else if (result instanceof QueueRecord.Released released) {
      release(released.tag() == 0 ? 0 : base + released.tag(), released.reason());
    } else if (result instanceof QueueRecord.Consuming) {
      onConsuming();
    } else if (result instanceof QueueRecord.Refused refused) {
      onRefused(refused.code(), refused.why());
    }
  }

  private void onConsuming() {
    refusals = 0;
    backoff.reset();
    if (!wasActive) {
      wasActive = true;
      meters.consumers(1);
      listener.onConsuming();
    }
  }

  private void deliver(QueueDelivery message) {
    lastTag = base + message.tag();
    pending.put(lastTag, message.replyTo());
    meters.pending(1);
    meters.delivered(message.redelivery().text());
    listener.onDelivery(base == 0 ? message : withTag(message, lastTag));
  }

  private static QueueDelivery withTag(QueueDelivery message, long tag) {
    return new QueueDelivery(
        tag,
        message.redelivery(),
        message.identity(),
        message.timeMs(),
        message.kind(),
        message.payload(),
        message.properties(),
        message.messageType(),
        message.correlationId(),
        message.replyTo(),
        message.group(),
        message.topic());
  }

  private void release(long tag, ReleaseReason reason) {
    int released = remove(tag == 0 ? lastTag : tag, tag == 0);
    meters.released(reason.code(), released);
    listener.onReleased(tag, reason);
  }

  /** Removes a pending message, or all up to it; returns their number. */
  private int remove(long tag, boolean upTo) {
    NavigableMap<Long, Destination> removed =
        upTo ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true);
    int count = removed.size();
    removed.clear();
    meters.pending(-count);
    return count;
  }

  private void onRefused(ErrorCode code, String why) {
    owner.endSession(ref, false);
    ref = 0;
    if (!wasActive || !TEMPORARY.contains(code) || ++refusals > MAX_REFUSALS) {
      end(code, why);
      return;
    }
    releaseAll();
    owner.later(this::open, backoff.nextMs());
  }

  /** The link is lost: the root returns the unsettled messages to the queue. */
  void onLost() {
    ref = 0;
    if (!wasActive) {
      end(ErrorCode.BROKER_UNAVAILABLE, ForwardedCall.LOST);
    } else {
      releaseAll();
    }
  }

  // The broker ends a shared subscription with its last consumer, and may have lost messages.
  private void releaseAll() {
    boolean isShared = request.subscription() != null && !request.subscription().durable();
    if (isShared || !pending.isEmpty()) {
      release(0, ReleaseReason.BROKER_LOST);
    }
  }

  private void end(ErrorCode code, String why) {
    if (!ended) {
      end();
      listener.onRefused(code, why);
    }
  }

  private void end() {
    ended = true;
    owner.remove(this);
    remove(lastTag, true);
    if (wasActive) {
      meters.consumers(-1);
    }
  }

  @Override
  public void close() {
    owner.execute(
        () -> {
          if (!ended) {
            meters.released("closed", pending.size());
            owner.endSession(ref, true);
            ref = 0;
            end();
          }
        });
  }

  @Override
  public void credit(int newCredit) {
    owner.execute(
        () -> {
          credit = newCredit;
          if (ref != 0) {
            owner.send(new QueueRecord.Credit(ref, credit));
          }
        });
  }

  /** Returns whether a message may be pending at the root. */
  private boolean isCurrent(long tag) {
    return ref != 0 && tag > base;
  }

  private String user() {
    return request.requester().user();
  }

  @Override
  public void settle(long tag, boolean upTo, Settlement how, SettleListener result) {
    owner.execute(
        () -> {
          if (!isCurrent(tag)) {
            onSettleRefused(result, ErrorCode.NOT_PENDING, NOT_PENDING);
            return;
          }
          ForwardedCall call =
              ForwardedCall.of(
                  user(),
                  done -> {
                    meters.settled(how.code(), remove(tag, upTo));
                    result.onSettled();
                  },
                  (code, why) -> onSettleRefused(result, code, why));
          owner.call(call, id -> new QueueRecord.Settle(id, ref, tag - base, upTo, how));
        });
  }

  private void onSettleRefused(SettleListener result, ErrorCode code, String why) {
    meters.settled(code.code(), 1);
    result.onRefused(code, why);
  }

  // The leaf's limits apply before the root publishes the reply.
  @Override
  public void respond(long tag, Publication reply, PublishListener result) {
    owner.execute(
        () -> {
          if (!isCurrent(tag) || !pending.containsKey(tag)) {
            result.onRefused(ErrorCode.NOT_PENDING, NOT_PENDING);
            return;
          }
          result.onDestination(pending.get(tag));
          String exceeded = result.rateProblem();
          if (exceeded != null) {
            result.onRefused(ErrorCode.RATE_LIMITED, exceeded);
            return;
          }
          Requester requester = result.requester();
          owner.call(
              ForwardedCall.of(user(), done -> result.onPublished(), result::onRefused),
              id -> new QueueRecord.Respond(id, ref, requester, tag - base, reply));
        });
  }

  @Override
  public void transact(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener result) {
    owner.execute(() -> transactNow(acknowledgements, publications, result));
  }

  private void transactNow(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener result) {
    for (int i = 0; i < acknowledgements.size(); i++) {
      if (!isCurrent(acknowledgements.get(i).tag())) {
        result.onRefused(ErrorCode.NOT_PENDING, "ack " + (i + 1) + ": " + NOT_PENDING);
        return;
      }
    }
    Requester requester = result.requester();
    List<Acknowledgement> atRoot =
        acknowledgements.stream()
            .map(each -> new Acknowledgement(each.tag() - base, each.upTo()))
            .toList();
    ForwardedCall call =
        ForwardedCall.ofTransaction(
            user(),
            result,
            () ->
                acknowledgements.forEach(
                    each ->
                        meters.settled(Settlement.ACK.code(), remove(each.tag(), each.upTo()))));
    owner.call(call, id -> new QueueRecord.Transact(id, ref, requester, atRoot, publications));
  }
}
