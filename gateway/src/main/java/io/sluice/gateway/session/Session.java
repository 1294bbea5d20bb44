package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.protocol.Admission;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import java.util.function.Predicate;

/**
 * One client: its frames in, its answers and messages out. How it gets in, what it subscribes to,
 * publishes and renews have classes of their own, which only clients that do so have. Bound to the
 * event loop of its connection.
 */
public final class Session extends Recipient implements ConnectionListener {
  /** A session ends in CLOSING, in which nothing more is sent or accepted. */
  private enum State {
    /** The node does not know yet who it is. */
    ENTERING,
    OPEN,
    /** Open, but the client has said everything. */
    HEARD,
    CLOSING
  }

  private State state = State.ENTERING;

  /** Null once the client is in. */
  private Authenticating authenticating;

  /** Null until the client subscribes; likewise the next two. */
  private Subscriptions subscriptions;

  private Publishing publishing;
  private Refreshing refreshing;
  private Principal principal = Principal.ANONYMOUS;
  private Grant grant;
  private boolean joined;
  private short mobility = Moves.FIXED;
  private int errors;
  private long number;
  private long openedMs;
  private long toldMs;

  /**
   * @param shown the credential that came with the handshake, or null
   */
  public Session(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      Encoding encoding,
      Credential shown) {
    super(connection, shard, policy, encoding);
    this.authenticating = new Authenticating(this, shown);
  }

  @Override
  public void onText(ByteBuf payload) {
    if (state != State.CLOSING) {
      onClientFrame(policy.parser.parseText(payload), payload.readableBytes());
    }
  }

  @Override
  public void onBinary(ByteBuf payload) {
    if (state == State.CLOSING) {
      return;
    }
    if (encoding().isBinary()) {
      onClientFrame(policy.parser.parseBinary(payload), payload.readableBytes());
    } else {
      close(CloseCode.UNSUPPORTED);
    }
  }

  private void onClientFrame(ClientFrame frame, long size) {
    policy.metrics.frameIn();
    if (state == State.ENTERING) {
      authenticating.onFrame(frame, size);
    } else {
      onOpenFrame(frame);
    }
  }

  void onOpenFrame(ClientFrame frame) {
    if (frame instanceof ClientFrame.Subscribe subscribe) {
      subscriptions().onSubscribe(subscribe);
    } else if (frame instanceof ClientFrame.Unsubscribe unsubscribe) {
      subscriptions().onUnsubscribe(unsubscribe);
    } else if (frame instanceof ClientFrame.Publish publish) {
      publishing().onPublish(publish);
    } else if (frame instanceof ClientFrame.Ping ping) {
      send(policy.frames.pong(ping.ref(), System.currentTimeMillis()));
    } else if (frame instanceof ClientFrame.Refresh refresh) {
      refreshing().onRefresh(refresh);
    } else if (frame instanceof ClientFrame.Malformed bad) {
      error(bad.ref(), bad.code(), bad.message(), bad.topic());
    } else {
      String why = "connect must be the first frame and come once";
      error(frame.ref(), ErrorCode.ALREADY_CONNECTED, why, null);
    }
  }

  private Subscriptions subscriptions() {
    if (subscriptions == null) {
      subscriptions = new Subscriptions(this);
    }
    return subscriptions;
  }

  /** Ends the subscriptions that a new grant no longer allows. */
  void endForbidden() {
    if (subscriptions != null) {
      subscriptions.endForbidden();
    }
  }

  private Publishing publishing() {
    if (publishing == null) {
      publishing = new Publishing(this);
    }
    return publishing;
  }

  private Refreshing refreshing() {
    if (refreshing == null) {
      refreshing = new Refreshing(this);
    }
    return refreshing;
  }

  /**
   * The client is in.
   *
   * @param followsRedirects whether it can be sent elsewhere
   */
  void open(Grant granted, boolean followsRedirects) {
    authenticating = null;
    grant = granted;
    state = State.OPEN;
    joined = true;
    mobility = followsRedirects ? policy.moves.onOpen() : Moves.FIXED;
    number = policy.nextSession();
    openedMs = System.currentTimeMillis();
    shard.join(this);
    send(policy.frames.hello(policy.hello(number, principal)));
    if (audits(AuditEvent.CONNECTED)) {
      policy.access.audit().connected(peer());
    }
    if (!shard.isBrokerLive()) {
      send(policy.frames.stale());
    }
  }

  @Override
  public boolean isOpen() {
    return state != State.ENTERING || authenticating.hasBegun();
  }

  boolean isEntering() {
    return state == State.ENTERING;
  }

  /** Whether the client may still say something. */
  boolean isListening() {
    return state == State.OPEN;
  }

  boolean isServed() {
    return state == State.OPEN || state == State.HEARD;
  }

  @Override
  public void onDraining(long deadlineMs, String url) {
    if (isServed()) {
      tellCaughtUp();
      send(policy.frames.draining(deadlineMs, url));
    } else if (state == State.ENTERING) {
      authenticating.onDraining(deadlineMs, url);
    }
  }

  @Override
  public boolean isMovable(MoveReason reason) {
    return isServed() && policy.moves.isFree(mobility, reason);
  }

  @Override
  public void onBetterPlace(String url, MoveReason reason) {
    mobility = policy.moves.onTold(reason);
    tellCaughtUp();
    send(policy.frames.redirect(url));
  }

  @Override
  public void onPing() {
    mobility = policy.moves.onPing(mobility);
    if (isServed() && shard.provenMs() - toldMs >= policy.options.caughtUpMs()) {
      tellCaughtUp();
    }
  }

  /** Who leaves with a young position needs less of another node's log. */
  private void tellCaughtUp() {
    if (shard.provenMs() <= toldMs || subscriptions == null || !subscriptions.areCaughtUp()) {
      return;
    }
    long provenMs = subscriptions.provenMs();
    if (provenMs > toldMs) {
      toldMs = provenMs;
      send(policy.frames.caughtUp(provenMs));
    }
  }

  @Override
  public void onInputEnd() {
    if (state == State.ENTERING) {
      authenticating.onInputEnd();
    } else if (state == State.OPEN) {
      state = State.HEARD;
      endIfNothingIsLeft();
    }
  }

  /** A client that can't ask for more waits for nothing any more. */
  void endIfNothingIsLeft() {
    boolean answered =
        (publishing == null || publishing.isAnswered())
            && (refreshing == null || refreshing.isAnswered());
    if (state == State.HEARD && answered && subscriptionCount() == 0) {
      close(CloseCode.NORMAL);
    }
  }

  private int subscriptionCount() {
    return subscriptions == null ? 0 : subscriptions.count();
  }

  @Override
  public void onClosed() {
    state = State.CLOSING;
    leave();
  }

  @Override
  public CloseCode overdue() {
    return principal.expiresMs() != Principal.NEVER
            && System.currentTimeMillis() >= principal.expiresMs()
        ? CloseCode.EXPIRED
        : null;
  }

  @Override
  public boolean onRevoked(Predicate<Peer> revoked) {
    if (!isServed() || !revoked.test(peer())) {
      return false;
    }
    close(CloseCode.REVOKED);
    return true;
  }

  @Override
  public SessionSummary summary(SessionQuery query) {
    return isServed() && query.matches(number, principal)
        ? new SessionSummary(number, peer(), openedMs, subscriptionCount())
        : null;
  }

  /** Runs on the event loop; a bug ends the session, as it does where a frame meets one. */
  void later(Runnable task) {
    connection.execute(
        () -> {
          try {
            task.run();
          } catch (RuntimeException bug) {
            policy.onBug(bug);
            if (state != State.CLOSING) {
              close(CloseCode.INTERNAL_ERROR);
            }
          }
        });
  }

  boolean audits(AuditEvent event) {
    return policy.access.audit().keeps(event);
  }

  /** The audit log hears that the client did not get what it wanted. */
  void auditRefused(String what, String topic, String why) {
    if (audits(AuditEvent.REFUSED)) {
      policy.access.audit().refused(peer(), what, topic, why);
    }
  }

  Peer peer() {
    return peer(principal);
  }

  /** This client, if it is that one: who was refused is not {@linkplain #identify identified}. */
  Peer peer(Principal who) {
    return new Peer(policy.sessionId(number), connection.address(), who);
  }

  Principal principal() {
    return principal;
  }

  /** Says who the client is; its claims, which may be large, have been made use of by then. */
  void identify(Principal who) {
    principal = who.withoutClaims();
  }

  Grant grant() {
    return grant;
  }

  /** The client may do this from now on. */
  void grant(Grant granted) {
    grant = granted;
  }

  // Who is on its way out hears no answer, and what it asked for ends with it.
  @Override
  public void onSubscribed(Subscription subscription, Admission admission) {
    super.onSubscribed(subscription, admission);
    if (!isClosing() && audits(AuditEvent.SUBSCRIBED)) {
      policy.access.audit().subscribed(peer(), subscription.topic());
    }
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    subscriptions.onRefused(subscription, code, why);
  }

  /** What the client asked for is not granted. */
  void refuse(String what, long ref, TopicRules.Problem problem, String topic) {
    refuse(what, ref, problem.code(), problem.message(), topic);
  }

  /** The same; the audit log hears of it, as it does not of mere {@linkplain #error errors}. */
  void refuse(String what, long ref, ErrorCode code, String why, String topic) {
    auditRefused(what, topic, code.code());
    error(ref, code, why, topic);
  }

  /**
   * An error that the client caused; too many of them end the session. That it has to slow down is
   * none: how many frames it may send has a limit of its own.
   */
  void error(long ref, ErrorCode code, String message, String topic) {
    send(refusal(ref, code, message, topic));
    if (code != ErrorCode.RATE_LIMITED
        && ++errors >= policy.options.errors()
        && state == State.OPEN) {
      close(CloseCode.TOO_MANY_ERRORS);
    }
  }

  @Override
  boolean isClosing() {
    return state == State.CLOSING;
  }

  /** The connection calls {@link #onClosed} a moment later, when the hub walks no lists. */
  @Override
  void close(CloseCode code) {
    state = State.CLOSING;
    connection.close(code);
  }

  private void leave() {
    if (authenticating != null) {
      authenticating.onClosed();
    }
    if (!joined) {
      return;
    }
    joined = false;
    policy.moves.onClosed(mobility);
    if (subscriptions != null) {
      subscriptions.endAll();
    }
    connection.lease().releasePrincipal();
    shard.leave(this);
    if (audits(AuditEvent.DISCONNECTED)) {
      policy.access.audit().disconnected(peer());
    }
  }
}
