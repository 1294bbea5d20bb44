package io.sluice.gateway.broker.contract;

import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.broker.provider.ProviderReport;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/** Reports of the contract as JSON. Stateless. */
public final class ProviderReports {
  /** Names of all capabilities, each of which is a check. */
  public static final List<String> CAPABILITIES =
      Arrays.stream(Capability.values()).map(Capability::word).toList();

  private ProviderReports() {}

  /** Returns the report of a provider, which a node reads. */
  public static JsonObject of(ProviderOptions options, List<ContractResult> results) {
    JsonArray capabilities = new JsonArray();
    JsonObject checks = new JsonObject();
    for (ContractResult each : results) {
      JsonObject result = new JsonObject().put("result", each.outcome().word());
      checks.put(
          each.check(), each.reason().isEmpty() ? result : result.put("reason", each.reason()));
      if (each.works() && CAPABILITIES.contains(each.check())) {
        capabilities.add(each.check());
      }
    }
    return new JsonObject()
        .put(ProviderReport.PROVIDER, options.provider())
        .put(ProviderReport.CONNECTION_FACTORY, options.connectionFactory())
        .put(ProviderReport.CAPABILITIES, capabilities)
        .put("checks", checks);
  }
}
