package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import io.sluice.testkit.TestPublisher;

/** Publisher of texts to a {@link SourceServer}, which does not wait for it. One thread. */
@FunctionalInterface
public interface SourcePublisher {
  void text(String topic, String text) throws Exception;

  /** Connects to a server of a kind. */
  static SourcePublisher open(String kind, String url) throws Exception {
    switch (kind) {
      case "kafka" -> {
        KafkaTopics topics = new KafkaTopics(url);
        return (topic, text) -> topics.send(topic, null, null, text);
      }
      case "nats" -> {
        Connection client = Nats.connect(url);
        return (topic, text) -> client.publish(topic, text.getBytes(UTF_8));
      }
      default -> {
        TestPublisher publisher = new TestPublisher(kind, url);
        return publisher::text;
      }
    }
  }
}
