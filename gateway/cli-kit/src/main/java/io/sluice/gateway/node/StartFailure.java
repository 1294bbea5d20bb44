package io.sluice.gateway.node;

import static java.util.Map.entry;

import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.Setting;
import java.util.List;
import java.util.Map;

/** Failure of a node's start. Immutable; the message states the cause to the operator. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Modules that the class path may lack, by the packages of a class that is missing then. */
  private static final Map<String, List<String>> MODULES =
      Map.ofEntries(
          entry("io/sluice/cluster", List.of("cluster")),
          entry("io/sluice/gateway/admin", List.of("admin")),
          entry("io/sluice/gateway/audit/file", List.of("audit")),
          entry("io/sluice/gateway/cli/admin", List.of("operator-cli")),
          entry("io/sluice/gateway/cli/demo", List.of("demo")),
          entry("io/sluice/gateway/cli/doctor", List.of("operator-cli")),
          entry("io/sluice/gateway/cli/training", List.of("operator-cli")),
          entry("io/sluice/gateway/broker/contract", List.of("provider-kit")),
          entry("io/sluice/gateway/broker/jms", List.of("source-jms")),
          entry("io/sluice/gateway/broker/provider", List.of("jms-providers")),
          entry("io/sluice/gateway/broker/kafka", List.of("source-kafka")),
          entry("io/sluice/gateway/broker/nats", List.of("source-nats")),
          entry("io/sluice/gateway/broker/queue", List.of("queues")),
          entry("io/sluice/gateway/session/queue", List.of("queues")),
          entry("io/sluice/gateway/broker/forward", List.of("node-queues")),
          entry("io/sluice/gateway/multicast", List.of("node-multicast")),
          entry("io/sluice/gateway/broker/registry", List.of("kafka-registry")),
          entry("io/sluice/gateway/link", List.of("source-node")),
          entry("io/sluice/gateway/journal", List.of("durable")),
          entry("io/sluice/gateway/membership", List.of("membership", "cluster")),
          entry("io/sluice/gateway/mqtt", List.of("mqtt")),
          entry("io/sluice/gateway/presence", List.of("presence")),
          entry("io/sluice/gateway/stomp", List.of("stomp")),
          entry("io/sluice/gateway/streams", List.of("http-streams")),
          entry("org/apache/activemq", List.of("jms-providers")),
          entry("org/apache/kafka", List.of("source-kafka")),
          entry("io/nats", List.of("source-nats")));

  /** Creates a failure. */
  public StartFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns the failure of a key whose module is missing.
   *
   * @throws NoClassDefFoundError the same error, if no module has the class
   */
  public static StartFailure missing(Setting<?> setting, NoClassDefFoundError error) {
    return new StartFailure(setting.key() + ": " + missing(error), error);
  }

  /** Runs a check by a module; reports those of its keys that are set, if the module is missing. */
  public static void reportMissing(ConfigFindings findings, List<Setting<?>> keys, Runnable check) {
    try {
      check.run();
    } catch (NoClassDefFoundError error) {
      String what = missing(error);
      keys.stream().filter(findings::isGiven).forEach(each -> findings.report(what, "", each));
    }
  }

  /**
   * Returns which archives are missing.
   *
   * @throws NoClassDefFoundError the same error, if no module has the class
   */
  public static String missing(NoClassDefFoundError error) {
    String type = String.valueOf(error.getMessage());
    return MODULES.entrySet().stream()
        .filter(each -> type.startsWith(each.getKey() + "/"))
        .map(each -> missing(each.getValue()))
        .findFirst()
        .orElseThrow(() -> error);
  }

  private static String missing(List<String> modules) {
    return "requires sluice-"
        + String.join("-*.jar and sluice-", modules)
        + "-*.jar, which "
        + (modules.size() == 1 ? "is" : "are")
        + " not on the class path";
  }
}
