package io.sluice.client;

import io.sluice.client.internal.AfterClose;
import io.sluice.client.internal.Frame;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/**
 * Lifecycle of the connections of one client: attempts, backoff, redirects, drain and renewal of
 * the credential. Its lock guards all fields; it is never held while the application is called.
 */
final class Connector implements Connection.Events {
  /** Time after which a connection counts as successful for the backoff. */
  private static final long STABLE_MS = 5_000;

  private static final int UNAUTHORIZED = 4200;
  private static final int EXPIRED = 4201;
  private static final int DRAINING = 4100;

  /** Time for answers and handlers after a redirect, which has no deadline. */
  private static final long MOVE_MS = 10_000;

  private static final long MOVE_CHECK_MS = 20;
  private static final long MARGIN_MS = 500;
  private static final double REFRESH_AT = 0.8;
  private static final long MIN_REFRESH_MS = 1_000;

  private final SluiceClient client;
  private final SluiceClientBuilder.Settings settings;
  private final OkHttpClient http;

  private Connection current;
  private ScheduledFuture<?> retry;

  /** Planned renewal of the credential; null without one. */
  private ScheduledFuture<?> renewal;

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
  }

  synchronized void dial() {
    if (isClosed) {
      return;
    }
    retry = null;
    String url = target == null ? settings.urls().get(address) : target;
    target = null;
    Connection connection = new Connection(url, settings.encoding(), this);
    current = connection;
    connection.open(http);
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
    cancelRenewal();
    if (current != null) {
      current.close();
      current = null;
    }
  }

  @Override
  public void onSocket(Connection connection) {
    try {
      connection.send(connect());
    } catch (SluiceException e) {
      client.report(e);
      connection.fail(e.getMessage());
    }
  }

  private Map<String, Object> connect() {
    Map<String, Object> connect = SluiceClient.frame("connect");
    connect.put("client", "sluice-java/" + SluiceClient.VERSION);
    if (settings.token() != null) {
      connect.put("token", Connection.token(settings.token()));
    }
    if (settings.redirect()) {
      connect.put("redirect", true);
      if (isRedirected()) {
        connect.put("redirected", true);
      }
    }
    return connect;
  }

  private synchronized boolean isRedirected() {
    return isRedirected;
  }

  @Override
  public void onFrame(Connection connection, Frame frame) {
    switch (frame.type()) {
      case "hello":
        onHello(connection, frame);
        break;
      case "stale":
        client.onState(ConnectionState.STALE);
        break;
      case "live":
        client.onState(ConnectionState.OPEN);
        break;
      case "redirect":
        onRedirect(connection, frame.text("url"));
        break;
      case "draining":
        long left = frame.number("deadline") - connection.nodeTime() - MARGIN_MS;
        move(connection, frame.optionalText("url"), Math.max(0, left));
        break;
      default:
        client.dispatcher().onFrame(connection, frame);
    }
  }

  private void onHello(Connection connection, Frame hello) {
    synchronized (this) {
      if (connection != current) {
        return;
      }
      isRedirected = false;
      isTokenRenewed = false;
      client.dispatcher().onOpen(connection);
      client.publishes().onOpen(connection);
    }
    client.onState(
        "down".equals(hello.optionalText("broker")) ? ConnectionState.STALE : ConnectionState.OPEN);
    planRefresh(connection, hello.optionalNumber("expires"));
  }

  private void onRedirect(Connection connection, String url) {
    if (!isUsable(connection.url, url)) {
      client.report(new SluiceException("bad-answer", "redirect to " + url));
    } else if (connection.hello() != null) {
      move(connection, url, MOVE_MS);
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

  /** Returns whether a redirect is secure enough and can be followed. */
  static boolean isUsable(String from, String url) {
    boolean isSecure = url.startsWith("wss://");
    boolean isPlain = url.startsWith("ws://") && !from.startsWith("wss:");
    return (isSecure || isPlain) && url.indexOf('#') < 0 && isValid(url);
  }

  private static boolean isValid(String url) {
    try {
      new Request.Builder().url(url);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Moves to another node, when nothing is unanswered and no message is being processed. */
  private void move(Connection connection, String url, long limitMs) {
    boolean hasTarget = settings.redirect() && url != null && isUsable(connection.url, url);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    client.onState(ConnectionState.DRAINING);
    client.dispatcher().pauseConsumers(connection);
    client.after(0, () -> moveWhenIdle(connection, hasTarget ? url : null, deadline));
  }

  private void moveWhenIdle(Connection connection, String url, long deadline) {
    boolean isIdle = connection.isIdle() && client.dispatcher().pendingDeliveries() == 0;
    if (!isIdle && System.nanoTime() - deadline < 0) {
      client.after(MOVE_CHECK_MS, () -> moveWhenIdle(connection, url, deadline));
      return;
    }
    synchronized (this) {
      if (connection != current) {
        return;
      }
      if (url != null) {
        redirectTo(url);
      }
    }
    connection.close();
    onEnd(connection, new Connection.End(DRAINING, "draining", 0));
  }

  @Override
  public void onEnd(Connection connection, Connection.End end) {
    synchronized (this) {
      if (connection != current || isClosed) {
        return;
      }
      current = null;
      cancelRenewal();
      client.publishes().onEnd();
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
    long waitMs = atOnce ? 0 : Math.max(backoffMs(failures), isSame ? end.retryAfterMs() : 0);
    retry = client.after(waitMs, this::dial);
  }

  long backoffMs(int count) {
    return AfterClose.backoffMs(
        count,
        settings.minBackoff().toMillis(),
        settings.maxBackoff().toMillis(),
        settings.random());
  }

  /**
   * Plans the renewal of the credential before its end. If it fails, the node ends the connection
   * with 4201, and the next one begins with another credential.
   */
  private synchronized void planRefresh(Connection connection, Long expires) {
    if (settings.token() == null || expires == null || connection != current) {
      return;
    }
    double part = REFRESH_AT + settings.random().getAsDouble() / 10;
    long waitMs = (long) (part * (expires - connection.nodeTime()));
    cancelRenewal();
    renewal =
        client.after(Math.max(MIN_REFRESH_MS, waitMs), () -> client.run(() -> refresh(connection)));
  }

  // A credential may be valid for days, and its renewal refers to the connection.
  private void cancelRenewal() {
    if (renewal != null) {
      renewal.cancel(false);
      renewal = null;
    }
  }

  private void refresh(Connection connection) {
    synchronized (this) {
      if (connection != current) {
        return;
      }
    }
    long ref = client.nextRef();
    Map<String, Object> refresh = new LinkedHashMap<>(SluiceClient.frame("refresh"));
    refresh.put("ref", ref);
    try {
      refresh.put("token", Connection.token(settings.token()));
    } catch (SluiceException e) {
      client.report(e);
      return;
    }
    connection
        .call(ref, refresh)
        .thenAccept(answer -> planRefresh(connection, answer.optionalNumber("expires")));
  }
}
