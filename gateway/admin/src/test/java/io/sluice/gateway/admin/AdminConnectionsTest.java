package io.sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class AdminConnectionsTest {
  private static final long IDLE_MS = 1000;

  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final BlockingQueue<HttpServerRequest> requests = new LinkedBlockingQueue<>();
  private final AdminConnections connections =
      new AdminConnections(
          AdminOptions.of(
              Config.defaults()
                  .with(TimeoutSettings.ADMIN_IDLE, Duration.ofMillis(IDLE_MS))
                  .with(LimitSettings.ADMIN_CONNECTIONS, 2)));
  private int port;

  /** Server that responds when the test does. */
  @BeforeEach
  void start() throws InterruptedException {
    CountDownLatch open = new CountDownLatch(1);
    HttpServer server =
        vertx
            .createHttpServer()
            .connectionHandler(accepted -> connections.add(accepted, 0))
            .requestHandler(
                request -> {
                  connections.onRequest(request, 0);
                  requests.add(request);
                });
    loop.runOnContext(
        start ->
            server
                .listen(0, "127.0.0.1")
                .onSuccess(
                    bound -> {
                      port = bound.actualPort();
                      open.countDown();
                    }));
    open.await();
  }

  @AfterEach
  void stop() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    vertx.close().onComplete(end -> closed.countDown());
    closed.await();
  }

  private HttpServerRequest ask(Socket socket, String request) throws Exception {
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    return requests.poll(120, TimeUnit.SECONDS);
  }

  private void onLoop(Runnable task) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    loop.runOnContext(
        run -> {
          task.run();
          done.countDown();
        });
    done.await();
  }

  private static boolean isClosed(Socket socket) throws IOException {
    return socket.getInputStream().read() < 0;
  }

  @Test
  void shouldKeepConnectionsThatWaitForAResponse() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      HttpServerRequest asked = ask(socket, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      onLoop(() -> connections.sweep(IDLE_MS));
      onLoop(() -> connections.sweep(10 * IDLE_MS));
      onLoop(() -> asked.response().end("x"));
      onLoop(() -> connections.sweep(11 * IDLE_MS - 1));
      assertThat(ask(socket, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).isNotNull();
    }
  }

  @Test
  void shouldCloseIdleConnectionsAfterTheirResponse() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      HttpServerRequest asked = ask(socket, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      onLoop(() -> asked.response().setStatusCode(204).end());
      onLoop(() -> connections.sweep(IDLE_MS));
      assertThat(socket.getInputStream().readAllBytes())
          .startsWith("HTTP/1.1 204".getBytes(US_ASCII));
    }
  }

  @Test
  void shouldCloseConnectionsWithAnIncompleteRequest() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      ask(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx");
      onLoop(() -> connections.sweep(IDLE_MS));
      assertThat(isClosed(socket)).isTrue();
    }
  }

  @Test
  void shouldCloseTheConnectionThatIsIdleForLongestAtTheLimit() throws Exception {
    try (Socket longRequest = new Socket("127.0.0.1", port);
        Socket idle = new Socket("127.0.0.1", port)) {
      HttpServerRequest slow = ask(longRequest, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      HttpServerRequest quick = ask(idle, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      onLoop(() -> quick.response().setStatusCode(204).end());
      onLoop(() -> connections.sweep(IDLE_MS / 2));
      onLoop(() -> slow.response().setStatusCode(204).end());
      try (Socket another = new Socket("127.0.0.1", port)) {
        assertThat(ask(another, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).isNotNull();
        assertThat(idle.getInputStream().readAllBytes())
            .startsWith("HTTP/1.1 204".getBytes(US_ASCII));
        assertThat(ask(longRequest, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).isNotNull();
      }
    }
  }

  @Test
  void shouldCloseTheConnectionOfTheEarlierRequestWithinOneMillisecond() throws Exception {
    try (Socket later = new Socket("127.0.0.1", port);
        Socket earlier = new Socket("127.0.0.1", port)) {
      for (Socket each : new Socket[] {earlier, later}) {
        HttpServerRequest request = ask(each, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        onLoop(() -> request.response().setStatusCode(204).end());
      }
      try (Socket another = new Socket("127.0.0.1", port)) {
        assertThat(ask(another, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).isNotNull();
        assertThat(earlier.getInputStream().readAllBytes())
            .startsWith("HTTP/1.1 204".getBytes(US_ASCII));
        assertThat(ask(later, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).isNotNull();
      }
    }
  }
}
