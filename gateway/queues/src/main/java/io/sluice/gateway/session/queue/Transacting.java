package io.sluice.gateway.session.queue;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.session.Publishing;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.trace.PublishTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Unanswered transactions of a session, and their checks. Nothing is sent before all parts are
 * accepted. Only clients that send transactions have one. Bound to the client's event loop.
 */
final class Transacting implements SessionFeature.State {
  private static final String TRANSACTION = "transaction";
  private static final String COMMITTED = "committed";

  private final SessionContext session;
  private final SessionPolicy policy;
  private final QueueFrames frames;
  private final Publishing publishing;
  private final Consumers consumers;

  /** Bytes of the transactions of all clients that wait for the broker. */
  private final Shares waitingBytes;

  private int pending;

  private Transacting(
      SessionContext session,
      QueueFrames frames,
      Publishing publishing,
      Consumers consumers,
      Shares waitingBytes) {
    this.session = session;
    this.policy = session.policy();
    this.frames = frames;
    this.publishing = publishing;
    this.consumers = consumers;
    this.waitingBytes = waitingBytes;
  }

  /**
   * Returns the feature of a node's sessions.
   *
   * @param maxBytes maximum bytes of all transactions that wait for the broker
   */
  static SessionFeature<Transacting> feature(
      QueueFrames frames, SessionFeature<Consumers> consumers, long maxBytes) {
    Shares waitingBytes = new Shares(maxBytes);
    return SessionFeature.of(
            Transacting.class,
            session ->
                new Transacting(
                    session,
                    frames,
                    session.state(Publishing.FEATURE),
                    session.state(consumers),
                    waitingBytes))
        .on(ClientFrame.Transaction.class, Transacting::onTransaction);
  }

  /** Returns whether no transaction is pending. */
  @Override
  public boolean isIdle() {
    return pending == 0;
  }

  void onTransaction(ClientFrame.Transaction frame) {
    String unsupported = unsupported(frame);
    if (unsupported != null) {
      policy.metrics().transaction(ErrorCode.UNSUPPORTED.code());
      session.error(frame.ref(), ErrorCode.UNSUPPORTED, unsupported, null);
    } else if (isPermitted(frame) && isPending(frame)) {
      List<Publication> publications =
          frame.publishes().stream().map(publishing::publication).toList();
      long bytes = publications.stream().mapToLong(Publication::size).sum();
      if (isPossible(frame, bytes) && isWithinRates(frame) && hasBodies(frame)) {
        transact(frame, publications, bytes);
      }
    }
  }

  private String unsupported(ClientFrame.Transaction frame) {
    Set<Feature> features = policy.sources().features();
    if (!features.contains(Feature.TRANSACTIONS)) {
      return "\"transaction\": the broker of this node does not support transactions";
    }
    if (frame.acks().isEmpty()) {
      return null;
    }
    if (session.isStream()) {
      return "\"ack\": a stream cannot settle messages: consume from queues over a WebSocket";
    }
    return features.contains(Feature.TRANSACTED_ACKS)
        ? null
        : "\"ack\": the broker of this node does not acknowledge in transactions";
  }

  private boolean isPermitted(ClientFrame.Transaction frame) {
    for (int i = 0; i < frame.publishes().size(); i++) {
      ClientFrame.Publish publish = frame.publishes().get(i);
      TopicRules.Problem problem = publishing.problem(publish);
      problem = problem == null ? policy.besideQueuesProblem(publish.destination()) : problem;
      if (problem != null) {
        refusePublish(frame, i, problem.code(), problem.message());
        return false;
      }
    }
    return true;
  }

  private void refusePublish(ClientFrame.Transaction frame, int index, ErrorCode code, String why) {
    policy.metrics().transaction(code.code());
    Destination destination = frame.publishes().get(index).destination();
    String message = "publish " + (index + 1) + ": " + why;
    session.refuse(TRANSACTION, frame.ref(), code, message, destination);
  }

  /** Checks that the client has received the messages; the broker's side checks the rest. */
  private boolean isPending(ClientFrame.Transaction frame) {
    for (int i = 0; i < frame.acks().size(); i++) {
      String problem = consumers.ackProblem(frame.acks().get(i));
      if (problem != null) {
        onRefused(frame, ErrorCode.NOT_PENDING, "ack " + (i + 1) + ": " + problem);
        return false;
      }
    }
    return true;
  }

  /** Checks the limits that a transaction exceeds each time that the client repeats it. */
  private boolean isPossible(ClientFrame.Transaction frame, long bytes) {
    String problem = publishing.burstProblem(frame.publishes());
    if (problem == null && bytes > waitingBytes.max()) {
      problem = bytes + " bytes exceeds the limit of " + waitingBytes.max() + " bytes";
    }
    if (problem != null) {
      String why = "a transaction of " + problem;
      policy.metrics().transaction(ErrorCode.BAD_FRAME.code());
      session.refuse(TRANSACTION, frame.ref(), ErrorCode.BAD_FRAME, why, null);
    }
    return problem == null;
  }

  // All or none of the client's tokens: a client that retries would otherwise use them up.
  private boolean isWithinRates(ClientFrame.Transaction frame) {
    String own = publishing.ownRateProblem(frame.publishes().size());
    if (own != null) {
      onRefused(frame, ErrorCode.RATE_LIMITED, own);
      return false;
    }
    for (int i = 0; i < frame.publishes().size(); i++) {
      String problem = publishing.sharedRateProblem(frame.publishes().get(i).destination());
      if (problem != null) {
        refusePublish(frame, i, ErrorCode.RATE_LIMITED, problem);
        return false;
      }
    }
    return true;
  }

  private boolean hasBodies(ClientFrame.Transaction frame) {
    for (int i = 0; i < frame.publishes().size(); i++) {
      String problem = Publishing.bodyProblem(frame.publishes().get(i));
      if (problem != null) {
        refusePublish(frame, i, ErrorCode.BAD_FRAME, problem);
        return false;
      }
    }
    return true;
  }

  private void transact(ClientFrame.Transaction frame, List<Publication> publications, long bytes) {
    if (!waitingBytes.take(session.client().requester().user(), bytes)) {
      onRefused(frame, ErrorCode.RATE_LIMITED, "too many transactions wait at this node");
      return;
    }
    pending++;
    send(frame, publications, new Result(frame, bytes));
  }

  private void send(
      ClientFrame.Transaction frame, List<Publication> publications, PublishListener result) {
    if (policy.tracing() == null) {
      sendTo(frame, publications, result);
      return;
    }
    List<Publication> sent = new ArrayList<>();
    List<PublishTrace> traces = new ArrayList<>();
    for (Publication publication : publications) {
      TracedPublish traced = TracedPublish.of(policy.tracing(), publication);
      sent.add(traced == null ? publication : traced.publication());
      if (traced != null) {
        traces.add(traced.trace());
      }
    }
    sendTo(frame, sent, TracedPublish.ending(traces, result));
  }

  private void sendTo(
      ClientFrame.Transaction frame, List<Publication> publications, PublishListener result) {
    if (frame.acks().isEmpty()) {
      policy.sources().queues().publish(publications, result);
    } else {
      consumers.transact(frame.acks(), publications, result);
    }
  }

  /** Does nothing: the broker completes pending transactions. */
  @Override
  public void close(boolean forGood) {}

  /** Sends the failure of a transaction. {@code not-pending} may be a lost race: no audit. */
  private void onRefused(ClientFrame.Transaction frame, ErrorCode code, String why) {
    policy.metrics().transaction(code.code());
    if (code == ErrorCode.NOT_PENDING) {
      session.error(frame.ref(), code, why, null);
    } else {
      session.client().auditRefused(TRANSACTION, null, code.code());
      session.send(session.refusal(frame.ref(), code, why, null));
    }
  }

  /** Passes the result of a transaction to the client's event loop. */
  private final class Result implements PublishListener {
    private final ClientFrame.Transaction frame;
    private final long bytes;

    Result(ClientFrame.Transaction frame, long bytes) {
      this.frame = frame;
      this.bytes = bytes;
    }

    @Override
    public Requester requester() {
      return session.client().requester();
    }

    @Override
    public void onPublished() {
      waitingBytes.release(session.client().requester().user(), bytes);
      session.later(this::onCommitted);
    }

    // Audited even if the client has disconnected: the broker has the messages.
    private void onCommitted() {
      policy.metrics().transaction(COMMITTED);
      for (ClientFrame.Publish publish : frame.publishes()) {
        policy.metrics().published();
        session.client().auditPublished(publish.destination());
      }
      ByteBuf reply = frames.committed(frame.ref());
      session.send(reply);
      onEnd();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      waitingBytes.release(session.client().requester().user(), bytes);
      session.later(
          () -> {
            Transacting.this.onRefused(frame, code, why);
            onEnd();
          });
    }

    private void onEnd() {
      pending--;
      session.closeIfComplete();
    }
  }
}
