package io.sluice.gateway;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.StreamConfiguration;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Server of a kind of source: {@code artemis}, {@code classic}, {@code kafka} or {@code nats}. */
public final class SourceServer implements AutoCloseable {
  private final String kind;
  private final String url;
  private final Runnable stop;
  private final List<String> topics = new ArrayList<>();

  private SourceServer(String kind, String url, Runnable stop) {
    this.kind = kind;
    this.url = url;
    this.stop = stop;
  }

  /**
   * Starts a server.
   *
   * @param folder empty folder for its data, which JMS brokers do not use
   */
  public static SourceServer start(String kind, Path folder) throws Exception {
    switch (kind) {
      case "kafka" -> {
        KafkaProcess kafka = KafkaProcess.start(folder);
        return new SourceServer(kind, kafka.server(), kafka::close);
      }
      case "nats" -> {
        NatsServer nats = NatsServer.start(NatsServer.provide().orElseThrow(), folder);
        return new SourceServer(kind, nats.url(), nats::close);
      }
      default -> {
        TestBroker broker = TestBroker.start(kind);
        return new SourceServer(kind, broker.url(), broker::close);
      }
    }
  }

  public String kind() {
    return kind;
  }

  public String url() {
    return url;
  }

  public boolean isJms() {
    return !kind.equals("kafka") && !kind.equals("nats");
  }

  /** Creates topics of one partition each: Kafka topics, or streams of NATS. */
  public SourceServer create(List<String> names) throws Exception {
    return create(names, 1);
  }

  /** Creates topics. Only those of Kafka have more than one partition. */
  public SourceServer create(List<String> names, int partitions) throws Exception {
    topics.addAll(names);
    if (kind.equals("kafka")) {
      try (KafkaTopics kafka = new KafkaTopics(url)) {
        for (String name : names) {
          kafka.create(name, partitions);
        }
      }
    } else if (kind.equals("nats")) {
      Connection client = Nats.connect(url);
      for (String name : names) {
        StreamConfiguration stream =
            StreamConfiguration.builder().name(name.replaceAll("\\W", "-")).subjects(name).build();
        client.jetStreamManagement().addStream(stream);
      }
      client.close();
    }
    return this;
  }

  /** Returns the configuration of a node in this process. */
  public Config config() {
    return switch (kind) {
      case "kafka" ->
          TestNode.config("artemis", "")
              .with(KafkaSettings.SERVERS, List.of(url))
              .with(KafkaSettings.TOPICS, topics);
      case "nats" -> TestNode.config("artemis", "").with(NatsSettings.SERVERS, List.of(url));
      default -> TestNode.config(kind, url);
    };
  }

  /** Returns the keys of a node's source, in YAML. */
  public String yaml() {
    return switch (kind) {
      case "kafka" ->
          "kafka: {servers: ['%s'], topics: ['%s']}\n".formatted(url, String.join("','", topics));
      case "nats" -> "nats: {servers: ['%s']}\n".formatted(url);
      default -> "broker: {provider: %s, url: '%s'}\n".formatted(kind, url);
    };
  }

  @Override
  public void close() {
    stop.run();
  }
}
