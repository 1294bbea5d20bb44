package io.sluice.client;

import java.util.Map;
import java.util.concurrent.ScheduledFuture;

/** Renewal of the credential of one client before it expires. Any thread may call it. */
final class Renewal {
  private static final double REFRESH_AT = 0.8;
  private static final long MIN_REFRESH_MS = 1_000;

  private final SluiceClient client;
  private final Connector connector;
  private final SluiceClientBuilder.Settings settings;
  private Connection connection;

  /** Planned renewal; null without one. */
  private ScheduledFuture<?> planned;

  Renewal(SluiceClient client, Connector connector, SluiceClientBuilder.Settings settings) {
    this.client = client;
    this.connector = connector;
    this.settings = settings;
  }

  /**
   * Plans a renewal. If it fails, the node ends the connection with 4201, and the next one begins
   * with another credential.
   */
  synchronized void start(Connection opened) {
    connection = opened;
    plan(opened, opened.hello().optionalTime("expires"));
  }

  // A credential may be valid for days, and its renewal refers to the connection.
  synchronized void cancel() {
    connection = null;
    if (planned != null) {
      planned.cancel(false);
      planned = null;
    }
  }

  private synchronized void plan(Connection renewed, Long expires) {
    if (settings.token() == null || expires == null || renewed != connection) {
      return;
    }
    long ms = waitMs(expires, renewed.nodeTime(), settings.random().getAsDouble());
    if (planned != null) {
      planned.cancel(false);
    }
    planned = client.after(ms, () -> client.run(() -> refresh(renewed)));
  }

  /** Returns a random wait until a renewal; also an expiry in the past is followed by one. */
  static long waitMs(long expires, long nodeTime, double random) {
    double part = REFRESH_AT + random / 10;
    double left = (double) expires - nodeTime;
    return (long) Math.max(MIN_REFRESH_MS * (1 + random), part * left);
  }

  private synchronized boolean isCurrent(Connection renewed) {
    return renewed == connection;
  }

  private void refresh(Connection renewed) {
    if (!isCurrent(renewed)) {
      return;
    }
    long ref = client.nextRef();
    Map<String, Object> refresh = SluiceClient.frame("refresh");
    refresh.put("ref", ref);
    try {
      refresh.put("token", connector.token());
    } catch (SluiceException e) {
      connector.onTokenError(e);
      return;
    }
    renewed
        .call(ref, refresh)
        .thenAccept(
            answer -> {
              plan(renewed, answer.optionalTime("expires"));
              client.dispatcher().onRefreshed(renewed);
            });
  }
}
