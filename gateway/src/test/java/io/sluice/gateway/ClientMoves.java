package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.RawWebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Clients that move between nodes while messages are published and servers fail. Stateless. */
public final class ClientMoves {
  private ClientMoves() {}

  /** Failures of servers during the flow. */
  @FunctionalInterface
  public interface Failures {
    void run() throws Exception;
  }

  /**
   * Asserts that each client receives each message once. Clients stay at a node for some time, then
   * subscribe at either node.
   *
   * @param nodes requests of a connection to each node
   */
  public static void assertExact(
      List<Supplier<RawWebSocket.Request>> nodes,
      String topic,
      int clients,
      int maxStayMs,
      MessageFlow flow,
      Failures failures)
      throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Exact> received = Stream.generate(() -> new Exact(flow)).limit(clients).toList();
      List<MovingClient> moving =
          IntStream.range(0, clients)
              .mapToObj(i -> new MovingClient(nodes, topic, i, received.get(i), maxStayMs))
              .toList();
      List<CompletableFuture<Void>> ends =
          moving.stream().map(client -> CompletableFuture.runAsync(client, threads)).toList();
      for (MovingClient client : moving) {
        client.awaitFirst();
      }
      flow.start();
      failures.run();
      List<String> published = flow.awaitStored();
      awaitAll(ends);
      for (Exact each : received) {
        assertThat(each.ids).containsExactlyInAnyOrderElementsOf(published);
      }
      assertThat(moving.stream().mapToInt(MovingClient::moves).sum()).isGreaterThan(2 * clients);
    } finally {
      flow.stop();
      threads.shutdownNow();
    }
  }

  /** Each message arrives once, and each position is recovered. */
  private static final class Exact implements MovingClient.Rules {
    private final MessageFlow flow;
    private final List<String> ids = new ArrayList<>();

    Exact(MessageFlow flow) {
      this.flow = flow;
    }

    @Override
    public void onMessage(String id, String text) {
      ids.add(flow.storedId(id));
    }

    @Override
    public void onNotice(String frame, boolean repeats) {
      throw new AssertionError(frame);
    }

    @Override
    public boolean isComplete() {
      return flow.stored() >= 0 && ids.size() >= flow.stored();
    }
  }

  /** Returns requests of a connection to each of these nodes. */
  static List<Supplier<RawWebSocket.Request>> to(TestNode... nodes) {
    return Stream.of(nodes).<Supplier<RawWebSocket.Request>>map(each -> each::request).toList();
  }

  /** Waits until all have ended, or one has failed. */
  static void awaitAll(List<CompletableFuture<Void>> ends) throws Exception {
    CompletableFuture<Void> all = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    ends.forEach(end -> end.exceptionally(failure -> fail(all, failure)));
    all.get(3, TimeUnit.MINUTES);
  }

  private static Void fail(CompletableFuture<Void> all, Throwable failure) {
    all.completeExceptionally(failure);
    return null;
  }
}
