package io.sluice.gateway.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

final class QueryTextTest {
  private static JsonObject alerts(JsonObject... firing) {
    return new JsonObject()
        .put("configured", true)
        .put("alerts", JsonArray.of((Object[]) firing))
        .put("total", firing.length);
  }

  @Test
  void shouldPrintFiringAlerts() {
    JsonObject alert =
        new JsonObject()
            .put("name", "SluiceGone")
            .put("severity", "critical")
            .put("since", 1_795_802_400_500L)
            .put("summary", "No node\nreports metrics.");
    assertThat(QueryText.alerts(alerts(alert)))
        .containsExactly(
            "",
            "alert       severity  since                 summary",
            "SluiceGone  critical  2026-11-27T18:00:00Z  No node?reports metrics.");
  }

  @Test
  void shouldPrintThatNoAlertIsFiringOrWhyTheyAreUnknown() {
    assertThat(QueryText.alerts(alerts())).containsExactly("", "no alert is firing");
    assertThat(QueryText.alerts(alerts().put("unknown", "status 503")))
        .containsExactly("", "alerts unknown: status 503");
  }

  @Test
  void shouldPrintNothingWithoutASourceOfAlerts() {
    assertThat(QueryText.alerts(new JsonObject().put("configured", false))).isEmpty();
  }

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
