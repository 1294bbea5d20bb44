package io.sluice.gateway.streams.route;

import io.sluice.gateway.handshake.Origins;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * CORS headers of an endpoint for pages of allowed origins: the node's own host and {@code
 * server.allowed-origins}. For any thread.
 */
public final class Cors {
  /** Headers of requests besides those that need no permission. */
  private static final String REQUEST_HEADERS =
      "authorization, cache-control, content-type, idempotency-key, if-none-match, last-event-id";

  private static final String MAX_AGE_SECONDS = "86400";

  private final Origins origins;
  private final String exposed;
  private final String methods;

  /**
   * @param exposed names of the headers of responses that pages may read
   * @param methods methods of the endpoint without OPTIONS
   */
  public Cors(Origins origins, Set<String> exposed, Set<String> methods) {
    this.origins = origins;
    this.exposed = String.join(", ", exposed.stream().sorted().toList());
    this.methods = String.join(", ", methods.stream().sorted().toList());
  }

  /**
   * Returns the headers of every response to an allowed origin; empty without an origin. The
   * browser may send credentials only from an origin that is listed by name.
   *
   * @param origin the values of all Origin headers of the request
   */
  public Map<String, String> headers(List<String> origin) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Vary", "Origin"); // caches must not serve a response to pages of other origins
    if (!origin.isEmpty()) {
      headers.put("Access-Control-Allow-Origin", origin.get(0).strip());
      headers.put("Access-Control-Expose-Headers", exposed);
      if (origins.isNamed(origin.get(0))) {
        headers.put("Access-Control-Allow-Credentials", "true");
      }
    }
    return headers;
  }

  /** Returns the headers of the response to a preflight request, whose status is 204. */
  public Map<String, String> preflight(List<String> origin) {
    Map<String, String> headers = headers(origin);
    headers.put("Access-Control-Allow-Methods", methods);
    headers.put("Access-Control-Allow-Headers", REQUEST_HEADERS);
    headers.put("Access-Control-Max-Age", MAX_AGE_SECONDS);
    headers.put("Allow", methods + ", OPTIONS");
    return headers;
  }
}
