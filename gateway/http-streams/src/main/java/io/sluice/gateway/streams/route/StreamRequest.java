package io.sluice.gateway.streams.route;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.http.HttpExchange;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Request of an allowed origin to a topic or queue. Bound to its event loop.
 *
 * @param name topic or queue of the path, not validated; empty for none
 * @param query parameters of the URL
 * @param cors headers that every response needs
 */
public record StreamRequest(
    HttpExchange exchange, String name, UrlQuery query, Map<String, String> cors) {
  /** Returns the first value of a header, or null. */
  public String header(String header) {
    return exchange.request().getHeader(header);
  }

  /** Returns the credential of the request, or null. */
  public Credential credential() {
    return exchange.credential();
  }

  /** Returns whether the response is an event stream, as for EventSource. */
  public boolean isForEvents() {
    boolean accepts =
        all("Accept").stream().anyMatch(each -> each.contains(EventResponse.CONTENT_TYPE));
    return accepts && !(isLive() && query.has("offset"));
  }

  /** Returns whether the response has the events of Durable Streams, which require an offset. */
  public boolean isForDurableEvents() {
    return isLive() && !isForEvents();
  }

  private boolean isLive() {
    return query.all("live").contains("sse");
  }

  /** Returns the headers of a response: those of the node, CORS, and others. */
  public Map<String, String> headers(Map<String, String> others) {
    Map<String, String> all = new LinkedHashMap<>();
    exchange.request().response().headers().forEach(all::put);
    all.putAll(cors);
    all.putAll(others);
    return all;
  }

  /** Answers with an error, or so that EventSource connects again later, and counts it. */
  public void refuse(Refusal refusal) {
    boolean isGet = exchange.request().method().name().equals("GET");
    if (!isGet || !isForEvents() || !EventResponse.isForNow(refusal)) {
      exchange.refuse(refusal.with(cors));
      return;
    }
    exchange.count(refusal);
    HttpServerResponse response = exchange.request().response();
    headers(EventResponse.HEADERS).forEach(response::putHeader);
    response.headers().remove("Connection"); // malformed in HTTP/2
    response.end(EventResponse.retry(refusal));
  }

  /** Returns the values of all lines of a header. */
  public List<String> all(String header) {
    return exchange.request().headers().getAll(header);
  }
}
