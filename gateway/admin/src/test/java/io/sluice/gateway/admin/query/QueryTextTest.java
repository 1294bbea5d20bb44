package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

final class QueryTextTest {
  @Test
  void shouldPrintADashForAMissingLatency() {
    JsonObject figures =
        new JsonObject()
            .put("clients", 0)
            .put("messages-rate", 0.0)
            .put("frames-rate", 0.0)
            .put("bytes-rate", 0.0)
            .put("loop-lag-ms", 0.1);
    JsonObject node = figures.copy().put("node", "gw-1").put("broker", "connected");
    JsonObject overview =
        new JsonObject().put("by-node", JsonArray.of(node)).put("cluster", figures);
    assertThat(QueryText.overview(overview).get(1))
        .matches("gw-1 +connected +0 +0\\.0 +0\\.0 +0\\.0 +- +- +- +0\\.1");
  }
}
