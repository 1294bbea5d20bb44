package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Node with small send buffers, its clients and their messages. Used by one thread. */
final class EgressScene implements AutoCloseable {
  private static final long MIB = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  final Publications publications;
  final TestNode node;

  private final TransportKind wire;
  private final TestPublisher publisher;
  private final SharedFrames shared = new SharedFrames();
  private final List<StreamClient> clients = new ArrayList<>();
  private final Map<String, Integer> published = new HashMap<>();

  /**
   * @param limits changes the configuration, which has no limits
   */
  EgressScene(
      TestBroker broker,
      TransportKind wire,
      Publications publications,
      UnaryOperator<Config> limits)
      throws JMSException {
    this.wire = wire;
    this.publications = publications;
    Config config = wire.configure(TestNode.config(broker.provider(), broker.url()));
    this.node = TestNode.start(limits.apply(unlimited(config)));
    this.publisher = new TestPublisher(broker.provider(), broker.url());
    await().atMost(TIMEOUT).until(() -> node.admin("/health/ready").statusCode() == 200);
  }

  private static Config unlimited(Config config) {
    return config
        .with(ServerSettings.EVENT_LOOPS, 2)
        .with(ServerSettings.SEND_BUFFER, 8L * 1024)
        .with(LimitSettings.PENDING_BYTES, 256 * MIB)
        .with(LimitSettings.SHARD_QUEUE_BYTES, 256 * MIB)
        .with(LimitSettings.FRAME_RATE, 0)
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(TimeoutSettings.IDLE, Duration.ofMinutes(10))
        .with(TimeoutSettings.CLOSE, Duration.ofMinutes(2));
  }

  void assumeWayIsThere() {
    wire.assumeSupported(node);
  }

  /**
   * Connects a client; closed with the scene.
   *
   * @param receiveBuffer 0 is the kernel's own choice. With less than 4 KiB, or with little and a
   *     reader that takes little at a time, kernels wait for window probes, each twice as long
   */
  StreamClient open(String name, Encoding encoding, int receiveBuffer, Pace pace) {
    RawWebSocket.Request request = wire.request(node).receiveBuffer(receiveBuffer);
    StreamCheck check = new StreamCheck(publications, shared, encoding);
    StreamClient client = StreamClient.open(name, request, encoding, pace, check);
    clients.add(client);
    return client;
  }

  /** Connects one client of each encoding that reads at full speed and subscribes to all topics. */
  List<StreamClient> openNeighbours() {
    List<StreamClient> neighbours = new ArrayList<>();
    for (Encoding encoding : Encoding.SLUICE) {
      neighbours.add(open("neighbour " + encoding, encoding, 0, Pace.quick()).subscribe(topics()));
    }
    return neighbours;
  }

  /** Returns a handshake for a client that the scene does not manage. */
  RawWebSocket.Request request() {
    return wire.request(node);
  }

  List<String> topics() {
    return publications.topics();
  }

  /** Publishes a topic's next message, if it has one. */
  void publishNext(String topic) {
    int number = published(topic) + 1;
    if (number <= publications.count(topic)) {
      publications.publish(publisher, topic, number);
      published.put(topic, number);
    }
  }

  int published(String topic) {
    return published.getOrDefault(topic, 0);
  }

  boolean isAllPublished() {
    return topics().stream().allMatch(topic -> published(topic) == publications.count(topic));
  }

  void publishAll() {
    while (!isAllPublished()) {
      topics().forEach(this::publishNext);
    }
  }

  /** Waits until clients have received all published messages of all topics. */
  void awaitPublished(List<StreamClient> receivers) {
    for (StreamClient client : receivers) {
      topics().forEach(topic -> client.awaitOffset(topic, published(topic)));
    }
  }

  /** Closes the remaining connections in order, after all sent messages. */
  void leave(List<StreamClient> leaving) {
    for (StreamClient client : leaving) {
      client.awaitAnswers();
      client.sendClose(1000);
      awaitClosed(client, 1000);
      client.close();
    }
    awaitConnections(0);
    awaitMetric("sluice_subscriptions", 0);
  }

  /** Waits until a client has received the node's close frame, at a valid position. */
  static void awaitClosed(StreamClient client, int code) {
    assertThat(client.awaitEnding()).as("%s", client).isEqualTo(StreamClient.Ending.CLOSED);
    client.throwFailure();
    assertThat(client.check().closeCode()).as("%s", client).isEqualTo(code);
  }

  void awaitConnections(int count) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(node.gateway().connections()).isEqualTo(count));
  }

  void awaitMetric(String sample, double value) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(node.metric(sample)).as(sample).isEqualTo(value));
  }

  @Override
  public void close() throws JMSException {
    clients.forEach(StreamClient::close);
    publisher.close();
    node.close();
  }
}
