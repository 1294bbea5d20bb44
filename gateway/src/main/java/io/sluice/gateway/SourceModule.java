package io.sluice.gateway;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.jms.JmsBroker;
import io.sluice.gateway.broker.jms.JmsOptions;
import io.sluice.gateway.broker.jms.QueueSupport;
import io.sluice.gateway.broker.kafka.KafkaOptions;
import io.sluice.gateway.broker.kafka.KafkaSource;
import io.sluice.gateway.broker.nats.NatsOptions;
import io.sluice.gateway.broker.nats.NatsSource;
import io.sluice.gateway.broker.provider.ProviderClasses;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/** Kinds of source of a node's messages, whose modules may be missing. */
enum SourceModule {
  JMS(BrokerSettings.URL, "source-jms", "gateway/broker/jms", "gateway/broker/provider") {
    @Override
    Opener opened(Config config, NodeQueues queues) {
      JmsOptions options = JmsOptions.of(config);
      QueueSupport.Factory support =
          queues.support() == null ? QueueSupport.ABSENT : queues.support();
      return (control, listener, metrics) ->
          new JmsBroker(options, support, control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings) {
      ProviderClasses.problems(ProviderOptions.of(findings.config()))
          .forEach(
              found ->
                  findings.reportEntry(
                      found.what(), found.expected(), found.setting(), found.entry()));
    }
  },

  KAFKA(KafkaSettings.SERVERS, "source-kafka", "gateway/broker/kafka", "org/apache/kafka") {
    @Override
    Opener opened(Config config, NodeQueues queues) {
      KafkaOptions options = KafkaOptions.of(config);
      return (control, listener, metrics) -> new KafkaSource(options, control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings) {
      String problem = KafkaOptions.of(findings.config()).problem();
      if (problem != null) {
        findings.report(problem, "properties of Kafka clients", KafkaSettings.PROPERTIES);
      }
    }
  },

  NATS(NatsSettings.SERVERS, "source-nats", "gateway/broker/nats") {
    @Override
    Opener opened(Config config, NodeQueues queues) {
      NatsOptions options = NatsOptions.of(config);
      return (control, listener, metrics) -> new NatsSource(options, control, listener, metrics);
    }

    @Override
    void findProblems(ConfigFindings findings) {
      NatsOptions.of(findings.config()); // fails without the module
    }
  };

  private final Setting<?> key;
  private final String module;
  private final String[] folders;

  SourceModule(Setting<?> key, String module, String... folders) {
    this.key = key;
    this.module = module;
    this.folders = folders;
  }

  /** Factory of a node's source. */
  @FunctionalInterface
  interface Opener {
    /** Creates the source, which does not connect yet. */
    Broker open(ScheduledExecutorService control, BrokerListener listener, GatewayMetrics metrics);
  }

  /** Returns the source of a valid configuration. */
  static SourceModule of(Config config) {
    for (SourceModule each : List.of(values())) {
      if (each != JMS && !config.get(each.key).equals(each.key.defaultValue())) {
        return each;
      }
    }
    return JMS;
  }

  /**
   * Returns the factory of the source.
   *
   * @throws StartFailure if its module is missing
   */
  Opener opener(Config config, NodeQueues queues) throws StartFailure {
    try {
      return opened(config, queues);
    } catch (NoClassDefFoundError missing) {
      StartFailure.requireMissing(missing, folders);
      throw StartFailure.missing(key, missing, module);
    }
  }

  abstract Opener opened(Config config, NodeQueues queues);

  /** Reports the problems of the source's keys, or that its module is missing. */
  static void check(ConfigFindings findings) {
    SourceModule source = of(findings.config());
    try {
      source.findProblems(findings);
    } catch (NoClassDefFoundError missing) {
      StartFailure.requireMissing(missing, source.folders);
      findings.report(StartFailure.missing(source.module), "", source.key);
    }
  }

  abstract void findProblems(ConfigFindings findings);
}
