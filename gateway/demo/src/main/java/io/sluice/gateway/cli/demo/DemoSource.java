package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Ports;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedSender;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.JmsFeedSender;
import io.sluice.gateway.feed.KafkaFeedSender;
import io.sluice.gateway.feed.NatsFeedSender;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Kinds of source of the demo, and their servers. Stateless, for any thread. */
enum DemoSource {
  JMS {
    @Override
    BrokerChild start(int port, Path folder) {
      return BrokerChild.start(port, null, Duration.ZERO);
    }

    @Override
    void configure(Configuration demo, List<String> servers) {
      // It starts its broker.
    }

    @Override
    Config config(Config config, List<String> servers) {
      return config
          .with(BrokerSettings.URL, servers.get(0))
          .with(TopicSettings.QUEUES_SEND, OPEN_QUEUES)
          .with(TopicSettings.QUEUES_CONSUME, OPEN_QUEUES)
          .with(TopicSettings.QUEUES_BROWSE, OPEN_QUEUES);
    }

    @Override
    FeedSender.Source senders(List<String> servers) {
      return JmsFeedSender.source(FeedTarget.of(servers.get(0), FeedProvider.ARTEMIS));
    }
  },

  KAFKA {
    @Override
    BrokerChild start(int port, Path folder) {
      String server = program("kafka-server-start", "kafka-server-start.sh");
      String storage = program("kafka-storage", "kafka-storage.sh");
      Path file = folder.resolve("server.properties");
      int clients = port == 0 ? Ports.free() : port;
      write(file, KAFKA_PROPERTIES.formatted(clients, Ports.free(), folder.resolve("data")));
      List<String> command =
          List.of("/bin/sh", "-c", FORMAT_AND_RUN, storage, CLUSTER, file.toString(), server);
      return run(command, clients, "127.0.0.1:" + clients, folder);
    }

    @Override
    void configure(Configuration demo, List<String> servers) {
      demo.withAll(KafkaSettings.SERVERS, servers, SERVERS);
      demo.withAll(KafkaSettings.KEYED_TOPICS, LEVELS, "sluice demo");
    }

    @Override
    Config config(Config config, List<String> servers) {
      return config.with(KafkaSettings.SERVERS, servers).with(KafkaSettings.KEYED_TOPICS, LEVELS);
    }

    @Override
    FeedSender.Source senders(List<String> servers) {
      return KafkaFeedSender.source(servers, LEVELS);
    }
  },

  NATS {
    @Override
    BrokerChild start(int port, Path folder) {
      int clients = port == 0 ? Ports.free() : port;
      List<String> command =
          List.of(
              program("nats-server"),
              "-a",
              "127.0.0.1",
              "-p",
              "" + clients,
              "-js",
              "-sd",
              folder.toString());
      return run(command, clients, "nats://127.0.0.1:" + clients, folder);
    }

    @Override
    void configure(Configuration demo, List<String> servers) {
      demo.withAll(NatsSettings.SERVERS, servers, SERVERS);
    }

    @Override
    Config config(Config config, List<String> servers) {
      return config.with(NatsSettings.SERVERS, servers);
    }

    @Override
    FeedSender.Source senders(List<String> servers) {
      return NatsFeedSender.source(servers, LEVELS);
    }
  };

  /** Option with addresses of running servers. */
  static final String SERVERS = "--servers";

  /** Queue to which visitors may publish. */
  private static final List<String> OPEN_QUEUES = List.of("orders");

  /** First levels of all topics. */
  private static final List<String> LEVELS = List.of("stocks", "chat");

  private static final String CLUSTER = "c2x1aWNlLWRlbW8tMDAwMQ";
  private static final String FORMAT_AND_RUN =
      "\"$0\" format --ignore-formatted --standalone -t \"$1\" -c \"$2\" && exec \"$3\" \"$2\"";

  private static final Duration START = Duration.ofMinutes(2);

  private static final String KAFKA_PROPERTIES =
      """
      process.roles=broker,controller
      node.id=1
      listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
      controller.listener.names=CONTROLLER
      controller.quorum.bootstrap.servers=127.0.0.1:%2$d
      log.dirs=%3$s
      offsets.topic.replication.factor=1
      """;

  /**
   * Runs a server until standard input is closed, and prints when its port ($1) accepts
   * connections. $2: address for clients, $3: file for its output.
   */
  private static final String RUN =
      """
      port=$1 url=$2 log=$3; shift 3
      trap '' INT HUP
      exec 3<&0
      "$@" </dev/null >>"$log" 2>&1 3<&- & server=$!
      { cat <&3; kill $server; } >/dev/null 2>&1 &
      until (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do
        kill -0 $server 2>/dev/null || { echo "BROKER FAILED $(tail -n 1 "$log")"; exit 1; }
        sleep 0.1
      done
      echo "BROKER READY $url"
      wait $server
      """;

  /**
   * Starts a server.
   *
   * @param port listen port; 0: any free port
   * @param folder folder for its data, which is kept until the end of the demo
   */
  abstract BrokerChild start(int port, Path folder);

  /** Adds running servers to a configuration that will be validated. */
  abstract void configure(Configuration demo, List<String> servers);

  /** Returns the configuration of a node of the servers. */
  abstract Config config(Config config, List<String> servers);

  /** Returns the connections of the feed. */
  abstract FeedSender.Source senders(List<String> servers);

  private static BrokerChild run(List<String> server, int port, String url, Path folder) {
    List<String> command = new ArrayList<>(List.of("bash", "-c", RUN, "bash", "" + port, url));
    command.add(folder.resolve("server.log").toString());
    command.addAll(server);
    return BrokerChild.start(command, START);
  }

  /** Returns the path of a program by one of its names. */
  String program(String... names) {
    for (String name : names) {
      Optional<String> found =
          Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
              .map(folder -> Path.of(folder, name))
              .filter(Files::isExecutable)
              .map(Path::toString)
              .findFirst();
      if (found.isPresent()) {
        return found.get();
      }
    }
    throw new CommandFailure(
        "no %s is in PATH; install it, or set --servers to those of a running %s"
            .formatted(names[0], this == NATS ? "NATS server" : "Kafka cluster"));
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new CommandFailure("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
