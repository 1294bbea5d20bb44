package io.sluice.gateway.admin.alerts;

import io.sluice.gateway.admin.query.BoundedBody;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.request.RequestFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Firing alerts of Sluice's rules at a Prometheus, requested when an operator reads them. Bound to
 * the admin event loop.
 *
 * <p>A failure is a result with its reason. Requests of a few seconds share one result.
 */
public final class Alerts {
  /** Maximum number of alerts in a result. */
  public static final int MAX_ALERTS = 100;

  private static final int OK = 200;
  private static final String PATH = "/api/v1/alerts";
  private static final String UNEXPECTED = "the response is not that of Prometheus' " + PATH;

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  /** Maximum length of the error text of a response. */
  private static final int MAX_ERROR = 200;

  private final Vertx vertx;
  private final AlertOptions options;
  private final String url;
  private final HttpClient http;
  private Future<JsonObject> latest;
  private long requestedNs;

  public Alerts(Vertx vertx, AlertOptions options) {
    this.vertx = vertx;
    this.options = options;
    this.url = options.url().replaceAll("/+$", "") + PATH;
    HttpClientOptions bounded =
        new HttpClientOptions().setConnectTimeout((int) options.timeout().toMillis());
    this.http = vertx.createHttpClient(bounded, new PoolOptions().setHttp1MaxSize(1));
  }

  /** Returns the alerts, or the reason why they are unknown. Never fails. */
  public Future<JsonObject> read() {
    if (options.url().isEmpty()) {
      return Future.succeededFuture(result(false, List.of()));
    }
    long nowNs = System.nanoTime();
    if (latest == null || nowNs - requestedNs >= options.cached().toNanos()) {
      requestedNs = nowNs;
      latest = request();
    }
    return latest;
  }

  private Future<JsonObject> request() {
    return authorization()
        .compose(this::send)
        .timeout(options.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .map(alerts -> result(true, alerts))
        .otherwise(failure -> result(true, List.of()).put("unknown", reason(failure)));
  }

  // The file can change: tokens of service accounts are short-lived.
  private Future<String> authorization() {
    return options.token() == null
        ? Future.succeededFuture("")
        : vertx
            .executeBlocking(() -> "Bearer " + options.token().read())
            .recover(failure -> Future.failedFuture(new UnusableToken(failure)));
  }

  /** Failure to read the token, whose message names the file. */
  private static final class UnusableToken extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableToken(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  private Future<List<FiringAlert>> send(String authorization) {
    RequestOptions request =
        new RequestOptions().setAbsoluteURI(url).setTimeout(options.timeout().toMillis());
    if (!authorization.isEmpty()) {
      request.putHeader("Authorization", authorization);
    }
    return http.request(request).compose(opened -> opened.send().compose(this::alerts));
  }

  private Future<List<FiringAlert>> alerts(HttpClientResponse response) {
    int status = response.statusCode();
    return BoundedBody.read(response, options.maxBytes())
        .compose(
            body ->
                status == OK
                    ? parsed(body)
                    : Future.failedFuture(new IOException(problem(status, body))));
  }

  private String problem(int status, Buffer body) {
    String error = error(body);
    String problem = "status " + status + (error.isEmpty() ? "" : ": " + error);
    if (status != UNAUTHORIZED && status != FORBIDDEN) {
      return problem;
    }
    return problem
        + (options.token() == null ? "; set " : "; check the token of ")
        + AdminSettings.ALERTS_TOKEN_FILE.key();
  }

  /** Returns the error text of Prometheus, or the first line of another text. */
  private static String error(Buffer body) {
    String text = body.toString().strip();
    try {
      text = new JsonObject(text).getString("error", "");
    } catch (DecodeException | ClassCastException plain) {
      text = text.startsWith("<") ? "" : text.lines().findFirst().orElse("");
    }
    String printable = text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    return printable.length() <= MAX_ERROR ? printable : printable.substring(0, MAX_ERROR) + "…";
  }

  private static Future<List<FiringAlert>> parsed(Buffer body) {
    try {
      JsonArray all = body.toJsonObject().getJsonObject("data").getJsonArray("alerts");
      return Future.succeededFuture(
          IntStream.range(0, all.size())
              .mapToObj(all::getJsonObject)
              .filter(FiringAlert::matches)
              .map(FiringAlert::of)
              .sorted(FiringAlert.ORDER)
              .toList());
    } catch (DecodeException
        | ClassCastException
        | NullPointerException
        | DateTimeException malformed) {
      return Future.failedFuture(new IOException(UNEXPECTED, malformed));
    }
  }

  private String reason(Throwable failure) {
    if (failure instanceof TimeoutException) {
      return named("no response within " + options.timeout().toMillis() + " ms");
    }
    return failure instanceof UnusableToken
        ? failure.getMessage()
        : named(RequestFailure.reason(failure));
  }

  private String named(String problem) {
    return AdminSettings.ALERTS_URL.key() + " " + ServiceUrl.masked(url) + ": " + problem;
  }

  private static JsonObject result(boolean isConfigured, List<FiringAlert> alerts) {
    List<JsonObject> shown = alerts.stream().limit(MAX_ALERTS).map(FiringAlert::json).toList();
    return new JsonObject()
        .put("configured", isConfigured)
        .put("alerts", new JsonArray(shown))
        .put("total", alerts.size())
        .put("at", System.currentTimeMillis());
  }
}
