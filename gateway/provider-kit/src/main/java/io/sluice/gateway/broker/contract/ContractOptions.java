package io.sluice.gateway.broker.contract;

import io.sluice.gateway.broker.jms.JmsOptions;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.broker.queue.QueueOptions;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Options of one run of the contract. Immutable, for any thread.
 *
 * @param base first levels of topics and queues, new for each run
 * @param config configuration of the run
 * @param jms options of the connection, with all capabilities
 * @param queues options of queues
 * @param requests limits of requests
 * @param wrong options with a wrong password; null if the configuration has no user
 * @param nodes options of two nodes with client IDs
 * @param messageBytes maximum payload of a message in bytes
 */
public record ContractOptions(
    String base,
    Config config,
    JmsOptions jms,
    QueueOptions queues,
    RequestLimits requests,
    ProviderOptions wrong,
    List<ProviderOptions> nodes,
    long messageBytes) {
  /** Properties of messages that the checks publish. */
  static final String TEXT = "sluiceText";

  static final String LONG = "sluiceLong";
  static final String DOUBLE = "sluiceDouble";
  static final String FLAG = "sluiceFlag";

  /**
   * Creates the options for the provider of a configuration.
   *
   * @param prefix first levels of topics and queues
   */
  public static ContractOptions of(Config configured, String prefix) {
    String base = prefix + "." + UUID.randomUUID().toString().substring(0, 8);
    List<String> forwarded =
        Stream.concat(
                configured.get(BrokerSettings.FORWARD_PROPERTIES).stream(),
                Stream.of(TEXT, LONG, DOUBLE, FLAG))
            .distinct()
            .toList();
    Config config =
        configured
            .with(BrokerSettings.CLIENT_ID, "") // a node may use it
            .with(BrokerSettings.REPORT, "")
            .with(BrokerSettings.CAPABILITIES, ProviderReports.CAPABILITIES)
            .with(BrokerSettings.FORWARD_PROPERTIES, forwarded)
            .with(TopicSettings.QUEUES_DEAD_LETTER, base + ".dead");
    return new ContractOptions(
        base,
        config,
        JmsOptions.of(config),
        QueueOptions.of(config),
        RequestLimits.of(config),
        config.get(BrokerSettings.USER).isEmpty() ? null : wrong(config),
        Stream.of(base + ".one", base + ".other")
            .map(id -> ProviderOptions.of(config.with(BrokerSettings.CLIENT_ID, id)))
            .toList(),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES));
  }

  /**
   * Returns the address of the broker that a relay can replace.
   *
   * @throws Unchecked if there is none
   */
  RelayOptions relay() throws Unchecked {
    return RelayOptions.of(config);
  }

  /** Returns the options with another address of the broker. */
  ContractOptions through(RelayOptions relay, String host, int port) {
    Config other = relay.with(host, port);
    return new ContractOptions(
        base, other, JmsOptions.of(other), queues, requests, wrong, nodes, messageBytes);
  }

  /** Returns the time without a test message after which the broker is lost; 0: there are none. */
  long canaryTimeoutMs() {
    return config.get(BrokerSettings.CANARY_PREFIX).isEmpty()
        ? 0
        : config.get(BrokerSettings.CANARY_TIMEOUT).toMillis();
  }

  private static ProviderOptions wrong(Config config) {
    return ProviderOptions.of(
        config
            .with(BrokerSettings.PASSWORD_FILE, "")
            .with(BrokerSettings.PASSWORD, UUID.randomUUID().toString()));
  }
}
