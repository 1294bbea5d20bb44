package io.sluice.client;

import io.sluice.client.internal.AfterClose;
import io.sluice.client.internal.Frame;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.OkHttpClient;

/**
 * Lifecycle of the connections of one client: attempts, backoff, redirects, drain and renewal of
 * the credential. Its lock guards all fields; it is never held while the application is called.
 */
final class Connector implements Connection.Events {
  /** Time after which a connection counts as successful for the backoff. */
  private static final long STABLE_MS = 5_000;

  /** Time in which the dispatcher must continue at the other connection of a move. */
  private static final long STALL_MS = 500;

  private static final int UNAUTHORIZED = 4200;
  private static final int EXPIRED = 4201;
  private static final int DRAINING = 4100;

  private final SluiceClient client;
  private final SluiceClientBuilder.Settings settings;
  private final OkHttpClient http;

  private Connection current;
  private ScheduledFuture<?> retry;

  private final Renewal renewal;
  private final Identity identity = new Identity();

  /** Move from the current connection; null without one. */
  private Move move;

  /** Connections that the client has left, while answers or settlements are pending on them. */
  private final Set<Connection> retired = new HashSet<>();

  private int failures;

  /** Index of the configured address of the next attempt. */
  private int address;

  /** Address of a redirect for the next attempt; null for the configured ones. */
  private String target;

  /** Set from a redirect to the next hello. */
  private boolean isRedirected;

  private boolean isTokenRenewed;
  private boolean isClosed;

  Connector(SluiceClient client, SluiceClientBuilder.Settings settings, OkHttpClient http) {
    this.client = client;
    this.settings = settings;
    this.http = http;
    renewal = new Renewal(client, this, settings);
  }

  SluiceClientBuilder.Settings settings() {
    return settings;
  }

  /** Returns a connection that is not open yet. */
  Connection create(String url, Connection.Events events) {
    return new Connection(url, settings.encoding(), events);
  }

  void open(Connection connection) {
    connection.open(http);
  }

  synchronized void dial() {
    if (isClosed) {
      return;
    }
    retry = null;
    String url = target == null ? settings.urls().get(address) : target;
    target = null;
    Connection connection = create(url, this);
    current = connection;
    open(connection);
    long timeoutMs = settings.connectTimeout().toMillis();
    client.after(timeoutMs, () -> abandon(connection, timeoutMs));
  }

  private void abandon(Connection connection, long timeoutMs) {
    if (connection.hello() == null) {
      connection.fail("no hello within " + timeoutMs + " ms");
    }
  }

  /** Reconnects at once if the client waits for its next attempt. */
  synchronized void retryNow() {
    if (retry != null && retry.cancel(false)) {
      dial();
    }
  }

  synchronized void close() {
    isClosed = true;
    renewal.cancel();
    retired.forEach(Connection::close);
    if (move != null) {
      client.dispatcher().execute(move::stop);
    }
    if (current != null) {
      current.close();
      current = null;
    }
  }

  @Override
  public void onSocket(Connection connection) {
    sendConnect(connection, isRedirected());
  }

  /** Sends the first frame; a failure of the application's supplier ends the connection. */
  void sendConnect(Connection connection, boolean isRedirected) {
    try {
      connection.send(connect(isRedirected));
    } catch (SluiceException e) {
      onTokenError(e);
      connection.fail(e.getMessage());
    }
  }

  /** Returns a credential; fails if there is none, or if it has another subject than before. */
  String token() {
    String token = Connection.token(settings.token());
    identity.onToken(token);
    return token;
  }

  /** Reports an error of {@link #token}, which may end the client. */
  void onTokenError(SluiceException error) {
    if (error.endsClient()) {
      client.close(error);
    } else {
      client.report(error);
    }
  }

  /** Returns whether a hello has the client's subject; otherwise closes the client. */
  boolean accepts(Connection connection) {
    try {
      identity.onHello(connection.hello());
      return true;
    } catch (SluiceException e) {
      client.close(e);
      connection.close();
      return false;
    }
  }

  private Map<String, Object> connect(boolean isRedirected) {
    Map<String, Object> connect = SluiceClient.frame("connect");
    connect.put("client", "sluice-java/" + SluiceClient.VERSION);
    if (settings.token() != null) {
      connect.put("token", token());
    }
    if (settings.redirect()) {
      connect.put("redirect", true);
      if (isRedirected) {
        connect.put("redirected", true);
      }
    }
    return connect;
  }

  private synchronized boolean isRedirected() {
    return isRedirected;
  }

  private synchronized boolean isCurrent(Connection connection) {
    return connection == current;
  }

  @Override
  public void onFrame(Connection connection, Frame frame) {
    if (!isHandled(connection, frame)) {
      client.dispatcher().onFrame(connection, frame);
    }
  }

  /** Handles a frame that was kept during a move; a task of the dispatcher. */
  void deliver(Connection connection, Frame frame) {
    if (!isHandled(connection, frame)) {
      client.dispatcher().handle(connection, frame);
    }
  }

  /** Handles the frames that concern the whole connection. Returns whether it is one of them. */
  private boolean isHandled(Connection connection, Frame frame) {
    switch (frame.type()) {
      case "hello":
        onHello(connection);
        return true;
      case "stale":
      case "live":
        showState(connection);
        return true;
      case "redirect":
        onRedirect(connection, frame.text("url"));
        return true;
      case "draining":
        long left = frame.number("deadline") - connection.nodeTime();
        move(connection, frame.optionalText("url"), Math.max(0, left));
        return true;
      default:
        return false;
    }
  }

  /** Reports whether the node of the current connection has a broker. */
  private synchronized void showState(Connection connection) {
    if (connection == current) {
      client.onState(connection.isStale() ? ConnectionState.STALE : ConnectionState.OPEN);
    }
  }

  private void onHello(Connection connection) {
    if (!accepts(connection)) {
      return;
    }
    synchronized (this) {
      if (connection != current) {
        return;
      }
      isRedirected = false;
      isTokenRenewed = false;
      client.dispatcher().onOpen(connection);
      client.publishes().onOpen(connection);
    }
    showState(connection);
    renewal.start(connection);
  }

  private void onRedirect(Connection connection, String url) {
    if (!RedirectUrl.isUsable(connection.url, url)) {
      client.report(new SluiceException("bad-answer", "redirect to " + url));
    } else if (connection.hello() != null) {
      move(connection, url, null);
    } else {
      follow(connection, url);
    }
  }

  /** Follows a redirect instead of a hello, at most one until the next hello. */
  private synchronized void follow(Connection connection, String url) {
    if (connection == current && !isRedirected) {
      connection.close();
      redirectTo(url);
      dial();
    }
  }

  private void redirectTo(String url) {
    target = url;
    isRedirected = true;
  }

  boolean mayFollow(String from, String url) {
    return settings.redirect() && RedirectUrl.isUsable(from, url);
  }

  /**
   * Begins a move.
   *
   * @param leftMs time until the node closes the connection; null if the client may stay
   */
  private void move(Connection connection, String url, Long leftMs) {
    String target = url != null && mayFollow(connection.url, url) ? url : null;
    if (target != null || leftMs != null) {
      client.dispatcher().execute(() -> startMove(connection, target, leftMs));
    }
  }

  private void startMove(Connection connection, String url, Long leftMs) {
    Move started;
    synchronized (this) {
      if (connection != current || connection.isEnded()) {
        return;
      }
      if (move != null && move.hasDeadline() && leftMs == null) {
        move.setTarget(url);
        return;
      }
      if (move != null) {
        move.stop();
        client.publishes().resume(connection);
      }
      started = new Move(client, this, connection, url, leftMs);
      move = started;
    }
    client.onState(ConnectionState.DRAINING);
    started.start();
  }

  /** Records that the client stays, as the other node cannot serve it; a task. */
  synchronized void onStay(Connection connection) {
    if (connection == current) {
      move = null;
      showState(connection);
    }
  }

  /**
   * Makes the second connection of a move the current one; a task. Returns whether the client has
   * still been at the first one.
   */
  boolean adopt(Connection from, Candidate candidate) {
    Connection to = candidate.connection;
    synchronized (this) {
      if (isClosed || from != current) {
        to.close();
        return false;
      }
      current = to;
      move = null;
      isRedirected = false;
      isTokenRenewed = false;
      retired.add(from);
    }
    // First, because listeners may wait for publishes while they receive the kept frames.
    client.publishes().onOpen(to);
    candidate.adopt();
    showState(to);
    renewal.start(to);
    new Retirement(client, this, from).poll();
    return true;
  }

  synchronized void onRetired(Connection connection) {
    retired.remove(connection);
  }

  /** Ends a connection whose node has not closed it at its deadline. */
  void onDeadline(Connection connection) {
    if (isCurrent(connection)) {
      connection.close();
      onEnd(connection, new Connection.End(DRAINING, "draining", 0));
    }
  }

  @Override
  public void onEnd(Connection connection, Connection.End end) {
    Move moving;
    synchronized (this) {
      if (connection != current || isClosed) {
        client.dispatcher().onEnd(connection);
        return;
      }
      client.publishes().onEnd(connection);
      moving = AfterClose.of(end.code()) == AfterClose.DONT_RETRY ? null : move;
    }
    if (moving == null) {
      finish(connection, end);
      return;
    }
    AtomicBoolean isHandled = new AtomicBoolean();
    client
        .dispatcher()
        .execute(
            () -> {
              if (isHandled.compareAndSet(false, true) && !moving.onConnectionEnd()) {
                finish(connection, end);
              }
            });
    // A listener that holds up the dispatcher may wait for a publish, and so for a connection.
    client.after(
        STALL_MS,
        () -> {
          if (isHandled.compareAndSet(false, true)) {
            finish(connection, end);
          }
        });
  }

  private void finish(Connection connection, Connection.End end) {
    synchronized (this) {
      if (connection != current || isClosed) {
        return;
      }
      current = null;
      if (move != null) {
        client.dispatcher().execute(move::stop);
        move = null;
      }
      renewal.cancel();
      client.dispatcher().onEnd(connection);
    }
    boolean hasToken = settings.token() != null;
    boolean isTokenRefused = end.code() == UNAUTHORIZED || end.code() == EXPIRED;
    if (isTokenRefused && hasToken && !isRenewedNow()) {
      client.onState(ConnectionState.CONNECTING);
      dial();
    } else if (AfterClose.of(end.code()) == AfterClose.DONT_RETRY) {
      String reason = "the node closed the connection with " + end.code() + " " + end.reason();
      client.close(new SluiceException("refused", reason.trim()));
    } else {
      client.onState(ConnectionState.CONNECTING);
      retryAfter(connection, end);
    }
  }

  /** Returns whether a new credential was tried since the last hello; from now on it is. */
  private synchronized boolean isRenewedNow() {
    boolean wasRenewed = isTokenRenewed;
    isTokenRenewed = true;
    return wasRenewed;
  }

  private synchronized void retryAfter(Connection connection, Connection.End end) {
    if (isClosed) {
      return;
    }
    boolean isStable = connection.uptimeMs() >= STABLE_MS;
    failures = isStable ? 0 : failures + 1;
    int next = isStable ? 0 : (address + 1) % settings.urls().size();
    boolean isSame = target == null && settings.urls().get(next).equals(connection.url);
    address = next;
    // Prevents a reconnect loop to a node that drains for a long time.
    boolean atOnce = AfterClose.of(end.code()) == AfterClose.RETRY_ELSEWHERE && isStable;
    // In addition: the clients that a node has refused together must not return together.
    long waitMs = atOnce ? 0 : backoffMs(failures) + (isSame ? end.retryAfterMs() : 0);
    retry = client.after(waitMs, this::dial);
  }

  long backoffMs(int count) {
    return AfterClose.backoffMs(
        count,
        settings.minBackoff().toMillis(),
        settings.maxBackoff().toMillis(),
        settings.random());
  }
}
