package io.sluice.loadtest.abtest;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Readiness check of a system under test. One thread calls it. */
final class ReadyProbe {
  private static final Duration ATTEMPT = Duration.ofSeconds(2);
  private static final String SUBPROTOCOL = "sluice.v1.json";
  private static final int OK = 200;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(ATTEMPT).build();
  private final SystemUnderTest system;

  ReadyProbe(SystemUnderTest system) {
    this.system = system;
  }

  /** Returns whether the system is ready now. */
  boolean isReady() throws InterruptedException {
    return system.ready().isPresent() ? respondsOk() : acceptsWebSocket();
  }

  /** Returns the checked address. */
  String address() {
    return system.ready().orElse(system.url()).toString();
  }

  private boolean respondsOk() throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(system.ready().get()).timeout(ATTEMPT).build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == OK;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean acceptsWebSocket() throws InterruptedException {
    try {
      client
          .newWebSocketBuilder()
          .subprotocols(SUBPROTOCOL)
          .connectTimeout(ATTEMPT)
          .buildAsync(system.url(), new WebSocket.Listener() {})
          .get(ATTEMPT.toMillis(), TimeUnit.MILLISECONDS)
          .abort();
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }
}
