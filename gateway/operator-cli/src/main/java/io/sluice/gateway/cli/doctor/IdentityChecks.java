package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.KafkaSettings;
import java.util.List;

/** Check of the configured identity of messages. Stateless, for any thread. */
final class IdentityChecks {
  private static final String WHY =
      "without verified ids, a client that moves to another node is never recovered";

  private IdentityChecks() {}

  static List<Finding> of(Config config) {
    String check = "identity of messages";
    if (!ConfiguredSource.hasJmsBroker(config)) {
      String numbers =
          config.get(KafkaSettings.SERVERS).isEmpty()
              ? "sequence in a stream of NATS; core subjects have none"
              : "partition and offset of Kafka";
      return List.of(Finding.ok(check, numbers, WHY));
    }
    String property = config.get(BrokerSettings.IDENTITY_PROPERTY);
    if (!property.isEmpty()) {
      return List.of(Finding.ok(check, "the property " + property, WHY));
    }
    if (config.get(BrokerSettings.CANARY_PREFIX).isEmpty()) {
      return List.of(
          Finding.change(
              check,
              "not verifiable, because broker.canary.prefix is empty",
              "canaries, or broker.identity-property",
              WHY,
              Remedy.config(
                  BrokerSettings.CANARY_PREFIX.key(),
                  BrokerSettings.CANARY_PREFIX.defaultValue())));
    }
    return List.of(
        Finding.unknown(
            check,
            "verified by the running node",
            WHY + ": see identity in hello, or sluice_broker_identity"));
  }
}
