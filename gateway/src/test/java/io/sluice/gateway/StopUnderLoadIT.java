package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Clients that connect while a node stops are refused; nothing fails for that. */
@Timeout(180)
@Isolated("observes the whole process")
final class StopUnderLoadIT {
  private static final int CLIENTS = 6;
  private static final int STOPS = Integer.getInteger("sluice.stops", 5);

  /** Collector of the stack traces that are logged while it is open. */
  private static final class Traces extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger own = (Logger) LoggerFactory.getLogger("io.sluice");
    private final Level rootBefore = root.getLevel();
    private final Level ownBefore = own.getLevel();
    private final List<String> all = new CopyOnWriteArrayList<>();

    Traces() {
      root.setLevel(Level.WARN);
      own.setLevel(Level.WARN);
      start();
      root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getThrowableProxy() != null) {
        String trace = ThrowableProxyUtil.asString(event.getThrowableProxy());
        all.add(event.getLoggerName() + " " + event.getFormattedMessage() + "\n" + trace);
      }
    }

    @Override
    public void close() {
      root.detachAppender(this);
      root.setLevel(rootBefore);
      own.setLevel(ownBefore);
    }
  }

  /** Connects again and again until the port is closed. */
  private static Thread client(TestNode node, boolean stream, CountDownLatch served) {
    int port = node.gateway().port();
    Thread thread =
        new Thread(
            () -> {
              while (connects(port, stream)) {
                served.countDown();
              }
            });
    thread.start();
    return thread;
  }

  private static boolean connects(int port, boolean stream) {
    RawWebSocket.Request request =
        RawWebSocket.to("127.0.0.1", port, "/ws").timeout(Duration.ofSeconds(5));
    if (stream) {
      request.post("", "{\"type\":\"connect\"}\n".getBytes(StandardCharsets.UTF_8));
    }
    try (RawWebSocket client = request.attempt()) {
      return client.status() > 0;
    } catch (UncheckedIOException e) {
      return !(e.getCause() instanceof ConnectException);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "io-uring", "nio"})
  void shouldRefuseClientsWithoutAStackTrace(String transport) throws Exception {
    Config config =
        TestNode.config("artemis", "tcp://127.0.0.1:1")
            .with(ServerSettings.TRANSPORT, transport)
            .with(TimeoutSettings.DRAIN, Duration.ofMillis(50))
            .with(TimeoutSettings.CLOSE, Duration.ofMillis(50));
    try (Traces traces = new Traces()) {
      for (int stop = 0; stop < STOPS; stop++) {
        List<Thread> clients = new ArrayList<>();
        TestNode node = TestNode.start(config);
        CountDownLatch served = new CountDownLatch(100);
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(client(node, i % 2 == 0, served));
        }
        served.await();
        if (stop % 2 == 0) {
          node.gateway().drainAndStop();
        } else {
          node.close();
        }
        for (Thread client : clients) {
          client.join();
        }
      }
      assertThat(traces.all).isEmpty();
    }
  }

  @Test
  void shouldAnswerWith503WhileItStops() {
    try (TestNode node = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"))) {
      node.clients().stop();
      List<RawWebSocket.Request> requests =
          List.of(
              node.request(),
              node.stream("{\"type\":\"connect\"}"),
              node.request().requestLine("GET / HTTP/1.1").without("Upgrade"));
      for (RawWebSocket.Request request : requests) {
        try (RawWebSocket client = request.attempt()) {
          assertThat(client.status()).isEqualTo(503);
          assertThat(client.header("Retry-After")).isNotNull();
        }
      }
    }
  }
}
