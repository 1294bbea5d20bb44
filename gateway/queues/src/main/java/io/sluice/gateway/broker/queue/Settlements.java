package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.provider.HeaderText;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.queue.PendingMessage.State;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Settlements of one consumer's messages: those that wait for the broker, and the batch in the
 * running call. Bound to the consumer's executor.
 */
final class Settlements {
  /** Maximum number of acknowledgements in one call, which has a time limit. */
  private static final int MAX_BATCH = 256;

  /** Maximum number of rejections in one call. */
  private static final int MAX_REJECTIONS = 16;

  /** Maximum number of failed attempts to reject a message, after which its consumer ends. */
  private static final int MAX_ATTEMPTS = 10;

  /** Maximum number of messages whose failed attempts are counted. */
  private static final int MAX_COUNTED = 256;

  private static final String NOT_PENDING = "the message is not pending at this consumer";
  private static final String ANSWERED = "the message has been answered";

  private final QueueMeters meters;
  private final PendingMessages pending;
  private final Queue<Settling> waiting = new ArrayDeque<>();
  private List<Settling> inCall = List.of();

  /** Ids of the messages that the call rejects; a provider may change those of the messages. */
  private List<String> rejecting = List.of();

  /** Failed rejections by the ids of the latest messages. */
  private final Map<String, Integer> failedRejections = new LinkedHashMap<>();

  /** Explanation for the client; null unless all attempts to reject a message have failed. */
  private String stuck;

  Settlements(QueueMeters meters) {
    this.meters = meters;
    this.pending = new PendingMessages(meters);
  }

  /** Settlements of one call: acknowledgements, one rejection or one transaction. */
  record Batch(List<Settling> parts) {
    private Settling first() {
      return parts.get(0);
    }

    /** Returns whether the settlement sends messages. */
    boolean sends() {
      return !first().isBatched();
    }

    /** Returns the destinations of messages that the settlement sends. */
    Set<String> destinations(String deadLetter) {
      return first().isTransaction()
          ? QueueTransaction.destinations(first().publications())
          : Set.of("queue " + deadLetter);
    }

    /** Returns the number of messages that the client has received. */
    int pending() {
      return (int)
          parts.stream().flatMap(each -> each.messages().stream()).filter(m -> m.tag > 0).count();
    }

    private List<Message> messages() {
      return parts.stream()
          .flatMap(each -> each.messages().stream())
          .map(each -> each.message)
          .toList();
    }

    /**
     * Settles the messages; waits for the broker. Any thread.
     *
     * @param source name of the queue or subscription
     */
    void run(
        QueueSession session, SessionTransactions transactions, String deadLetter, String source)
        throws JMSException {
      List<Message> messages = messages();
      if (first().isTransaction()) {
        transactions.run(session, messages, first().publications(), destinations(deadLetter));
      } else if (first().isBatched()) {
        session.acknowledge(messages);
      } else {
        transactions.reject(session, messages, deadLetter, source);
      }
    }
  }

  /** Returns the unsettled messages. */
  PendingMessages pending() {
    return pending;
  }

  /**
   * Settles the message of a tag, or all messages up to it.
   *
   * @param closed whether the consumer has ended
   */
  void settle(boolean closed, long tag, boolean upTo, Settlement how, SettleListener result) {
    List<PendingMessage> messages = pending.find(tag, upTo);
    if (messages.isEmpty() || closed) {
      refuse(result, ErrorCode.NOT_PENDING, NOT_PENDING);
    } else if (how == Settlement.RELEASE) {
      messages.forEach(pending::release);
      meters.settled(how.code(), messages.size());
      result.onSettled();
    } else {
      messages.forEach(message -> message.state = State.SETTLING);
      addInParts(messages, how, result);
    }
  }

  private void addInParts(List<PendingMessage> messages, Settlement how, SettleListener result) {
    int max = how == Settlement.ACK ? MAX_BATCH : MAX_REJECTIONS;
    int from = 0;
    for (; messages.size() - from > max; from += max) {
      add(new Settling(messages.subList(from, from + max), how, null));
    }
    add(new Settling(messages.subList(from, messages.size()), how, result));
  }

  /**
   * Acknowledges and publishes in one transaction.
   *
   * @param closed whether the consumer has ended
   */
  void transact(
      boolean closed,
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener result) {
    List<PendingMessage> messages = new ArrayList<>();
    for (int i = 0; i < acknowledgements.size(); i++) {
      Acknowledgement ack = acknowledgements.get(i);
      List<PendingMessage> found = pending.find(ack.tag(), ack.upTo());
      if (found.isEmpty() || closed) {
        messages.forEach(message -> message.state = State.PENDING);
        result.onRefused(ErrorCode.NOT_PENDING, "ack " + (i + 1) + ": " + NOT_PENDING);
        return;
      }
      found.forEach(message -> message.state = State.SETTLING);
      messages.addAll(found);
    }
    add(Settling.transaction(messages, publications, result));
  }

  /**
   * Replies to a message, once.
   *
   * @param closed whether the consumer has ended
   */
  void respond(
      boolean closed, long tag, Publication reply, ReplySender replies, PublishListener result) {
    List<PendingMessage> messages = pending.find(tag, false);
    if (messages.isEmpty() || closed) {
      result.onRefused(ErrorCode.NOT_PENDING, NOT_PENDING);
      return;
    }
    PendingMessage message = messages.get(0);
    result.onDestination(message.replyTo);
    if (message.answered) {
      result.onRefused(ErrorCode.NO_RECIPIENT, ANSWERED);
      return;
    }
    String exceeded = result.rateProblem();
    if (exceeded != null) {
      result.onRefused(ErrorCode.RATE_LIMITED, exceeded);
    } else {
      message.answered = true;
      replies.answer(message.message, reply, new Answering(message, result));
    }
  }

  /** Result of a reply. A refused one may be repeated. Any thread. */
  private record Answering(PendingMessage message, PublishListener result)
      implements PublishListener {
    @Override
    public Requester requester() {
      return result.requester();
    }

    @Override
    public void onPublished() {
      result.onPublished();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      message.answered = false;
      result.onRefused(code, why);
    }
  }

  void add(Settling settling) {
    waiting.add(settling);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Starts a call with what waits: all acknowledgements, one rejection or one transaction. */
  Batch next() {
    List<Settling> batch = new ArrayList<>();
    int messages = 0;
    Settling first = waiting.element();
    do {
      Settling next = waiting.remove();
      batch.add(next);
      messages += next.messages().size();
    } while (first.isBatched() && canGrow(messages));
    inCall = batch;
    rejecting = rejected(batch);
    return new Batch(batch);
  }

  private boolean canGrow(int messages) {
    return messages < MAX_BATCH && !waiting.isEmpty() && waiting.element().isBatched();
  }

  /** Ends the call with success. */
  void onSettled(Batch batch) {
    inCall = List.of();
    rejecting.forEach(failedRejections::remove);
    rejecting = List.of();
    for (Settling each : batch.parts) {
      each.messages().forEach(pending::remove);
      meters.settled(each.how().code(), each.messages().size());
      if (each.listener() != null) {
        each.listener().onSettled();
      }
    }
    pending.updateDeadline();
  }

  /** Ends the call with a failure. */
  void onFailed(Batch batch, Throwable failure) {
    countFailures(Explanation.of(failure));
    inCall = batch.parts.stream().filter(each -> !each.isOfClient()).toList();
    for (Settling each : batch.parts) {
      refuse(each, each.failure(ErrorCode.SETTLE_FAILED, true), explanation(each, failure));
    }
  }

  /** Counts the call as failed, because the connection is lost. */
  void onLost() {
    countFailures("the connection to the broker was lost");
  }

  private void countFailures(String why) {
    for (String id : rejecting) {
      if (failedRejections.merge(id, 1, Integer::sum) >= MAX_ATTEMPTS) {
        stuck =
            "message %s could not be moved to the dead-letter queue in %d attempts: %s"
                .formatted(id, MAX_ATTEMPTS, why);
      }
    }
    rejecting = List.of();
    while (failedRejections.size() > MAX_COUNTED) {
      failedRejections.remove(failedRejections.keySet().iterator().next());
    }
  }

  private static List<String> rejected(List<Settling> parts) {
    return parts.stream()
        .filter(each -> each.how() == Settlement.REJECT)
        .flatMap(each -> each.messages().stream())
        .map(each -> HeaderText.of(each.message::getJMSMessageID))
        .map(String::valueOf)
        .toList();
  }

  /**
   * Returns why a message can never be rejected; null if each has attempts left. The message would
   * arrive again and again.
   */
  String stuck() {
    return stuck;
  }

  private static String explanation(Settling settling, Throwable failure) {
    return settling.isTransaction()
        ? PartRefused.explanation(failure)
        : "the broker did not store the settlement: " + Explanation.of(failure);
  }

  /** Returns the messages that the node rejects itself and whose rejection is not stored. */
  List<Message> rejectedByNode() {
    return Stream.concat(inCall.stream(), waiting.stream())
        .filter(each -> !each.isOfClient())
        .flatMap(each -> each.messages().stream())
        .map(each -> each.message)
        .toList();
  }

  /** Removes all settlements of a lost session; the returned task notifies the clients. */
  Runnable abandon(ErrorCode code, String why) {
    List<Settling> sent = inCall;
    List<Settling> unsent = List.copyOf(waiting);
    inCall = List.of();
    rejecting = List.of();
    waiting.clear();
    return () -> {
      sent.forEach(each -> refuse(each, each.failure(code, true), why));
      unsent.forEach(each -> refuse(each, each.failure(code, false), why));
    };
  }

  private void refuse(Settling settling, ErrorCode code, String why) {
    if (settling.isTransaction()) {
      settling.listener().onRefused(code, why);
    } else if (settling.listener() != null) {
      refuse(settling.listener(), code, why);
    }
  }

  /** Refuses a settlement. */
  void refuse(SettleListener result, ErrorCode code, String why) {
    meters.settled(code.code(), 1);
    result.onRefused(code, why);
  }
}
