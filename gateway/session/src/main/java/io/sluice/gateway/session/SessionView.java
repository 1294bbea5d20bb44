package io.sluice.gateway.session;

import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TracedFrame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** View of an open session for operators. Bound to the event loop of its connection. */
final class SessionView implements ClientView {
  private final Session session;
  private final Subscriptions all;
  private final long openedMs;
  private final int consumers;

  /**
   * @param all the session's subscriptions; null before the first
   */
  SessionView(Session session, Subscriptions all, long openedMs, int consumers) {
    this.session = session;
    this.all = all;
    this.openedMs = openedMs;
    this.consumers = consumers;
  }

  @Override
  public boolean isOpen() {
    return session.isActive() && !session.isClosing();
  }

  @Override
  public long number() {
    return session.client.number();
  }

  @Override
  public String session() {
    return session.client.sessionId();
  }

  @Override
  public String subject() {
    return session.client.principal().name();
  }

  @Override
  public String mechanism() {
    return session.client.principal().mechanism().word();
  }

  @Override
  public String token() {
    return session.client.principal().tokenId();
  }

  @Override
  public String address() {
    return session.connection.address();
  }

  @Override
  public long sinceMs() {
    return openedMs;
  }

  @Override
  public long expiresMs() {
    return session.client.principal().expiresMs();
  }

  @Override
  public int subscriptionCount() {
    return all == null ? 0 : all.count();
  }

  @Override
  public int consumerCount() {
    return consumers;
  }

  @Override
  public long pendingBytes() {
    return session.connection.pendingBytes();
  }

  @Override
  public int rttMs() {
    return session.connection.rttMs();
  }

  @Override
  public long unansweredPingMs() {
    return session.connection.unansweredPingMs();
  }

  @Override
  public int gaps() {
    return all == null ? 0 : all.gaps();
  }

  @Override
  public List<SubscriptionFigures> subscriptions(Predicate<InterestKey> matches) {
    return all == null ? List.of() : all.figures(matches);
  }

  @Override
  public Map<String, List<String>> permissions() {
    return session.policy.permissions(session.client.grant());
  }

  /** Returns what a session loses by a reload that leads to another policy, or null. */
  static PermissionLoss loss(Session session, SessionPolicy next) {
    Principal principal = session.client.principal();
    Grant granted;
    boolean closes = false;
    try {
      granted = next.access.permissions().grant(principal);
    } catch (AuthenticationFailure tooManyPatterns) {
      granted = Grant.NOTHING;
      closes = true;
    }
    Map<String, List<String>> lost = new LinkedHashMap<>();
    Map<String, List<String>> left = next.permissions(granted);
    session
        .policy
        .permissions(session.client.grant())
        .forEach(
            (operation, patterns) -> {
              List<String> kept = left.getOrDefault(operation, List.of());
              lost.put(
                  operation,
                  patterns.stream().filter(each -> !TopicPattern.anyCovers(kept, each)).toList());
            });
    lost.values().removeIf(List::isEmpty);
    PermissionLoss loss =
        new PermissionLoss(
            session.client.sessionId(),
            principal.name(),
            principal.mechanism().word(),
            session.connection.address(),
            closes,
            lost,
            session.forbidden(next, granted));
    return loss.isEmpty() ? null : loss;
  }

  @Override
  public void disconnect(String by) {
    session.disconnect(by);
  }

  @Override
  public boolean redirect(String url) {
    boolean movable = session.connection.isMovable() && session.isMovable(RedirectReason.COMMAND);
    if (movable) {
      session.onRedirect(url, RedirectReason.COMMAND);
    }
    return movable;
  }

  // The client's tasks and subscriptions use the field, so that a trace can end at any time.
  @Override
  public void trace(int seconds) {
    endTrace();
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    TracedConnection trace = new TracedConnection(session.connection, endNs);
    session.connection = trace;
    session.shard.executeLater(() -> endTrace(trace), TimeUnit.SECONDS.toMillis(seconds));
  }

  private void endTrace(TracedConnection ended) {
    if (session.connection == ended) {
      endTrace();
    }
  }

  private void endTrace() {
    if (session.connection instanceof TracedConnection trace) {
      session.connection = trace.target;
    }
  }

  @Override
  public List<TracedFrame> frames() {
    return session.connection instanceof TracedConnection trace ? trace.frames() : null;
  }

  @Override
  public String subscribeProblem(String topic) {
    TopicRules.Problem problem =
        session.policy.subscribeProblem(InterestKey.of(topic), session.client.grant());
    return problem == null ? null : problem.message();
  }

  @Override
  public String limitProblem(String topic) {
    int max = session.policy.options.subscriptions();
    if (subscriptionCount() >= max) {
      return "the session has the %d subscriptions of %s"
          .formatted(max, LimitSettings.SUBSCRIPTIONS.key());
    }
    Limit rejection = session.connection.lease().rejection(InterestKey.of(topic));
    return rejection == null ? null : rejection.problem();
  }
}
