package io.sluice.gateway.admission;

import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.time.LogInterval;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Counter and log of refused requests and connections. Logs at most one event per cause and minute,
 * because any client can cause any number of them. For any thread.
 */
public final class RefusalLog {
  private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

  /** Maximum length of a logged origin or path: a scheme, a host of 253 characters and a port. */
  private static final int MAX_CHARACTERS = 270;

  /** Causes that no setting of the node can change; any scanner of ports produces them. */
  private static final Set<String> ORDINARY =
      Set.of(
          "bad-request",
          "tls-required",
          "not-found",
          "bad-method",
          "bad-version",
          "timeout",
          "tls",
          "unread");

  private final Map<String, LogInterval> causes = new ConcurrentHashMap<>();
  private final GatewayMetrics metrics;
  private final LongSupplier clockNs;

  /**
   * @param clockNs monotonic clock, in nanoseconds
   */
  public RefusalLog(GatewayMetrics metrics, LongSupplier clockNs) {
    this.metrics = metrics;
    this.clockNs = clockNs;
  }

  /**
   * Adds a connection that is closed without a response.
   *
   * @param cause tag of the metric
   * @param address the client's
   */
  void addClosed(String cause, String address) {
    add(cause, cause, address, "", "");
  }

  /**
   * Adds a connection that is closed after an error response.
   *
   * @param cause tag of the metric
   * @param address the client's
   */
  void addClosed(String cause, Refusal response, String address) {
    add(cause, response.code(), address, response.text(), "");
  }

  /**
   * Adds an error response.
   *
   * @param address the client's
   * @param origin of the page that sent the request; null if it has none
   */
  public void add(Refusal response, String address, String origin) {
    String status = String.valueOf(response.status());
    if (response.isOfOrigin() && origin != null) {
      addOrigin(status, address, origin);
    } else if (response.isChallenge()) {
      metrics.handshakeRefused(status); // the beginning of a login
    } else {
      add(status, response.code(), address, response.text(), "");
    }
  }

  /**
   * Adds an error response to a request for a page.
   *
   * @param path of the request
   */
  public void addPage(int status, String address, String path) {
    String cause =
        switch (status) {
          case 404 -> "not-found";
          case 405 -> "bad-method";
          default -> "page-" + status;
        };
    add(String.valueOf(status), cause, address, "", path);
  }

  private void addOrigin(String status, String address, String origin) {
    metrics.handshakeRefused(status);
    long times = count("origin");
    if (times > 0) {
      log.atWarn()
          .addKeyValue("origin", printable(origin))
          .addKeyValue("address", address)
          .addKeyValue("key", ServerSettings.ALLOWED_ORIGINS.key())
          .addKeyValue("times", times)
          .log("client.origin-refused");
    }
  }

  private void add(String tag, String cause, String address, String reason, String path) {
    metrics.handshakeRefused(tag);
    long times = count(cause);
    if (times > 0) {
      LoggingEventBuilder event = ORDINARY.contains(cause) ? log.atInfo() : log.atWarn();
      event = event.addKeyValue("cause", cause).addKeyValue("address", address);
      if (!reason.isEmpty()) {
        event = event.addKeyValue("reason", reason);
      }
      if (!path.isEmpty()) {
        event = event.addKeyValue("path", printable(path));
      }
      event.addKeyValue("times", times).log("client.refused");
    }
  }

  private long count(String cause) {
    return causes.computeIfAbsent(cause, name -> new LogInterval()).add(clockNs.getAsLong());
  }

  /** Returns the beginning of a text, without characters that browsers do not send. */
  private static String printable(String text) {
    String begin =
        text.length() > MAX_CHARACTERS ? text.substring(0, MAX_CHARACTERS) + "..." : text;
    return begin.replaceAll("[^\\x21-\\x7e]", "?");
  }
}
