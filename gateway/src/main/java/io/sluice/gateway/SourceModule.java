package io.sluice.gateway;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.jms.BrokerRules;
import io.sluice.gateway.broker.jms.JmsBroker;
import io.sluice.gateway.broker.jms.JmsOptions;
import io.sluice.gateway.broker.jms.QueueSupport;
import io.sluice.gateway.broker.kafka.KafkaOptions;
import io.sluice.gateway.broker.kafka.KafkaRules;
import io.sluice.gateway.broker.kafka.KafkaSource;
import io.sluice.gateway.broker.kafka.ValueSchemas;
import io.sluice.gateway.broker.nats.NatsOptions;
import io.sluice.gateway.broker.nats.NatsRules;
import io.sluice.gateway.broker.nats.NatsSource;
import io.sluice.gateway.broker.provider.ProviderClasses;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.hub.SourceParts;
import io.sluice.gateway.link.LinkRules;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.node.StartFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Kinds of sources of a node's messages, whose modules may be missing. */
enum SourceModule {
  // Other sources use some of the keys.
  JMS(BrokerSettings.URL, List.of()) {
    @Override
    Opener opened(ConfiguredSource source, Config config, Parts parts) {
      JmsOptions options = JmsOptions.of(config);
      QueueSupport.Factory support =
          parts.queues().support() == null ? QueueSupport.ABSENT : parts.queues().support();
      return (control, listener, metrics) ->
          new JmsBroker(options, support, control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings, boolean configured) {
      BrokerRules.check(findings);
      if (configured) {
        ProviderClasses.problems(ProviderOptions.of(findings.config()))
            .forEach(
                found ->
                    findings.reportEntry(
                        found.what(), found.expected(), found.setting(), found.entry()));
      }
    }
  },

  KAFKA(KafkaSettings.SERVERS, KafkaSettings.ALL) {
    @Override
    Opener opened(ConfiguredSource source, Config config, Parts parts) throws StartFailure {
      KafkaOptions options = KafkaOptions.of(config);
      Supplier<ValueSchemas> schemas = KafkaSchemas.of(config);
      return (control, listener, metrics) ->
          new KafkaSource(options, schemas.get(), control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings, boolean configured) {
      KafkaRules.check(findings);
      if (configured) {
        KafkaRules.checkClients(findings);
        KafkaSchemas.check(findings);
      }
    }
  },

  NATS(NatsSettings.SERVERS, NatsSettings.ALL) {
    @Override
    Opener opened(ConfiguredSource source, Config config, Parts parts) {
      NatsOptions options = NatsOptions.of(config);
      return (control, listener, metrics) -> new NatsSource(options, control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings, boolean configured) {
      NatsRules.check(findings);
    }
  },

  NODE(LinkSettings.ROOTS, LinkSettings.ALL) {
    @Override
    Opener opened(ConfiguredSource source, Config config, Parts parts) {
      return NodeRoots.of(config).stream()
          .filter(each -> each.source().equals(source.name()))
          .map(parts.links()::source)
          .findFirst()
          .orElseThrow();
    }

    @Override
    void findProblems(ConfigFindings findings, boolean configured) {
      LinkRules.check(findings);
    }
  };

  private final Setting<?> key;
  private final List<Setting<?>> keys;

  /**
   * @param key key that configures the source
   * @param keys all keys of the module
   */
  SourceModule(Setting<?> key, List<Setting<?>> keys) {
    this.key = key;
    this.keys = keys;
  }

  /** Factory of a node's source. */
  @FunctionalInterface
  interface Opener {
    /** Creates the source, which does not connect yet. */
    Broker open(ScheduledExecutorService control, BrokerListener listener, GatewayMetrics metrics);
  }

  /**
   * Parts of the node that sources use.
   *
   * @param links links to other nodes
   */
  record Parts(NodeQueues queues, LinkModule links) {}

  private static SourceModule of(ConfiguredSource source) {
    return Stream.of(values()).filter(each -> each.key == source.key()).findFirst().orElseThrow();
  }

  /**
   * Returns the sources of a valid configuration.
   *
   * @throws StartFailure if the module of one is missing
   */
  static List<SourceParts> parts(
      Config config, Parts used, ScheduledExecutorService control, GatewayMetrics metrics)
      throws StartFailure {
    List<SourceParts> parts = new ArrayList<>();
    for (ConfiguredSource source : ConfiguredSource.of(config)) {
      Opener opener = of(source).opener(source, config, used);
      metrics.brokerConnected(source.name(), false);
      parts.add(
          new SourceParts(
              source.name(), source.topics(), listener -> opener.open(control, listener, metrics)));
    }
    return List.copyOf(parts);
  }

  /**
   * Returns the factory of the source.
   *
   * @throws StartFailure if its module is missing
   */
  private Opener opener(ConfiguredSource source, Config config, Parts parts) throws StartFailure {
    try {
      return opened(source, config, parts);
    } catch (NoClassDefFoundError missing) {
      throw StartFailure.missing(key, missing);
    }
  }

  abstract Opener opened(ConfiguredSource source, Config config, Parts parts) throws StartFailure;

  /** Reports the problems of the sources' keys, or that their modules are missing. */
  static void check(ConfigFindings findings) {
    List<SourceModule> configured =
        ConfiguredSource.of(findings.config()).stream().map(SourceModule::of).toList();
    for (SourceModule each : values()) {
      each.check(findings, configured.contains(each));
    }
  }

  private void check(ConfigFindings findings, boolean configured) {
    try {
      findProblems(findings, configured);
    } catch (NoClassDefFoundError missing) {
      String what = StartFailure.missing(missing);
      Stream<Setting<?>> required = configured ? Stream.of(key) : Stream.empty();
      Stream.concat(required, keys.stream().filter(findings::isGiven))
          .distinct()
          .forEach(each -> findings.report(what, "", each));
    }
  }

  /**
   * Reports the problems of the module's keys.
   *
   * @param configured whether the node has the source
   */
  abstract void findProblems(ConfigFindings findings, boolean configured);
}
