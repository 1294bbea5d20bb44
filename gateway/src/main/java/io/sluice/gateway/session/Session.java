package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.AuditEvent;
import io.sluice.gateway.auth.Authentication;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.hub.HubShard;
import io.sluice.gateway.hub.Subscriber;
import io.sluice.gateway.hub.Subscription;
import io.sluice.gateway.protocol.Admission;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.TopicRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * One client: what it has subscribed to and what it may still do. Bound to the event loop of its
 * connection.
 */
public final class Session implements ConnectionListener, Subscriber {
  /** A session ends in CLOSING, in which nothing more is sent or accepted. */
  private enum State {
    NEW,
    /** The client has shown what it has, and the node finds out who it is. */
    ENTERING,
    OPEN,
    /** Open, but the client has said everything. */
    HEARD,
    CLOSING
  }

  private final Connection connection;
  private final HubShard shard;
  private final SessionPolicy policy;
  private final Encoding encoding;
  private Map<String, Subscription> subscriptions = Map.of();
  private Publishing publishing;
  private RateBudget subscribeBudget;
  private RateBudget refreshBudget;
  private int subscribes;
  private State state = State.NEW;
  private boolean joined;
  private boolean touched;
  private int errors;
  private long toldMs;
  private int slot;
  private Credential shown;
  private Entering entering;
  private Principal principal = Principal.ANONYMOUS;
  private Grant grant;
  private PrincipalShare share;
  private long number;
  private long openedMs;
  private boolean heard;
  private boolean refreshing;

  /**
   * @param shown the credential that came with the handshake, or null
   */
  public Session(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      Encoding encoding,
      Credential shown) {
    this.connection = connection;
    this.shard = shard;
    this.policy = policy;
    this.encoding = encoding;
    this.shown = shown;
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
    if (encoding.isBinary()) {
      onClientFrame(policy.parser.parseBinary(payload), payload.readableBytes());
    } else {
      close(CloseCode.UNSUPPORTED);
    }
  }

  @Override
  public boolean isOpen() {
    return state != State.NEW;
  }

  @Override
  public void onDraining(long deadlineMs) {
    if (isServed()) {
      send(policy.frames.draining(deadlineMs));
    }
  }

  private boolean isServed() {
    return state == State.OPEN || state == State.HEARD;
  }

  @Override
  public void onPing() {
    long provenMs = shard.provenMs();
    if (isServed() && provenMs - toldMs >= policy.caughtUpMs && isCaughtUp()) {
      toldMs = provenMs;
      send(policy.frames.caughtUp(provenMs));
    }
  }

  private boolean isCaughtUp() {
    for (Subscription subscription : subscriptions.values()) {
      if (subscription.isBehind()) {
        return false;
      }
    }
    return !subscriptions.isEmpty();
  }

  @Override
  public void onInputEnd() {
    heard = true;
    if (state == State.OPEN) {
      state = State.HEARD;
      endIfNothingIsLeft();
    }
  }

  // A client that can't ask for more waits for nothing any more.
  private void endIfNothingIsLeft() {
    boolean answered = publishing == null || publishing.isAnswered();
    if (state == State.HEARD && answered && !refreshing && subscriptions.isEmpty()) {
      close(CloseCode.NORMAL);
    }
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
        ? new SessionSummary(number, peer(), openedMs, subscriptions.size())
        : null;
  }

  private void onClientFrame(ClientFrame frame, long size) {
    policy.metrics.frameIn();
    if (state == State.NEW) {
      enter(frame, size);
    } else if (state == State.ENTERING) {
      keep(frame, size);
    } else {
      onOpenFrame(frame);
    }
  }

  private void enter(ClientFrame first, long size) {
    Credential credential = shown;
    shown = null;
    if (first instanceof ClientFrame.Connect connect && !connect.token().isEmpty()) {
      credential = new Credential.Token(connect.token());
    }
    CompletionStage<Principal> answer = policy.access.authentication().authenticate(credential);
    CompletableFuture<Principal> known = answer.toCompletableFuture();
    state = State.ENTERING;
    boolean connects = first instanceof ClientFrame.Connect;
    if (known.isDone()) { // nobody had to be asked
      onAuthenticated(first.ref(), known);
      if (!connects && state == State.OPEN) {
        onOpenFrame(first);
      }
    } else {
      entering = policy.newEntering();
      if (!connects) {
        keep(first, size);
      }
      known.whenComplete((who, why) -> later(() -> onAuthenticated(first.ref(), known)));
    }
  }

  private void keep(ClientFrame frame, long size) {
    if (entering.isTooMuch(size)) {
      close(CloseCode.TOO_BIG);
    } else if (entering.isTooWrong(frame, policy.maxErrors)) {
      close(CloseCode.TOO_MANY_ERRORS);
    } else if (!entering.add(frame, size)) {
      close(CloseCode.OVERLOADED);
    }
  }

  /** Runs on the event loop; a bug ends the session, as it does where a frame meets one. */
  private void later(Runnable task) {
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

  private void onAuthenticated(long ref, CompletableFuture<Principal> known) {
    if (state != State.ENTERING) {
      return; // it has left meanwhile
    }
    try {
      principal = stillGood(known.join());
      grant = policy.access.permissions().grant(principal);
      principal = principal.withoutClaims();
    } catch (CompletionException e) {
      refuseEntry(ref, policy.failure(e.getCause()));
      return;
    } catch (AuthenticationFailure e) {
      refuseEntry(ref, e);
      return;
    }
    if (policy.principals.count(principal)) {
      share = policy.principals.enter(principal);
      if (share == null) {
        policy.access.audit().refused(peer(), "connect", null, "too-many-connections");
        close(CloseCode.TOO_MANY_CONNECTIONS);
        return;
      }
    }
    policy.metrics.authenticated(principal.mechanism().word());
    open();
    if (entering != null) {
      doWhatWasKept();
    }
    if (heard) {
      onInputEnd();
    }
  }

  private void doWhatWasKept() {
    Entering kept = entering;
    try {
      ClientFrame frame = kept.next();
      while (frame != null && state == State.OPEN) {
        onOpenFrame(frame);
        frame = kept.next();
      }
    } finally {
      entering = null;
      kept.close();
    }
  }

  // The check may have ended a while ago, and those who walk over all sessions to withdraw a
  // credential have not met this one yet.
  private Principal stillGood(Principal checked) throws AuthenticationFailure {
    if (System.currentTimeMillis() >= checked.expiresMs()) {
      throw new AuthenticationFailure(Reason.EXPIRED, "the credential has ended");
    }
    if (policy.access.revocations().cover(checked)) {
      throw Authentication.revoked();
    }
    return checked;
  }

  private void refuseEntry(long ref, AuthenticationFailure failure) {
    policy.metrics.authenticationFailed(failure.reason().word());
    policy.access.audit().refused(peer(), "connect", null, failure.reason().word());
    send(refusal(ref, ErrorCode.UNAUTHORIZED, failure.getMessage(), null));
    close(SessionPolicy.closeCode(failure.reason()));
  }

  private boolean audits(AuditEvent event) {
    return policy.access.audit().keeps(event);
  }

  private Peer peer() {
    return new Peer(policy.sessionId(number), connection.address(), principal);
  }

  private void onOpenFrame(ClientFrame frame) {
    if (frame instanceof ClientFrame.Subscribe subscribe) {
      onSubscribe(subscribe);
    } else if (frame instanceof ClientFrame.Unsubscribe unsubscribe) {
      onUnsubscribe(unsubscribe);
    } else if (frame instanceof ClientFrame.Publish publish) {
      onPublish(publish);
    } else if (frame instanceof ClientFrame.Ping ping) {
      send(policy.frames.pong(ping.ref(), System.currentTimeMillis()));
    } else if (frame instanceof ClientFrame.Refresh refresh) {
      onRefresh(refresh);
    } else if (frame instanceof ClientFrame.Malformed bad) {
      error(bad.ref(), bad.code(), bad.message(), bad.topic());
    } else {
      String why = "connect must be the first frame and come once";
      error(frame.ref(), ErrorCode.ALREADY_CONNECTED, why, null);
    }
  }

  private void open() {
    state = State.OPEN;
    joined = true;
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

  private void onSubscribe(ClientFrame.Subscribe frame) {
    String topic = frame.topic();
    TopicRules.Problem problem = policy.subscribeProblem(topic, grant);
    if (problem != null) {
      refuse("subscribe", frame.ref(), problem, topic);
    } else if (subscriptions.containsKey(topic)) {
      error(frame.ref(), ErrorCode.ALREADY_SUBSCRIBED, "subscribed to this already", topic);
    } else if (subscriptions.size() >= policy.maxSubscriptions) {
      String why = "this client has " + policy.maxSubscriptions + ", as many as it is allowed";
      error(frame.ref(), ErrorCode.TOO_MANY_SUBSCRIPTIONS, why, topic);
    } else if (!takeSubscribeToken()) {
      String why = "over " + policy.subscribeRate + " subscribes a second";
      error(frame.ref(), ErrorCode.RATE_LIMITED, why, topic);
    } else {
      subscribeInShare(frame);
    }
  }

  private void subscribeInShare(ClientFrame.Subscribe frame) {
    String topic = frame.topic();
    String why = share == null ? null : policy.principals.subscribeProblem(share);
    if (why != null) {
      error(frame.ref(), ErrorCode.TOO_MANY_SUBSCRIPTIONS, why, topic);
    } else {
      Subscription added =
          shard.subscribe(this, topic, frame.ref(), frame.start(), frame.delivery());
      if (subscriptions.isEmpty()) {
        subscriptions = new HashMap<>(2);
      }
      subscriptions.put(added.topic(), added);
      policy.metrics.subscriptionAdded();
      if (audits(AuditEvent.SUBSCRIBED)) {
        policy.access.audit().subscribed(peer(), topic);
      }
    }
  }

  private void refuse(String what, long ref, TopicRules.Problem problem, String topic) {
    if (problem.code() == ErrorCode.FORBIDDEN) {
      policy.access.audit().refused(peer(), what, topic, problem.code().code());
    }
    error(ref, problem.code(), problem.message(), topic);
  }

  private void onSubscriptionEnd() {
    policy.metrics.subscriptionRemoved();
    if (share != null) {
      share.subscriptions().decrementAndGet();
    }
  }

  private void onUnsubscribe(ClientFrame.Unsubscribe frame) {
    Subscription removed = subscriptions.isEmpty() ? null : subscriptions.remove(frame.topic());
    if (removed == null) {
      String why = "not subscribed to this";
      error(frame.ref(), ErrorCode.NOT_SUBSCRIBED, why, frame.topic());
      return;
    }
    shard.unsubscribe(removed);
    onSubscriptionEnd();
    send(policy.frames.unsubscribed(frame.ref(), frame.topic()));
  }

  private void onPublish(ClientFrame.Publish frame) {
    TopicRules.Problem problem = policy.publishProblem(frame.topic(), grant);
    if (problem != null) {
      refuse("publish", frame.ref(), problem, frame.topic());
      return;
    }
    String why = rateProblem(frame);
    if (why != null) {
      error(frame.ref(), ErrorCode.RATE_LIMITED, why, frame.topic());
    } else {
      policy.hub.publish(
          new Publication(frame.topic(), frame.kind(), frame.payload(), frame.properties()),
          new Answer(frame.ref(), frame.topic()));
      if (audits(AuditEvent.PUBLISHED)) {
        policy.access.audit().published(peer(), frame.topic());
      }
    }
  }

  /** Why a publish comes too fast, or null: then it has begun. */
  private String rateProblem(ClientFrame.Publish frame) {
    if (!beginPublish()) {
      return "over " + policy.publishRate + " publishes a second";
    }
    String why = policy.sharedPublishProblem(share, frame);
    if (why != null) {
      publishing.onAnswered();
    }
    return why;
  }

  private void onRefresh(ClientFrame.Refresh frame) {
    if (refreshing) {
      String why = "the node is still checking the credential of an earlier refresh";
      error(frame.ref(), ErrorCode.RATE_LIMITED, why, null);
      return;
    }
    if (!takeRefreshToken()) {
      String why = "over " + policy.refreshRate + " refreshes a second";
      error(frame.ref(), ErrorCode.RATE_LIMITED, why, null);
      return;
    }
    refreshing = true;
    Credential credential = new Credential.Token(frame.token());
    CompletableFuture<Principal> known =
        policy.access.authentication().authenticate(credential).toCompletableFuture();
    known.whenComplete((who, why) -> later(() -> onRefreshed(frame.ref(), known)));
  }

  private boolean takeRefreshToken() {
    long nowNs = System.nanoTime();
    if (refreshBudget == null) {
      refreshBudget = new RateBudget(policy.refreshRate, policy.refreshRate * 5, nowNs);
    }
    return refreshBudget.take(nowNs);
  }

  private void onRefreshed(long ref, CompletableFuture<Principal> known) {
    refreshing = false;
    if (!isServed()) {
      return;
    }
    try {
      Principal fresh = stillGood(known.join());
      if (fresh.isSameAs(principal)) {
        grant = policy.access.permissions().grant(fresh);
        principal = fresh.withoutClaims();
        policy.access.audit().refreshed(peer());
        send(policy.frames.refreshed(ref, fresh.expiresMs()));
        endWhatIsForbiddenNow();
      } else {
        refuseRefresh(ref, Reason.REFUSED, "the credential is that of another client");
      }
    } catch (CompletionException e) {
      AuthenticationFailure failure = policy.failure(e.getCause());
      refuseRefresh(ref, failure.reason(), failure.getMessage());
    } catch (AuthenticationFailure e) {
      refuseRefresh(ref, e.reason(), e.getMessage());
    }
    endIfNothingIsLeft();
  }

  private void refuseRefresh(long ref, Reason reason, String why) {
    policy.metrics.authenticationFailed(reason.word());
    policy.access.audit().refused(peer(), "refresh", null, reason.word());
    // Not counted as the client's error: it may try again, as often as limits.refresh-rate lets it.
    send(refusal(ref, ErrorCode.UNAUTHORIZED, why, null));
  }

  private void endWhatIsForbiddenNow() {
    for (Subscription subscription : List.copyOf(subscriptions.values())) {
      TopicRules.Problem problem = policy.subscribeProblem(subscription.topic(), grant);
      if (problem != null) {
        shard.unsubscribe(subscription);
        policy.access.audit().refused(peer(), "subscribe", subscription.topic(), "forbidden");
        onRefused(subscription, problem.code(), problem.message());
      }
    }
  }

  // Most clients never subscribe to more than they may hold, and so need no bucket.
  private boolean takeSubscribeToken() {
    if (++subscribes <= policy.maxSubscriptions) {
      return true;
    }
    long nowNs = System.nanoTime();
    if (subscribeBudget == null) {
      subscribeBudget = new RateBudget(policy.subscribeRate, policy.subscribeRate, nowNs);
    }
    return subscribeBudget.take(nowNs);
  }

  private boolean beginPublish() {
    long nowNs = System.nanoTime();
    if (publishing == null) {
      publishing = new Publishing(policy.publishRate, nowNs);
    }
    return publishing.begin(nowNs);
  }

  /** Brings the end of a publish from the publishing thread back to the client. */
  private final class Answer implements PublishListener {
    private final long ref;
    private final String topic;

    Answer(long ref, String topic) {
      this.ref = ref;
      this.topic = topic;
    }

    @Override
    public void onPublished() {
      connection.execute(() -> onPublishEnd(policy.frames.published(ref)));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      connection.execute(() -> onPublishEnd(refusal(ref, code, why, topic)));
    }
  }

  private void onPublishEnd(ByteBuf answer) {
    send(answer);
    publishing.onAnswered();
    endIfNothingIsLeft();
  }

  @Override
  public Encoding encoding() {
    return encoding;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public void slot(int value) {
    slot = value;
  }

  @Override
  public void onFrames(ByteBuf frames) {
    if (hasRoomFor(frames)) {
      touch();
      connection.write(frames);
    }
  }

  @Override
  public void onBatchEnd() {
    touched = false;
    connection.flushInBatch();
  }

  @Override
  public void onSubscribed(Subscription subscription, Admission admission) {
    send(
        policy.frames.subscribed(
            subscription.ref(), subscription.topic(), admission, encoding.isBinary()));
  }

  // Half of what makes it slow is left to the live stream of its other subscriptions.
  @Override
  public long room() {
    long pending = connection.pendingBytes();
    return pending == 0 ? policy.maxPendingBytes : policy.maxPendingBytes / 2 - pending;
  }

  @Override
  public boolean isIdle() {
    if (touched) {
      connection.flush(); // what only this batch has queued says nothing about the client
    }
    return connection.pendingBytes() == 0;
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    subscriptions.remove(subscription.topic());
    onSubscriptionEnd();
    send(refusal(subscription.ref(), code, why, subscription.topic()));
    endIfNothingIsLeft();
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset) {
    send(policy.frames.gap(topic, reason, offset, policy.hub.clock().wallMs()));
  }

  @Override
  public void onBroker(boolean live) {
    send(live ? policy.frames.live() : policy.frames.stale());
  }

  /** An error that the client caused; too many of them end the session. */
  private void error(long ref, ErrorCode code, String message, String topic) {
    send(refusal(ref, code, message, topic));
    if (++errors >= policy.maxErrors && state == State.OPEN) {
      close(CloseCode.TOO_MANY_ERRORS);
    }
  }

  private ByteBuf refusal(long ref, ErrorCode code, String message, String topic) {
    policy.metrics.clientError(code.code());
    return policy.frames.error(ref, code, message, topic);
  }

  private void send(ByteBuf frame) {
    if (hasRoomFor(frame)) {
      touch();
      shard.releaseAfterBatch(frame);
      connection.write(frame);
    } else {
      frame.release();
    }
  }

  private boolean hasRoomFor(ByteBuf frame) {
    if (state == State.CLOSING) {
      return false;
    }
    if (fits(frame)) {
      return true;
    }
    connection.flush(); // what this batch alone has queued says nothing about the client
    if (fits(frame)) {
      return true;
    }
    policy.metrics.dropped("slow-consumer", 1);
    close(CloseCode.SLOW_CONSUMER);
    return false;
  }

  // A client for which nothing waits is not slow, however large the frame is.
  private boolean fits(ByteBuf frame) {
    long pending = connection.pendingBytes();
    return pending == 0 || pending + frame.readableBytes() <= policy.maxPendingBytes;
  }

  private void touch() {
    if (!touched) {
      shard.touched(this);
      touched = true;
    }
  }

  // The connection calls onClosed a moment later, when the hub is not walking its lists.
  private void close(CloseCode code) {
    state = State.CLOSING;
    connection.close(code);
  }

  private void leave() {
    if (entering != null) {
      entering.close();
    }
    if (!joined) {
      return;
    }
    joined = false;
    subscriptions.values().forEach(shard::unsubscribe);
    subscriptions.values().forEach(gone -> onSubscriptionEnd());
    subscriptions = Map.of();
    if (share != null) {
      policy.principals.leave(share);
    }
    shard.leave(this);
    if (audits(AuditEvent.DISCONNECTED)) {
      policy.access.audit().disconnected(peer());
    }
  }
}
