package io.sluice.gateway.cli.doctor;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Findings of a running node about its broker. Stateless, for any thread. */
public final class BrokerChecks {
  private static final String CHECK = "broker discards";

  private BrokerChecks() {}

  /** Returns the findings in a node's response to {@code /overview?scope=node}. */
  public static List<Finding> of(JsonObject overview) {
    JsonObject node =
        overview.getJsonArray("by-node", new JsonArray()).stream()
            .map(JsonObject.class::cast)
            .findFirst()
            .orElseGet(JsonObject::new);
    JsonArray risks = node.getJsonArray("broker-risks", new JsonArray());
    String broker = node.getString("broker", "connected");
    if (risks.isEmpty() && broker.contains("not connected")) {
      return List.of(Finding.unknown(CHECK, "broker: " + broker, ""));
    }
    return risks.isEmpty()
        ? List.of(Finding.ok(CHECK, "the node knows of none", ""))
        : risks.stream().map(JsonObject.class::cast).map(BrokerChecks::finding).toList();
  }

  // The configuration of the broker is not that of this machine: nothing is to change here.
  private static Finding finding(JsonObject risk) {
    return Finding.unknown(
        CHECK + " of " + risk.getString("address", ""),
        risk.getString("setting", "") + " " + risk.getString("value", ""),
        risk.getString("effect", ""));
  }
}
