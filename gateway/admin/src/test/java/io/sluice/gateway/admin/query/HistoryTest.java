package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.query.NodeTotals;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

final class HistoryTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private static NodeTotals totals(long count) {
    return new NodeTotals(5, count, 10 * count, 100 * count, new NodeTotals.Latency(1, 2, 3), 4);
  }

  @Test
  void shouldReturnRatesSinceTheLatestSample() {
    History history = new History(totals(0), 0);
    history.add(totals(100), 10_004, 10 * SECOND_NS);
    JsonObject sample = history.json().getJsonObject(0);
    assertThat(sample.getLong("at")).isEqualTo(10_000);
    assertThat(sample.getDouble("messages-rate")).isEqualTo(10);
    assertThat(sample.getDouble("frames-rate")).isEqualTo(100);
    assertThat(sample.getDouble("bytes-rate")).isEqualTo(1_000);
    JsonObject soon = history.sample(totals(102), 12 * SECOND_NS);
    assertThat(soon.getDouble("messages-rate")).isEqualTo(8.5); // since the sample before
    JsonObject later = history.sample(totals(105), 15 * SECOND_NS);
    assertThat(later.getDouble("messages-rate")).isEqualTo(1);
  }

  @Test
  void shouldRemoveTheOldestSampleAboveAnHour() {
    History history = new History(totals(0), 0);
    for (int i = 1; i <= History.MAX_SAMPLES + 1; i++) {
      history.add(totals(i), i * History.INTERVAL_MS, i * SECOND_NS);
    }
    assertThat(history.json()).hasSize(History.MAX_SAMPLES);
    assertThat(history.json().getJsonObject(0).getLong("at")).isEqualTo(2 * History.INTERVAL_MS);
  }

  @Test
  void shouldMergeSamplesByTheirTime() {
    History history = new History(totals(0), 0);
    history.add(totals(100), 10_004, 10 * SECOND_NS);
    History later = new History(totals(0), 0);
    later.add(totals(50), 9_996, 10 * SECOND_NS);
    later.add(totals(50), 20_000, 20 * SECOND_NS);
    OverviewQuery query = new OverviewQuery(history, "");
    Query.Merge merge = query.merge();
    for (History each : new History[] {history, later}) {
      JsonObject now = each.sample(totals(100), 20 * SECOND_NS).put("node", "gw");
      merge.add(
          new JsonObject()
              .put("by-node", new JsonArray().add(now.put("broker", "")))
              .put("history", each.json()));
    }
    JsonObject result = merge.result();
    assertThat(result.getJsonObject("cluster").getLong("clients")).isEqualTo(10);
    assertThat(result.getJsonArray("history")).hasSize(2);
    assertThat(result.containsKey("alerts-url")).isFalse();
    JsonObject first = result.getJsonArray("history").getJsonObject(0);
    assertThat(first.getLong("clients")).isEqualTo(10);
    assertThat(first.getDouble("messages-rate")).isEqualTo(10);
    assertThat(first.getDouble("frames-rate")).isEqualTo(150);
  }

  @Test
  void shouldCountANodeOnceInASample() {
    History history = new History(totals(0), 0);
    history.add(totals(100), 5_001, 10 * SECOND_NS);
    history.add(totals(200), 14_999, 20 * SECOND_NS); // rounded to the same time
    JsonObject now = history.sample(totals(200), 30 * SECOND_NS).put("node", "gw");
    Query.Merge merge = new OverviewQuery(history, "").merge();
    merge.add(
        new JsonObject()
            .put("by-node", new JsonArray().add(now.put("broker", "")))
            .put("history", history.json()));
    JsonArray samples = merge.result().getJsonArray("history");
    assertThat(samples).hasSize(1);
    assertThat(samples.getJsonObject(0).getLong("clients")).isEqualTo(5);
  }

  @Test
  void shouldReturnNoLatencyWithoutFrames() {
    History history = new History(totals(10), 0);
    JsonObject idle = history.sample(totals(10), 10 * SECOND_NS);
    assertThat(idle.fieldNames()).noneMatch(name -> name.startsWith("latency"));
    NodeTotals unknown = new NodeTotals(5, 20, 200, 2_000, NodeTotals.Latency.NONE, 4);
    JsonObject others = history.sample(unknown, 10 * SECOND_NS); // frames other than messages
    assertThat(others.fieldNames()).noneMatch(name -> name.startsWith("latency"));
    JsonObject busy = history.sample(totals(20), 10 * SECOND_NS);
    assertThat(busy.getDouble("latency-p99-ms")).isEqualTo(2);
  }

  @Test
  void shouldMergeTheLatenciesOfNodesWithTraffic() {
    History history = new History(totals(0), 0);
    Query.Merge merge = new OverviewQuery(history, "").merge();
    for (NodeTotals each : new NodeTotals[] {totals(0), totals(5), totals(0)}) {
      JsonObject now = history.sample(each, 10 * SECOND_NS).put("node", "gw").put("broker", "");
      merge.add(
          new JsonObject()
              .put("by-node", new JsonArray().add(now))
              .put("history", new JsonArray()));
    }
    JsonObject cluster = merge.result().getJsonObject("cluster");
    assertThat(cluster.getDouble("latency-p99-ms")).isEqualTo(2);
  }
}
