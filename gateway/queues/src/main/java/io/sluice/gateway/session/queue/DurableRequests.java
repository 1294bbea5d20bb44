package io.sluice.gateway.session.queue;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.ListedDurable;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Requests of a client to list or delete its durable subscriptions, one at a time. Created with the
 * first request. Bound to the client's event loop.
 */
final class DurableRequests implements SessionFeature.State {
  /** Names of the actions in the audit log. */
  private static final String LIST = "list";

  private static final String DELETE = "delete";

  private final SessionContext session;
  private final SessionPolicy policy;
  private final QueueFrames frames;
  private final int maxListed;

  /** The unanswered request, or null. */
  private Pending<?> pending;

  private DurableRequests(SessionContext session, QueueFrames frames, int maxListed) {
    this.session = session;
    this.policy = session.policy();
    this.frames = frames;
    this.maxListed = maxListed;
  }

  /**
   * Returns the feature of a node's sessions.
   *
   * @param maxListed maximum number of subscriptions in a list
   */
  static SessionFeature<DurableRequests> feature(QueueFrames frames, int maxListed) {
    return SessionFeature.of(
            DurableRequests.class, session -> new DurableRequests(session, frames, maxListed))
        .on(ClientFrame.ListDurables.class, DurableRequests::onList)
        .on(ClientFrame.DeleteDurable.class, DurableRequests::onDelete)
        .announcing(DurableRequests::announce);
  }

  // The broker reports the feature; the node may have no topics for it.
  private static void announce(SessionOptions options, Set<Feature> announced) {
    if (options.durableTopics().isEmpty()) {
      announced.remove(Feature.DURABLE);
    }
  }

  /** Returns whether no request is unanswered. */
  @Override
  public boolean isIdle() {
    return pending == null;
  }

  void onList(ClientFrame.ListDurables frame) {
    TopicRules.Problem problem = QueuePermissions.listProblem(policy, session.client().grant());
    if (problem != null) {
      session.refuse(LIST, frame.ref(), problem, null);
      return;
    }
    Pending<List<DurableState>> request =
        new Pending<>(LIST, frame.ref(), null, durables -> sendList(frame.ref(), durables));
    if (begin(request)) {
      String owner = session.client().principal().id();
      // One more than allowed shows whether the list is complete.
      policy.sources().queues().list(session.client().requester(), owner, maxListed + 1, request);
    }
  }

  void onDelete(ClientFrame.DeleteDurable frame) {
    Destination topic = Destination.topic(frame.topic());
    TopicRules.Problem problem =
        QueuePermissions.durableProblem(
            policy, InterestKey.of(frame.topic()), session.client().grant());
    if (problem != null) {
      session.refuse(DELETE, frame.ref(), problem, topic);
      return;
    }
    Pending<Void> request = new Pending<>(DELETE, frame.ref(), topic, none -> sendDeleted(frame));
    if (begin(request)) {
      policy.sources().queues().delete(session.client().requester(), subscription(frame), request);
    }
  }

  private TopicSubscription subscription(ClientFrame.DeleteDurable frame) {
    return new TopicSubscription(
        session.client().principal().id(), frame.topic(), frame.name(), true);
  }

  // A running request counts as a consumer, because it costs the broker as much.
  private boolean begin(Pending<?> request) {
    if (pending != null) {
      refuse(request, ErrorCode.RATE_LIMITED, "an earlier list or delete is still pending");
      return false;
    }
    Limit exceeded = session.lease().acquireConsumer();
    if (exceeded != null) {
      refuse(request, ErrorCode.TOO_MANY_CONSUMERS, exceeded.problem());
      return false;
    }
    pending = request;
    return true;
  }

  private void refuse(Pending<?> request, ErrorCode code, String why) {
    session.refuse(request.what, request.ref, code, why, request.topic);
  }

  /** Sends as many subscriptions as half of the client's buffer can hold. */
  private void sendList(long ref, List<DurableState> all) {
    List<DurableState> durables = all.stream().filter(this::isValid).toList();
    int count = Math.min(durables.size(), maxListed);
    ByteBuf frame = listed(ref, durables, count);
    while (count > 0 && frame.readableBytes() > policy.maxPendingBytes() / 2) {
      frame.release();
      count /= 2;
      frame = listed(ref, durables, count);
    }
    session.send(frame);
  }

  // Others can create subscriptions at the broker with names like those of clients.
  private boolean isValid(DurableState state) {
    return policy.options().topicRules().checkPattern(state.subscription().topic()) == null;
  }

  private ByteBuf listed(long ref, List<DurableState> durables, int count) {
    List<ListedDurable> listed =
        durables.stream().limit(count).map(DurableRequests::listed).toList();
    return frames.listed(ref, listed, count < durables.size());
  }

  private static ListedDurable listed(DurableState state) {
    TopicSubscription subscription = state.subscription();
    return new ListedDurable(
        subscription.topic(),
        subscription.name(),
        state.where(),
        state.messages(),
        state.consumers());
  }

  private void sendDeleted(ClientFrame.DeleteDurable frame) {
    session.send(frames.deleted(frame.ref(), frame.topic(), frame.name()));
    if (session.client().isAudited(AuditEvent.DELETED)) {
      policy.audit().deleted(session.client().peer(), frame.topic(), frame.name());
    }
  }

  /** Discards the answer for a client that has disconnected. */
  @Override
  public void close(boolean forGood) {
    if (pending != null) {
      end();
    }
  }

  private void end() {
    pending = null;
    session.lease().releaseConsumer();
  }

  /** One request. The broker's threads call the listener. */
  private final class Pending<T> implements ResultListener<T> {
    private final String what;
    private final long ref;
    private final Destination topic;
    private final Consumer<T> answer;

    /**
     * @param topic null if the request has none
     * @param answer sends the result to the client
     */
    Pending(String what, long ref, Destination topic, Consumer<T> answer) {
      this.what = what;
      this.ref = ref;
      this.topic = topic;
      this.answer = answer;
    }

    @Override
    public void onResult(T result) {
      session.later(() -> finish(() -> answer.accept(result)));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.later(() -> finish(() -> sendRefusal(code, why)));
    }

    private void sendRefusal(ErrorCode code, String why) {
      session.client().auditRefused(what, topic, code.code());
      session.send(session.refusal(ref, code, why, topic));
    }

    private void finish(Runnable reply) {
      if (pending == this) {
        end();
        reply.run();
        session.closeIfComplete();
      }
    }
  }
}
