package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.admin.why.WhyQuery;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.NodeStatus;
import io.sluice.gateway.query.NodeTotals;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sharing of results, with a node that counts the collections of its clients. */
final class QueriesTest {
  private static final Query CLIENTS = new ClientsQuery(new Page("", "since", 0, 10));
  private static final QueryInput NONE = new QueryInput(name -> null);

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final AtomicInteger collections = new AtomicInteger();
  private volatile CompletableFuture<Void> collected = CompletableFuture.completedFuture(null);

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private final class Source implements NodeSource {
    @Override
    public String node() {
      return "gw-1";
    }

    @Override
    public CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches) {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<TopicLoad> topicLoad() {
      return CompletableFuture.completedFuture(new TopicLoad(0, 1));
    }

    @Override
    public CompletionStage<LogReader> reader(String topic) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public NodeTotals totals() {
      return new NodeTotals(0, 0, 0, 0, NodeTotals.Latency.NONE, 0);
    }

    @Override
    public String brokerState() {
      return "connected";
    }

    @Override
    public <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors) {
      collections.incrementAndGet();
      return collected.thenApply(done -> List.of());
    }
  }

  private <T> T onLoop(Supplier<CompletionStage<T>> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    context.runOnContext(
        now ->
            task.get()
                .whenComplete(
                    (result, failure) -> {
                      if (failure == null) {
                        done.complete(result);
                      } else {
                        done.completeExceptionally(failure);
                      }
                    }));
    return done.join();
  }

  private Queries queries(Duration sharedFor, NodeStatus... others) {
    QueryOptions options =
        new QueryOptions(sharedFor, "", TailOptions.of(Config.defaults()), false, "");
    return onLoop(
        () ->
            CompletableFuture.completedFuture(
                new Queries(vertx, new Source(), () -> List.of(others), options)));
  }

  private Queries.Result answer(Queries queries, Query query, String authorization) {
    return onLoop(() -> queries.answer(query, NONE, authorization, operator("ann")));
  }

  @Test
  void shouldShareTheEncodedResultOfEqualQueries() {
    Queries queries = queries(Duration.ofHours(1));
    Queries.Result first = answer(queries, CLIENTS, "Bearer a");
    assertThat(answer(queries, CLIENTS, "Bearer b").json()).isSameAs(first.json());
    assertThat(collections).hasValue(1);
    answer(queries, new ClientsQuery(new Page("x", "since", 0, 10)), "Bearer a");
    assertThat(collections).hasValue(2);
  }

  @Test
  void shouldQueryAgainAfterACommand() {
    Queries queries = queries(Duration.ofHours(1));
    answer(queries, CLIENTS, null);
    context.runOnContext(now -> queries.onCommand());
    answer(queries, CLIENTS, null);
    assertThat(collections).hasValue(2);
  }

  @Test
  void shouldQueryAgainAfterTheTime() {
    Queries queries = queries(Duration.ZERO);
    answer(queries, CLIENTS, null);
    answer(queries, CLIENTS, null);
    assertThat(collections).hasValue(2);
  }

  @Test
  void shouldNotShareAnswersOfOtherNodesBetweenTokens() {
    NodeStatus unreachable = PeerQueriesTest.node("");
    Queries queries = queries(Duration.ofHours(1), unreachable);
    Queries.Result first = answer(queries, CLIENTS, "Bearer a");
    assertThat(answer(queries, CLIENTS, "Bearer a").json()).isSameAs(first.json());
    assertThat(answer(queries, CLIENTS, "Bearer b").json()).isNotSameAs(first.json());
    assertThat(collections).as("this node's figures are shared").hasValue(1);
  }

  @Test
  void shouldBoundTheAnswerOfANode() {
    HttpServer server =
        onLoop(
            () ->
                vertx
                    .createHttpServer()
                    .requestHandler(asked -> asked.response().end(Buffer.buffer(new byte[9 << 20])))
                    .listen(0, "127.0.0.1")
                    .toCompletionStage());
    NodeStatus other = PeerQueriesTest.node("http://127.0.0.1:" + server.actualPort());
    assertThat(answer(queries(Duration.ZERO, other), CLIENTS, null).json().toString())
        .contains("response exceeds the limit of 8388608 B");
  }

  private static Operator operator(String credential) {
    return new Operator("127.0.0.1", credential);
  }

  /** Starts a query that does not end. Returns false if it is refused. */
  private boolean start(Queries queries, Operator by) {
    return onLoop(
        () -> {
          Query query = new WhyQuery("alice", "a", AuditLog.NONE);
          boolean ended = queries.answer(query, NONE, null, by).toCompletableFuture().isDone();
          return CompletableFuture.completedFuture(!ended);
        });
  }

  @Test
  void shouldAnswerAnOperatorBesideTwoWithManyLongQueries() {
    Queries queries = queries(Duration.ZERO);
    collected = new CompletableFuture<>();
    for (int i = 0; i < 2 * Queries.MAX_RUNNING; i++) {
      start(queries, operator("greedy"));
      start(queries, operator("also greedy"));
    }
    assertThat(start(queries, operator("greedy"))).isFalse();
    assertThat(start(queries, operator("modest"))).isTrue();
    collected.complete(null);
  }

  @Test
  void shouldNotShareTheCheckOfAClient() {
    Queries queries = queries(Duration.ofHours(1));
    answer(queries, new WhyQuery("alice", "a", AuditLog.NONE), null);
    answer(queries, new WhyQuery("alice", "a", AuditLog.NONE), null);
    assertThat(collections).hasValue(2);
  }
}
