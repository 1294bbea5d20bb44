package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import io.sluice.gateway.websocket.CloseCode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Session of one client: processes its frames, and sends replies and messages. Authentication,
 * subscriptions and the {@linkplain SessionFeature features} are separate objects, created when
 * first needed. Bound to the event loop of its connection.
 */
public final class Session extends Recipient implements ConnectionListener, SessionContext {
  /** States of a session. CLOSING is final: nothing more is sent or accepted. */
  private enum State {
    /** The client's credential is not checked yet. */
    AUTHENTICATING,
    OPEN,
    /** Open, but the client sends no more input. */
    INPUT_ENDED,
    CLOSING
  }

  /** Handlers of the frames that belong to no feature. */
  static final Map<Class<? extends ClientFrame>, SessionFeature.Handler> KERNEL =
      Map.of(
          ClientFrame.Connect.class,
          Session::onRepeatedConnect,
          ClientFrame.Subscribe.class,
          (session, frame) -> session.subscriptions().onSubscribe((ClientFrame.Subscribe) frame),
          ClientFrame.Unsubscribe.class,
          (session, frame) -> session.onUnsubscribe((ClientFrame.Unsubscribe) frame),
          ClientFrame.Ping.class,
          Session::onPingFrame,
          ClientFrame.Malformed.class,
          (session, frame) -> session.onMalformed((ClientFrame.Malformed) frame));

  /** Identity and permissions of the client. */
  final ClientIdentity client;

  private final SessionFeature.Table features;
  private State state = State.AUTHENTICATING;

  /** Null after authentication. */
  private Authenticating authenticating;

  /** Null until the client subscribes. */
  private Subscriptions subscriptions;

  /** States of the features that the client has used, by their index; null until the first. */
  private SessionFeature.State[] states;

  /** Null until the first refusal. */
  private Refusals refusals;

  private boolean joined;

  /** The lost sources that were reported to the client, as a bit set. */
  private byte reportedLost;

  /** True after the node has requested the client to use another node. */
  private boolean moving;

  /** True after the client has ended the session, or its credential was revoked. */
  private boolean leftForGood;

  private boolean closedByClient;

  /** Address of the operator who has ended the session, or null. */
  private String endedBy;

  private short mobility = RedirectCooldown.FIXED;
  private long openedMs;
  private long caughtUpSentMs;

  /**
   * Creates a session without context takeover.
   *
   * @param handshakeCredential the credential of the handshake, or null
   */
  public Session(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      SessionFeature.Table features,
      Encoding encoding,
      Credential handshakeCredential) {
    this(connection, shard, policy, features, encoding, null, handshakeCredential);
  }

  /**
   * Creates a session.
   *
   * @param window window of the client's decompressor; null without context takeover
   * @param handshakeCredential the credential of the handshake, or null
   */
  public Session(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      SessionFeature.Table features,
      Encoding encoding,
      CompressionWindow window,
      Credential handshakeCredential) {
    super(connection, shard, policy, encoding, window);
    this.client = new ClientIdentity(policy, connection);
    this.features = features;
    this.authenticating = new Authenticating(this, handshakeCredential);
  }

  @Override
  public void onText(ByteBuf payload) {
    if (state != State.CLOSING) {
      onFrame(policy.parser.parseText(payload), payload.readableBytes());
    }
  }

  @Override
  public void onBinary(ByteBuf payload) {
    if (state == State.CLOSING) {
      return;
    }
    if (encoding().isBinary()) {
      onFrame(policy.parser.parseBinary(payload), payload.readableBytes());
    } else {
      close(CloseCode.UNSUPPORTED);
    }
  }

  /**
   * Processes a frame of the client.
   *
   * @param size length of the client's input for it
   */
  void onFrame(ClientFrame frame, long size) {
    policy.metrics.frameIn();
    if (connection instanceof TracedConnection trace) {
      trace.onFrame(frame, size);
    }
    if (state == State.AUTHENTICATING) {
      authenticating.onFrame(frame, size);
    } else {
      onOpenFrame(frame);
    }
  }

  /** Handles a frame of an open session. */
  void onOpenFrame(ClientFrame frame) {
    SessionFeature.Handler handler = features.handler(frame.getClass());
    if (handler == null) {
      String why =
          frame instanceof ClientFrame.Presence || frame instanceof ClientFrame.Leave
              ? "this node has no presence"
              : "this node has no queues, requests, durable and shared subscriptions: they require"
                  + " a JMS broker";
      error(frame.ref(), ErrorCode.UNSUPPORTED, why, destination(frame));
    } else {
      handler.handle(this, frame);
    }
  }

  /** Returns the topic or queue that a frame names, or null. */
  private static Destination destination(ClientFrame frame) {
    if (frame instanceof ClientFrame.Consume consume) {
      return consume.source().destination();
    }
    if (frame instanceof ClientFrame.Request request) {
      return request.message().destination();
    }
    if (frame instanceof ClientFrame.Browse browse) {
      return Destination.queue(browse.queue());
    }
    return frame.topic() == null ? null : Destination.topic(frame.topic());
  }

  private void onRepeatedConnect(ClientFrame frame) {
    String why = "connect must be the first frame and must not be repeated";
    error(frame.ref(), ErrorCode.ALREADY_CONNECTED, why, null);
  }

  private void onPingFrame(ClientFrame frame) {
    send(policy.frames.pong(frame.ref(), System.currentTimeMillis()));
  }

  private void onMalformed(ClientFrame.Malformed bad) {
    error(bad.ref(), bad.code(), bad.message(), bad.destination());
  }

  private void onUnsubscribe(ClientFrame.Unsubscribe frame) {
    if (used().noneMatch(each -> each.onUnsubscribe(frame))) {
      subscriptions().onUnsubscribe(frame);
    }
  }

  @Override
  public boolean isRefInUse(long ref) {
    return subscriptions != null && subscriptions.contains(ref)
        || used().anyMatch(each -> each.isRefInUse(ref));
  }

  private Subscriptions subscriptions() {
    if (subscriptions == null) {
      subscriptions = new Subscriptions(this);
    }
    return subscriptions;
  }

  /** Returns the state of a feature of this node, created with the first call. */
  public <S extends SessionFeature.State> S state(SessionFeature<S> feature) {
    if (states == null) {
      states = new SessionFeature.State[features.size()];
    }
    int index = features.index(feature);
    if (states[index] == null) {
      states[index] = feature.newState(this);
    }
    return feature.cast(states[index]);
  }

  /** Returns the states of the features that the client has used. */
  private Stream<SessionFeature.State> used() {
    return states == null ? Stream.of() : Arrays.stream(states).filter(Objects::nonNull);
  }

  /** Ends the subscriptions and the uses of features that a new grant no longer allows. */
  void endForbidden() {
    if (subscriptions != null) {
      subscriptions.endForbidden();
    }
    used().forEach(SessionFeature.State::endForbidden);
  }

  /**
   * Opens the session after authentication.
   *
   * @param followsRedirects whether the client can be redirected
   */
  void open(Grant granted, boolean followsRedirects) {
    authenticating = null;
    state = State.OPEN;
    joined = true;
    mobility = followsRedirects ? policy.cooldown.onOpen() : RedirectCooldown.FIXED;
    client.open(granted, policy.nextSession());
    if (granted.compressesAlone()) {
      compressAlone();
    }
    openedMs = System.currentTimeMillis();
    shard.join(this);
    ServerFrames.Hello hello =
        policy.hello(client.number(), client.principal(), features::announce);
    send(policy.frames.hello(hello));
    if (client.isAudited(AuditEvent.CONNECTED)) {
      policy.access.audit().connected(client.peer());
    }
    onSources();
  }

  @Override
  public void onSources() {
    int now = lostSources();
    if (now != reportedLost) {
      reportedLost = (byte) now;
      onFrames(shard.stateFrame(now));
    }
  }

  /** Returns the lost sources that concern the client: those that it uses, or all of them. */
  private int lostSources() {
    int lost = shard.lostSources();
    boolean isAll = lost == (1 << shard.sources()) - 1;
    return isAll || lost == 0 ? lost : lost & usedSources();
  }

  private int usedSources() {
    int used = subscriptions == null ? 0 : subscriptions.sources();
    boolean usesQueues = used().anyMatch(each -> each.consumers() > 0);
    return usesQueues ? used | 1 << policy.sources.queuesIndex() : used;
  }

  @Override
  public boolean isOpen() {
    return state != State.AUTHENTICATING || authenticating.hasStarted();
  }

  @Override
  public String sessionId() {
    return client.sessionId();
  }

  @Override
  public String user() {
    return client.requester().user();
  }

  boolean isAuthenticating() {
    return state == State.AUTHENTICATING;
  }

  /** Returns whether the session accepts frames of the client. */
  boolean acceptsFrames() {
    return state == State.OPEN;
  }

  /** Returns whether the session is open, with or without further input. */
  boolean isActive() {
    return state == State.OPEN || state == State.INPUT_ENDED;
  }

  @Override
  public void onDraining(long deadlineMs, String url) {
    if (isActive()) {
      moving = true;
      sendCaughtUp();
      send(policy.frames.draining(deadlineMs, url));
    } else if (state == State.AUTHENTICATING) {
      authenticating.onDraining(deadlineMs, url);
    }
  }

  @Override
  public boolean isMovable(RedirectReason reason) {
    boolean isConcerned = reason != RedirectReason.BROKER_LOST || lostSources() != 0;
    return isActive() && isConcerned && policy.cooldown.canRedirect(mobility, reason);
  }

  @Override
  public void onRedirect(String url, RedirectReason reason) {
    moving = true;
    mobility = policy.cooldown.onRedirected(reason);
    sendCaughtUp();
    send(policy.frames.redirect(url));
  }

  @Override
  public void onPing() {
    mobility = policy.cooldown.onPing(mobility);
    if (isActive() && shard.provenMs() - caughtUpSentMs >= policy.options.caughtUpMs()) {
      sendCaughtUp();
    }
  }

  /**
   * Sends the caught-up time. A client that leaves with a recent position needs less of another
   * node's log.
   */
  private void sendCaughtUp() {
    if (shard.provenMs() <= caughtUpSentMs || subscriptions == null) {
      return;
    }
    long provenMs = subscriptions.provenMs();
    if (provenMs > caughtUpSentMs) {
      caughtUpSentMs = provenMs;
      send(policy.frames.caughtUp(shard.wallMs(provenMs)));
    }
  }

  @Override
  public void onInputEnd() {
    if (state == State.AUTHENTICATING) {
      authenticating.onInputEnd();
    } else if (state == State.OPEN) {
      state = State.INPUT_ENDED;
      closeIfComplete();
    }
  }

  @Override
  public ClientIdentity client() {
    return client;
  }

  @Override
  public SessionPolicy policy() {
    return policy;
  }

  @Override
  public Lease lease() {
    return connection.lease();
  }

  @Override
  public boolean isStream() {
    return connection.isStream();
  }

  @Override
  public Object loop() {
    return shard;
  }

  @Override
  public void releaseAfterBatch(ByteBuf frame) {
    shard.releaseAfterBatch(frame);
  }

  @Override
  public void closeIfComplete() {
    if (state == State.INPUT_ENDED
        && subscriptionCount() == 0
        && used().allMatch(SessionFeature.State::isIdle)) {
      close(CloseCode.NORMAL);
    }
  }

  private int subscriptionCount() {
    return subscriptions == null ? 0 : subscriptions.count();
  }

  private int consumerCount() {
    return used().mapToInt(SessionFeature.State::consumers).sum();
  }

  @Override
  public void onClosedByClient(int code) {
    closedByClient = true;
    leftForGood = code == CloseCode.NORMAL.code() && !moving;
  }

  @Override
  public void onClosed() {
    state = State.CLOSING;
    leave();
  }

  @Override
  public CloseCode expiryCode() {
    return client.principal().expiresMs() != Principal.NEVER
            && System.currentTimeMillis() >= client.principal().expiresMs()
        ? CloseCode.EXPIRED
        : null;
  }

  @Override
  public boolean onRevoked(Predicate<Peer> revoked) {
    if (!isActive() || !revoked.test(client.peer())) {
      return false;
    }
    close(CloseCode.REVOKED);
    return true;
  }

  @Override
  public boolean onReload() {
    if (!isActive()) {
      return false; // without a grant, or leaving
    }
    if (!updateGrant()) {
      close(CloseCode.REVOKED);
      return true;
    }
    endForbidden();
    closeIfComplete();
    return false;
  }

  private boolean updateGrant() {
    try {
      client.grant(policy.access.permissions().grant(client.principal()));
      return true;
    } catch (AuthenticationFailure tooManyPatterns) {
      return false;
    }
  }

  /**
   * Updates the permissions of a client whose session ends or has ended, which reloads and
   * revocations no longer reach.
   *
   * @return false if it may do nothing any more
   */
  boolean renewGrant() {
    return client.grant() != null
        && expiryCode() == null
        && !policy.access.revocations().isRevoked(client.principal())
        && updateGrant();
  }

  @Override
  public PermissionLoss loss(SessionPolicy next) {
    return isActive() ? SessionView.loss(this, next) : null;
  }

  /** Returns the open uses that a grant does not allow, such as {@code subscribe orders.eu}. */
  List<String> forbidden(SessionPolicy by, Grant granted) {
    Stream<String> topics =
        subscriptions == null ? Stream.of() : subscriptions.forbiddenUses(by, granted);
    Stream<String> others = used().flatMap(each -> each.forbiddenUses(by, granted));
    return Stream.concat(topics, others).sorted().toList();
  }

  @Override
  public ClientView view() {
    return isActive() ? new SessionView(this, subscriptions, openedMs, consumerCount()) : null;
  }

  // A closing session sends no replies, and its subscription ends with it.
  @Override
  public void onSubscribed(Subscription subscription, SubscriptionStart start) {
    super.onSubscribed(subscription, start);
    if (!isClosing() && client.isAudited(AuditEvent.SUBSCRIBED)) {
      policy.access.audit().subscribed(client.peer(), subscription.topic());
    }
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    subscriptions.onRefused(subscription, code, why);
  }

  @Override
  public boolean isClosing() {
    return state == State.CLOSING;
  }

  /**
   * Closes the connection, which calls {@link #onClosed} later: the hub must not be iterating then.
   */
  @Override
  void close(CloseCode code) {
    state = State.CLOSING;
    leftForGood = code == CloseCode.NORMAL || code == CloseCode.REVOKED;
    connection.close(code);
  }

  @Override
  public void later(Runnable task) {
    connection.execute(() -> run(task));
  }

  @Override
  public void executeLater(Runnable task, long delayMs) {
    shard.executeLater(() -> run(task), delayMs);
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException bug) {
      policy.onBug(sessionId(), bug);
      if (!isClosing()) {
        close(CloseCode.INTERNAL_ERROR);
      }
    }
  }

  @Override
  public void refuse(String what, long ref, ErrorCode code, String why, Destination destination) {
    BiFunction<ErrorCode, String, ByteBuf> frame = errorFrame(ref, destination);
    if (isWithinRate(code)) {
      client.auditRefused(what, destination, code.code());
      sendError(code, why, frame);
    } else {
      sendError(ErrorCode.RATE_LIMITED, rateProblem(code), frame);
    }
  }

  @Override
  public void error(long ref, ErrorCode code, String message, Destination destination) {
    error(code, message, errorFrame(ref, destination));
  }

  private BiFunction<ErrorCode, String, ByteBuf> errorFrame(long ref, Destination destination) {
    return (code, message) -> policy.frames.error(ref, code, message, destination);
  }

  @Override
  public void error(ErrorCode code, String message, BiFunction<ErrorCode, String, ByteBuf> frame) {
    if (isWithinRate(code)) {
      sendError(code, message, frame);
    } else {
      sendError(ErrorCode.RATE_LIMITED, rateProblem(code), frame);
    }
  }

  private void sendError(
      ErrorCode code, String message, BiFunction<ErrorCode, String, ByteBuf> frame) {
    policy.metrics.clientError(code.code());
    send(frame.apply(code, message));
    if (code.isMalformed()) {
      countError();
    }
  }

  /** Counts a refusal; returns false past the rate of refusals. */
  private boolean isWithinRate(ErrorCode code) {
    return code.isMalformed() // limited by their number
        || code == ErrorCode.RATE_LIMITED // limited by the rate of frames
        || refusals().take(policy.options.errors());
  }

  /** Returns why a refused frame is answered with {@code rate-limited}. */
  private String rateProblem(ErrorCode code) {
    return "over %d refused frames a second; this one is refused with %s"
        .formatted(policy.options.errors(), code.code());
  }

  /** Counts a malformed frame; too many of them end the session. */
  private void countError() {
    if (refusals().countMalformed() >= policy.options.errors() && acceptsFrames()) {
      close(CloseCode.TOO_MANY_ERRORS);
    }
  }

  private Refusals refusals() {
    if (refusals == null) {
      refusals = new Refusals();
    }
    return refusals;
  }

  /** Ends the session by an operator's command. */
  void disconnect(String by) {
    endedBy = by;
    close(CloseCode.DISCONNECTED);
  }

  private void leave() {
    if (authenticating != null) {
      authenticating.onClosed();
    }
    if (!joined) {
      return;
    }
    joined = false;
    policy.cooldown.onClosed(mobility);
    if (subscriptions != null) {
      subscriptions.endAll();
    }
    used().forEach(each -> each.close(leftForGood));
    connection.lease().releasePrincipal();
    shard.leave(this);
    if (client.isAudited(AuditEvent.DISCONNECTED)) {
      String why = closedByClient ? "closed-by-client" : connection.endReason();
      policy.access.audit().disconnected(client.peer(), why, endedBy);
    }
  }
}
