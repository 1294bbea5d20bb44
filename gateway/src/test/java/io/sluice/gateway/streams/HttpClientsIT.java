package io.sluice.gateway.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many and slow clients that read by HTTP/1.1. */
@Timeout(300)
final class HttpClientsIT {
  private static final int CONNECTIONS = 50;
  private static final int READS = Boolean.getBoolean("sluice.full") ? 200 : 20;
  private static final int OTHERS = 9;

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestCluster.start(
            TestNode.unlimited(TestNode.config("artemis", broker.url()))
                .with(BrokerSettings.LINGER, Duration.ofMinutes(10))
                .with(HistorySettings.MESSAGES, 20_000)
                .with(HistorySettings.BYTES, 8L << 20)
                .with(ServerSettings.SEND_BUFFER, 16L * 1024)
                .with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(2)));
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static RawHttp.Response get(RawHttp client, String target) throws IOException {
    client.write("GET /topics/" + target + " HTTP/1.1\r\nHost: x\r\nPrefer: wait=5\r\n\r\n");
    return client.readResponse();
  }

  /** Returns the response to a request with its own connection. */
  private static RawHttp.Response get(String target) throws IOException {
    try (RawHttp client = connect()) {
      return get(client, target);
    }
  }

  private static RawHttp connect() throws IOException {
    return RawHttp.to(node.gateway().port());
  }

  /** Catch-up reads and long-polls in turn, over one connection. */
  private static int read(String topic) throws IOException {
    int answered = 0;
    try (RawHttp client = connect()) {
      String offset = "now";
      while (answered < READS) {
        String live = answered % 2 == 1 ? "&live=long-poll" : "";
        RawHttp.Response response = get(client, topic + "?offset=" + offset + live);
        assertThat(response.status()).matches("HTTP/1.1 20[04] .*");
        offset = response.headers().get("Stream-Next-Offset");
        answered++;
      }
    }
    return answered;
  }

  @Test
  void shouldAnswerEveryRequestOfManyConnections() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS + 1);
    try {
      Future<?> flow =
          threads.submit(
              () -> {
                for (int i = 0; !ended.get(); i++) {
                  publisher.text("many." + i % 10, "" + i);
                }
                return null;
              });
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        String topic = "many." + i % 10;
        all.add(threads.submit(() -> read(topic)));
      }
      for (Future<Integer> each : all) {
        assertThat(each.get(4, TimeUnit.MINUTES)).as("responses").isEqualTo(READS);
      }
      ended.set(true);
      flow.get();
    } finally {
      ended.set(true);
      threads.shutdown();
    }
  }

  @Test
  void shouldCompleteALargeResponseForASlowReader() throws Exception {
    String offset = get("large?offset=now").headers().get("Stream-Next-Offset");
    String payload = "x".repeat(2_000);
    for (int i = 0; i < 200; i++) {
      publisher.text("large", payload);
    }
    String target = "large?offset=" + offset;
    await().atMost(Duration.ofMinutes(1)).until(() -> get(target).body().length() > 250_000);
    try (RawHttp slow = connect()) {
      slow.write("GET /topics/" + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
      long longMs = System.currentTimeMillis() + 3 * 2_000;
      while (System.currentTimeMillis() < longMs) {
        for (int i = 0; i < OTHERS; i++) {
          assertThat(get(target).body().length()).isGreaterThan(250_000);
        }
      }
      assertThat(slow.readResponse().body()).hasSizeGreaterThan(250_000).endsWith("\"]");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /topics/half HTTP/1.1\r\nHost: x\r\nAc",
        "POST /topics/half HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: 9\r\n\r\nx",
        "POST /topics/half HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\nx"
      })
  void shouldEndHalfOfARequest(String half) throws Exception {
    try (RawHttp client = connect()) {
      client.write(half);
      assertThat(client.readLine()).startsWith("HTTP/1.1 408 ");
    }
  }
}
