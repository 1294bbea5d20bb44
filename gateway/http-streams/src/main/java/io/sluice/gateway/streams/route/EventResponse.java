package io.sluice.gateway.streams.route;

import io.sluice.gateway.handshake.Refusal;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Response to a request for an event stream. Stateless, for any thread.
 *
 * <p>EventSource does not connect again after an error. A refusal that is not final is therefore a
 * stream that ends at once.
 */
public final class EventResponse {
  /** Headers of every stream. */
  public static final Map<String, String> HEADERS =
      Map.of(
          "Content-Type", EventResponse.CONTENT_TYPE,
          "Cache-Control", "no-store, no-transform",
          "X-Accel-Buffering", "no",
          "X-Content-Type-Options", "nosniff",
          "Connection", "close");

  static final String CONTENT_TYPE = "text/event-stream";

  private EventResponse() {}

  /** Returns whether a refusal is not final: it has a time for the next request. */
  public static boolean isForNow(Refusal refusal) {
    return refusal.headers().containsKey("Retry-After");
  }

  /**
   * Returns the stream of a refusal that is not final: a time for the next request, at random, and
   * the reason as comment.
   */
  public static String retry(Refusal refusal) {
    long ms = TimeUnit.SECONDS.toMillis(Long.parseLong(refusal.headers().get("Retry-After")));
    long spread = ThreadLocalRandom.current().nextLong(ms);
    return "retry: " + (ms / 2 + spread) + "\n: " + refusal.code() + ": " + oneLine(refusal) + "\n";
  }

  private static String oneLine(Refusal refusal) {
    return refusal.text().replaceAll("[\\r\\n]+", " ");
  }
}
