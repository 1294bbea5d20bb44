package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node whose only event loop is busy with few clients. */
@Tag("alone")
@Timeout(180)
final class OverloadIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final long MESSAGE_BYTES = 8L << 20;
  private static final int FLOODS = 6;

  /** Takes the loop longer than the limit. */
  private static final byte[] HEAVY =
      ClientFrame.join(
          ClientFrame.text(
              "{\"type\":\"ping\",\"numbers\":["
                  + "1,".repeat((int) MESSAGE_BYTES / 2 - 100)
                  + "1]}"));

  // The tick is a quarter of the shortest time limit.
  private static final Config CONFIG =
      TestNode.config("artemis", "tcp://127.0.0.1:1")
          .with(ServerSettings.EVENT_LOOPS, 1)
          .with(TimeoutSettings.CLOSE, Duration.ofMillis(40))
          .with(LimitSettings.MESSAGE_BYTES, MESSAGE_BYTES)
          .with(LimitSettings.PRE_AUTH_BYTES, MESSAGE_BYTES)
          .with(LimitSettings.OVERLOAD_LAG, Duration.ofMillis(2));

  private static int status(TestNode node) {
    try (RawWebSocket client = node.request().timeout(TIMEOUT).attempt()) {
      return client.status();
    }
  }

  // The limit is so low that the start of the node may exceed it, too.
  private static RawWebSocket admitted(TestNode node) {
    return await()
        .atMost(TIMEOUT)
        .until(() -> node.request().timeout(TIMEOUT).attempt(), client -> client.status() == 101);
  }

  @Tag("full")
  @Test
  void shouldAdmitNoClientsWhileItLagsAndKeepTheExistingOnes() {
    AtomicBoolean enough = new AtomicBoolean();
    List<CompletableFuture<Void>> floods = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(FLOODS);
    try (TestNode node = TestNode.start(CONFIG);
        RawWebSocket served = admitted(node)) {
      served.text("{\"type\":\"ping\",\"ref\":1}");
      served.await("pong");
      for (int i = 0; i < FLOODS; i++) {
        floods.add(CompletableFuture.runAsync(() -> flood(node, enough), threads));
      }
      await().pollInterval(Duration.ofMillis(5)).atMost(TIMEOUT).until(() -> status(node) == 503);
      assertThat(node.metric("sluice_limits_reached_total{limit=\"limits.overload-lag\"}"))
          .isPositive();
      served.text("{\"type\":\"ping\",\"ref\":2}");
      assertThat(served.await("pong").path("ref").asInt()).isEqualTo(2);
      enough.set(true);
      floods.forEach(CompletableFuture::join);
      await().atMost(TIMEOUT).until(() -> status(node) == 101);
      await().atMost(TIMEOUT).until(() -> node.metric("sluice_event_loops_overloaded") == 0);
    } finally {
      enough.set(true);
      threads.shutdownNow();
    }
  }

  private static void flood(TestNode node, AtomicBoolean enough) {
    try (RawWebSocket client = node.json()) {
      while (!enough.get()) {
        client.send(HEAVY);
      }
    } catch (UncheckedIOException | AssertionError refused) {
      // the others are enough
    }
  }
}
