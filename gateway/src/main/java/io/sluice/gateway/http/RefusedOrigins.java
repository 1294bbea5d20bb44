package io.sluice.gateway.http;

import io.sluice.gateway.config.ServerSettings;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate-limited log of the origins that the node refuses: at most one event per minute, because any
 * client can send any origin. For any thread.
 */
final class RefusedOrigins {
  private static final Logger log = LoggerFactory.getLogger(RefusedOrigins.class);
  private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

  /** Maximum length of a logged origin: a scheme, a host name of 253 characters and a port. */
  private static final int MAX_CHARACTERS = 270;

  private final LongSupplier clockNs;
  private long since;
  private long loggedNs;
  private boolean logged;

  /**
   * @param clockNs monotonic clock, in nanoseconds
   */
  RefusedOrigins(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /**
   * Logs a refused origin, or counts it if one was logged in the last minute.
   *
   * @param address the client's
   */
  void add(String address, String origin) {
    long times = count();
    if (times > 0) {
      log.atWarn()
          .addKeyValue("origin", printable(origin))
          .addKeyValue("address", address)
          .addKeyValue("key", ServerSettings.ALLOWED_ORIGINS.key())
          .addKeyValue("times", times)
          .log("client.origin-refused");
    }
  }

  /** Returns the number of origins since the last event, or 0 if the next event is not due. */
  private synchronized long count() {
    since++;
    long nowNs = clockNs.getAsLong();
    if (logged && nowNs - loggedNs < INTERVAL_NS) {
      return 0;
    }
    long times = since;
    logged = true;
    loggedNs = nowNs;
    since = 0;
    return times;
  }

  /** Returns the beginning of an origin, without characters that browsers do not send. */
  private static String printable(String origin) {
    String begin =
        origin.length() > MAX_CHARACTERS ? origin.substring(0, MAX_CHARACTERS) + "..." : origin;
    return begin.replaceAll("[^\\x21-\\x7e]", "?");
  }
}
