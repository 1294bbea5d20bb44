package io.sluice.gateway;

import io.sluice.gateway.broker.kafka.ValueSchemas;
import io.sluice.gateway.broker.registry.RegistryOptions;
import io.sluice.gateway.broker.registry.SchemaRegistry;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.node.StartFailure;
import java.util.List;
import java.util.function.Supplier;

/** Schema registry of the Kafka source, whose module may be missing. Stateless, for any thread. */
final class KafkaSchemas {
  private KafkaSchemas() {}

  private static boolean isConfigured(Config config) {
    return !config.get(KafkaSettings.REGISTRY_URL).isEmpty();
  }

  /**
   * Returns the factory of the schemas of a valid configuration.
   *
   * @throws StartFailure if their module is missing
   */
  static Supplier<ValueSchemas> of(Config config) throws StartFailure {
    if (!isConfigured(config)) {
      return () -> ValueSchemas.ABSENT;
    }
    try {
      RegistryOptions options = RegistryOptions.of(config);
      return () -> new SchemaRegistry(options);
    } catch (NoClassDefFoundError missing) {
      throw StartFailure.missing(KafkaSettings.REGISTRY_URL, missing);
    }
  }

  /** Reports the problems of the registry's files, or that its module is missing. */
  static void check(ConfigFindings findings) {
    if (isConfigured(findings.config())) {
      StartFailure.reportMissing(
          findings, List.of(KafkaSettings.REGISTRY_URL), () -> checkTrust(findings));
    }
  }

  private static void checkTrust(ConfigFindings findings) {
    String problem = RegistryOptions.of(findings.config()).trustProblem();
    if (problem != null) {
      findings.report(problem, "a PEM file with certificates", KafkaSettings.REGISTRY_TRUST);
    }
  }
}
