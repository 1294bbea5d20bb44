package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.NodeTotals;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages of 10,000 clients on two event loops and of 1,000 topics. */
final class ListQueriesTest {
  private static final int CLIENTS = 10_000;
  private static final int TOPICS = 1_000;
  private static final InterestKey KEY_999 = InterestKey.of("t.999");

  private static final class Source implements NodeSource {
    @Override
    public String node() {
      return "gw";
    }

    @Override
    public CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches) {
      return CompletableFuture.completedFuture(
          IntStream.range(0, TOPICS)
              .mapToObj(i -> topic(InterestKey.of("t." + i), i))
              .filter(each -> matches.test(each.key()))
              .toList());
    }

    private static TopicFigures topic(InterestKey key, int rate) {
      return new TopicFigures(key, "jms", rate, 0, 1, 0, 0, -1, -1, 0, ConsumerState.ACTIVE, false);
    }

    @Override
    public CompletionStage<TopicLoad> topicLoad() {
      throw new AssertionError();
    }

    @Override
    public CompletionStage<LogReader> reader(String topic) {
      throw new AssertionError();
    }

    @Override
    public NodeTotals totals() {
      throw new AssertionError();
    }

    @Override
    public String brokerState() {
      return "connected";
    }

    @Override
    public <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors) {
      List<R> results = new ArrayList<>();
      for (int loop = 0; loop < 2; loop++) {
        ClientCollector<R> collector = collectors.get();
        for (int i = CLIENTS - 1 - loop; i >= 0; i -= 2) {
          collector.add(new ListedClient(i, "user-" + i % 10));
        }
        boolean complete = collector.prepare();
        while (!complete) {
          complete = collector.prepare();
        }
        results.add(collector.result());
      }
      return CompletableFuture.completedFuture(results);
    }
  }

  private static JsonObject merged(Query query) {
    Query.Merge merge = query.merge();
    merge.add(query.perNode(true).ofNode(new Source()).toCompletableFuture().join());
    return merge.result();
  }

  private static List<String> sessions(JsonObject page) {
    JsonArray clients = page.getJsonArray("clients");
    return IntStream.range(0, clients.size())
        .mapToObj(i -> clients.getJsonObject(i).getString("session"))
        .toList();
  }

  @Test
  void shouldReturnTheFirstAndTheLastPageOfManyClients() {
    JsonObject first = merged(new ClientsQuery(new Page("", "since", 0, 3)));
    assertThat(first.getLong("total")).isEqualTo(CLIENTS);
    assertThat(sessions(first)).containsExactly("gw-1-0", "gw-1-1", "gw-1-2");
    JsonObject last = merged(new ClientsQuery(new Page("", "since", Page.MAX_OFFSET, 1_000)));
    assertThat(sessions(last)).hasSize(1_000).startsWith("gw-1-9000").endsWith("gw-1-9999");
  }

  @Test
  void shouldSortByTheLargestFigure() {
    assertThat(sessions(merged(new ClientsQuery(new Page("", "pending", 0, 2)))))
        .containsExactly("gw-1-9999", "gw-1-9998");
    assertThat(sessions(merged(new ClientsQuery(new Page("", "rtt", 1, 2)))))
        .containsExactly("gw-1-9997", "gw-1-9995");
  }

  @Test
  void shouldReturnEqualRanksOnce() {
    List<String> all = new ArrayList<>();
    for (int offset = 0; offset < CLIENTS; offset += 1_000) {
      int limit = Math.min(1_000, CLIENTS - offset);
      all.addAll(sessions(merged(new ClientsQuery(new Page("", "subscriptions", offset, limit)))));
    }
    assertThat(all).hasSize(CLIENTS).doesNotHaveDuplicates();
  }

  @Test
  void shouldCountOnlyMatchingClients() {
    JsonObject found = merged(new ClientsQuery(new Page("USER-3", "since", 0, 2)));
    assertThat(found.getLong("total")).isEqualTo(CLIENTS / 10);
    assertThat(sessions(found)).containsExactly("gw-1-3", "gw-1-13");
  }

  @Test
  void shouldReturnAPageOfManyTopics() {
    JsonObject page = merged(new TopicsQuery(new Page("T.", "rate", 1, 2), TopicKind.TOPIC));
    assertThat(page.getInteger("total")).isEqualTo(TOPICS);
    assertThat(page.getJsonArray("topics").getJsonObject(0).getString("topic")).isEqualTo("t.998");
  }

  @Test
  void shouldAddSubscribersAndKeepTheLargestRateOfTwoNodes() {
    TopicsQuery query = new TopicsQuery(new Page("", "rate", 0, 1), TopicKind.TOPIC);
    Query.Merge merge = query.merge();
    merge.add(query.perNode(false).ofNode(new Source()).toCompletableFuture().join());
    merge.add(
        answer(
            new TopicFigures(KEY_999, null, 1, 5, 7, 0, 0, -1, 9, 2, ConsumerState.LOST, false)));
    JsonObject page = merge.result();
    assertThat(page.getInteger("total")).isEqualTo(TOPICS);
    JsonObject topic = page.getJsonArray("topics").getJsonObject(0);
    assertThat(topic.getDouble("rate")).isEqualTo(999);
    assertThat(topic.getDouble("bytes-rate")).isEqualTo(5);
    assertThat(topic.getLong("subscribers")).isEqualTo(8);
    assertThat(topic.getLong("last-message-ms")).isEqualTo(9);
    assertThat(topic.getString("consumer")).isEqualTo("lost");
    assertThat(topic.getString("source")).as("an earlier version sends none").isEqualTo("jms");
  }

  private static JsonObject answer(TopicFigures... topics) {
    JsonArray json = new JsonArray();
    Stream.of(topics).map(TopicJson::of).forEach(json::add);
    return new JsonObject().put("topics", json).put("total", topics.length);
  }

  private static TopicFigures interest(InterestKey key, double rate) {
    return new TopicFigures(key, "jms", rate, 0, 3, 0, 0, -1, -1, 0, ConsumerState.ACTIVE, false);
  }

  private static JsonArray listed(TopicKind kind) {
    Query.Merge merge = new TopicsQuery(new Page("", "rate", 0, 10), kind).merge();
    merge.add(
        answer(
            interest(InterestKey.of("a.*"), 9),
            interest(InterestKey.of("a.1"), 5),
            interest(new InterestKey("a.1", "size > 5"), 2),
            interest(InterestKey.of("a.2"), 4)));
    return merge.result().getJsonArray("topics");
  }

  private static List<String> names(JsonArray topics) {
    return topics.stream().map(each -> ((JsonObject) each).getString("topic")).toList();
  }

  @Test
  void shouldListATopicOnceAndWithoutPatterns() {
    JsonArray topics = listed(TopicKind.TOPIC);
    assertThat(names(topics)).containsExactly("a.1", "a.2");
    JsonObject first = topics.getJsonObject(0);
    assertThat(first.getDouble("rate")).isEqualTo(5);
    assertThat(first.getLong("subscribers")).isEqualTo(6);
    assertThat(first.containsKey("where")).isFalse();
  }

  @Test
  void shouldListPatternsOrAllInterestsOnRequest() {
    assertThat(names(listed(TopicKind.PATTERN))).containsExactly("a.*");
    assertThat(names(listed(TopicKind.ALL))).containsExactly("a.*", "a.1", "a.2", "a.1");
  }

  @Test
  void shouldReturnOnlyThePageIfNoOtherNodeIsAsked() {
    TopicsQuery query = new TopicsQuery(new Page("", "rate", 5, 10), TopicKind.TOPIC);
    JsonObject alone = query.perNode(true).ofNode(new Source()).toCompletableFuture().join();
    assertThat(alone.getJsonArray("topics")).hasSize(15);
    assertThat(alone.getInteger("total")).isEqualTo(TOPICS);
    JsonObject all = query.perNode(false).ofNode(new Source()).toCompletableFuture().join();
    assertThat(all.getJsonArray("topics")).hasSize(TOPICS);
  }
}
