package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages larger than the heap of a node, at a real broker. */
@Tag("full")
final class LargeMessagesIT {
  private static final String HEAP = "-Xmx112m";
  private static final long HUGE = 160L << 20;
  private static final String LARGE = "large";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir Path folder;

  /** Zeros of a length, without memory for them. */
  private static final class Zeros extends InputStream {
    private long left;

    Zeros(long length) {
      left = length;
    }

    @Override
    public int read() {
      return left-- > 0 ? 0 : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      int count = (int) Math.min(left, length);
      java.util.Arrays.fill(bytes, offset, offset + count, (byte) 0);
      left -= count;
      return count == 0 ? -1 : count;
    }
  }

  // On a loaded machine, a message delays the canaries behind it by more than their timeout.
  private NodeProcess start(ArtemisProcess broker) {
    String settings =
        """
        broker.url: "%s"
        broker.canary.timeout: 2m
        broker.durable: ["kept.>"]
        broker.client-id: node
        journal.folder: "%s"
        queues.consume: [">"]
        queues.browse: [">"]
        queues.send: [">"]
        """
            .formatted(broker.url(), folder.resolve("journal"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return NodeProcess.start(
        folder,
        settings,
        List.of(
            java,
            HEAP,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "io.sluice.gateway.cli.Sluice"));
  }

  private static RawWebSocket client(NodeProcess node) {
    return RawWebSocket.to(node.host(), node.port(), "/ws").timeout(TIMEOUT).open();
  }

  private static void send(String url, String address, RoutingType routing, long... sizes)
      throws Exception {
    try (ServerLocator locator = ActiveMQClient.createServerLocator(url);
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession(true, true)) {
      ClientProducer producer = session.createProducer(address);
      for (long size : sizes) {
        ClientMessage message = session.createMessage(Message.TEXT_TYPE, true);
        message.setRoutingType(routing);
        message.putStringProperty("kind", "size-" + size);
        if (size == 0) {
          message.getBodyBuffer().writeNullableSimpleString(SimpleString.of("small"));
        } else {
          message.setBodyInputStream(new Zeros(size));
        }
        producer.send(message);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain.1", "kept.1"})
  void shouldReportMessagesAboveTheHeapAsTooLarge(String topic) throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--data", folder.resolve("data").toString());
        NodeProcess node = start(broker);
        RawWebSocket client = client(node)) {
      client.subscribe(1, topic);
      String compressing = broker.url() + "?compressLargeMessage=true";
      send(broker.url(), topic, RoutingType.MULTICAST, HUGE, 0, HUGE, 0);
      send(compressing, topic, RoutingType.MULTICAST, HUGE, 0);

      for (int i = 0; i < 3; i++) {
        // A consumer that opened shortly before a late message also has the gap broker-lost.
        JsonNode gap = client.await("gap");
        while (!gap.get("reason").asText().equals("too-large")) {
          assertThat(gap.get("reason").asText()).isEqualTo("broker-lost");
          gap = client.await("gap");
        }
        assertThat(client.await("message").get("payload").asText()).isEqualTo("small");
      }
      assertThat(node.metric("sluice_drops_total{cause=\"too-large\"}")).isEqualTo(3);
      assertThat(node.metric("sluice_drops_total{cause=\"unsupported\"}")).isZero();
    }
  }

  @Test
  void shouldMoveMessagesOfAQueueThatAreAboveTheHeap() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--data", folder.resolve("data").toString());
        NodeProcess node = start(broker);
        RawWebSocket client = client(node)) {
      String compressing = broker.url() + "?compressLargeMessage=true";
      client.text("{\"type\":\"consume\",\"ref\":1,\"queue\":\"work\",\"credit\":10}");
      client.await("consuming");
      send(broker.url(), "work", RoutingType.ANYCAST, HUGE, 0, HUGE, 0);
      send(compressing, "work", RoutingType.ANYCAST, HUGE, 0);

      for (int i = 0; i < 3; i++) {
        assertThat(client.await("delivery").get("payload").asText()).isEqualTo("small");
      }
      awaitMoved(broker.url(), 3);
      assertThat(node.metric("sluice_queue_undeliverable_total{cause=\"too-large\"}")).isEqualTo(3);
    }
  }

  @Test
  void shouldRefuseRepliesAboveTheHeap() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--data", folder.resolve("data").toString());
        NodeProcess node = start(broker);
        RawWebSocket client = client(node);
        JmsResponder responder = JmsResponder.ofQueue(broker, "ask", LargeMessagesIT::reply)) {
      for (String payload : List.of(LARGE, "small", LARGE, "small")) {
        client.text(
            "{\"type\":\"request\",\"ref\":1,\"queue\":\"ask\",\"payload\":\"" + payload + "\"}");
        if (payload.equals(LARGE)) {
          // The error of an expired request has another text.
          assertThat(client.await("error").get("message").asText())
              .startsWith("the reply exceeds limits.broker-message-bytes");
        } else {
          assertThat(client.await("reply").get("payload").asText()).isEqualTo("small");
        }
      }
      assertThat(responder.received()).hasSize(4);
      assertThat(node.metric("sluice_drops_total{cause=\"too-large\"}")).isEqualTo(2);
    }
  }

  private static jakarta.jms.Message reply(Session session, jakarta.jms.Message request)
      throws JMSException {
    if (request.getBody(String.class).equals(LARGE)) {
      BytesMessage reply = session.createBytesMessage();
      reply.setObjectProperty("JMS_AMQ_InputStream", new Zeros(HUGE));
      return reply;
    }
    return session.createTextMessage("small");
  }

  private static void awaitMoved(String url, int count) throws Exception {
    try (ServerLocator locator = ActiveMQClient.createServerLocator(url);
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession(true, true)) {
      session.start();
      ClientConsumer letters = session.createConsumer("DLQ");
      for (int i = 0; i < count; i++) {
        ClientMessage letter = letters.receive(TIMEOUT.toMillis());
        assertThat(letter.getType()).isEqualTo(Message.TEXT_TYPE);
        assertThat(letter.getStringProperty("kind")).isEqualTo("size-" + HUGE);
        assertThat(letter.getStringProperty("_AMQ_ORIG_QUEUE")).isEqualTo("work");
        assertThat(bodyBytes(letter)).as("letter %d", i).isEqualTo(HUGE);
        letter.acknowledge();
      }
    }
  }

  private static long bodyBytes(ClientMessage message) throws Exception {
    AtomicLong count = new AtomicLong();
    message.saveToOutputStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            count.incrementAndGet();
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            count.addAndGet(length);
          }
        });
    return count.get();
  }

  @Test
  void shouldSkipMessagesAboveTheHeapWhenBrowsing() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start("--data", folder.resolve("data").toString());
        NodeProcess node = start(broker);
        RawWebSocket client = client(node)) {
      send(broker.url(), "work", RoutingType.ANYCAST, HUGE, 0);

      client.text("{\"type\":\"browse\",\"ref\":1,\"queue\":\"work\",\"max\":10}");

      assertThat(client.await("delivery").get("payload").asText()).isEqualTo("small");
      assertThat(client.await("browsed").get("skipped").asInt()).isEqualTo(1);
    }
  }
}
