package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.BrokerJvm;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node that is stopped for longer than all its timeouts, with clients in each phase of their
 * connection. None is closed by the pause.
 */
@Timeout(240)
final class PausedNodeIT {
  private static final int CLIENTS = 30;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String NO_BROKER = "tcp://127.0.0.1:1";
  private static final String CONNECT = "{\"type\":\"connect\"}";

  /**
   * Node that runs until its standard input ends. Arguments: transport, URL of the broker,
   * certificate and key.
   */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      Config config =
          TestNode.unlimited(TestNode.config("artemis", args[1]))
              .with(ServerSettings.TRANSPORT, args[0])
              .with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(5))
              .with(TimeoutSettings.PING, Duration.ofSeconds(1))
              .with(TimeoutSettings.IDLE, Duration.ofSeconds(5))
              .with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(5))
              .with(BrokerSettings.OPEN_TIMEOUT, Duration.ofSeconds(5))
              .with(TopicSettings.QUEUES_ACK_TIMEOUT, Duration.ofSeconds(5))
              .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
              .with(TopicSettings.QUEUES_SEND, List.of(">"));
      if (args.length > 2) {
        config =
            config
                .with(ServerSettings.TLS_CERTIFICATE, args[2])
                .with(ServerSettings.TLS_KEY, args[3]);
      }
      try (TestNode node = TestNode.start(config)) {
        System.out.println("port " + node.gateway().port());
        while (System.in.read() >= 0) {
          // until the test ends
        }
      }
    }
  }

  @TempDir private static Path folder;

  /** The child process, and its port. */
  private record Node(Process process, int port) implements AutoCloseable {
    static Node start(List<String> arguments) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Program.class.getName()));
      command.addAll(arguments);
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader out = process.inputReader();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith("port ")) {
          drain(out);
          return new Node(process, Integer.parseInt(line.substring(5)));
        }
      }
      throw new AssertionError("the node has ended with " + process.exitValue());
    }

    // The process would block on a full pipe.
    private static void drain(BufferedReader out) {
      Thread reader = new Thread(() -> out.lines().forEach(line -> {}), "node-out");
      reader.setDaemon(true);
      reader.start();
    }

    /** Stops the process for longer than all timeouts; meanwhile, the clients act. */
    void pause(Runnable meanwhile) {
      BrokerJvm.signal(process.pid(), "STOP");
      try {
        meanwhile.run();
        assertThat(process.waitFor(8, TimeUnit.SECONDS)).as("the node has ended").isFalse();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      } finally {
        BrokerJvm.signal(process.pid(), "CONT");
      }
    }

    RawWebSocket.Request request() {
      return RawWebSocket.to("127.0.0.1", port, "/ws")
          .subprotocols("sluice.v1.json")
          .timeout(LIMIT);
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Handshake on a socket of which the test sends each part when it wants. */
  private record Visitor(Socket socket) {
    static final byte[] HEAD =
        ("GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sluice.v1.json\r\n"
                + "Sec-WebSocket-Key: "
                + RawWebSocket.KEY
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);

    static Visitor connect(int port, SocketFactory sockets) throws IOException {
      Socket socket = sockets.createSocket("127.0.0.1", port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout((int) LIMIT.toMillis());
      return new Visitor(socket);
    }

    void send(byte[] bytes, int from, int to) {
      try {
        socket.getOutputStream().write(bytes, from, to - from);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void awaitHello(String phase) throws IOException {
      StringBuilder received = new StringBuilder();
      InputStream in = socket.getInputStream();
      while (received.indexOf("\"hello\"") < 0) {
        int next = in.read();
        assertThat(next).as("%s: closed after %s", phase, received).isNotNegative();
        received.append((char) next);
      }
      socket.close();
    }
  }

  private static <T> List<T> each(Supplier<T> client) {
    List<T> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(client.get());
    }
    return clients;
  }

  private static List<Visitor> visitors(Node node, SocketFactory sockets) {
    return each(
        () -> {
          try {
            return Visitor.connect(node.port(), sockets);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  static Stream<String> transports() {
    return TestScope.cases(1, "auto", "nio");
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("transports")
  void shouldCloseNoClientForPauseOfTheNode(String transport) throws IOException {
    try (Node node = Node.start(List.of(transport, NO_BROKER))) {
      List<RawWebSocket> pinged = each(() -> node.request().open());
      pinged.forEach(client -> client.text(CONNECT));
      pinged.forEach(client -> client.await("hello"));
      List<RawWebSocket> reading = each(() -> node.request().open());
      reading.forEach(client -> client.text(CONNECT));
      reading.forEach(client -> client.await("hello"));
      List<RawWebSocket> silent = each(() -> node.request().open());
      List<RawWebSocket> sending = each(() -> node.request().open());
      List<Visitor> accepted = visitors(node, SocketFactory.getDefault());
      List<Visitor> half = visitors(node, SocketFactory.getDefault());
      half.forEach(visitor -> visitor.send(Visitor.HEAD, 0, 60));

      node.pause(() -> sending.forEach(client -> client.text(CONNECT)));

      for (RawWebSocket client : sending) {
        assertThat(client.await("hello")).as("first frame in the kernel").isNotNull();
      }
      silent.forEach(client -> client.text(CONNECT));
      accepted.forEach(visitor -> visitor.send(Visitor.HEAD, 0, Visitor.HEAD.length));
      half.forEach(visitor -> visitor.send(Visitor.HEAD, 60, Visitor.HEAD.length));
      byte[] connect = ClientFrame.join(ClientFrame.text(CONNECT));
      accepted.forEach(visitor -> visitor.send(connect, 0, connect.length));
      half.forEach(visitor -> visitor.send(connect, 0, connect.length));
      for (RawWebSocket client : silent) {
        assertThat(client.await("hello")).as("no first frame").isNotNull();
      }
      for (Visitor visitor : accepted) {
        visitor.awaitHello("accepted");
      }
      for (Visitor visitor : half) {
        visitor.awaitHello("half of the head");
      }
      for (List<RawWebSocket> open : List.of(reading, pinged)) {
        open.forEach(client -> client.text("{\"type\":\"ping\",\"ref\":1}"));
        open.forEach(client -> client.await("pong"));
      }
      // Clients that are silent by themselves are closed, with codes that permit a retry.
      try (RawWebSocket unopened = node.request().open()) {
        assertThat(unopened.awaitClose()).isEqualTo(4005);
      }
      assertThat(pinged.get(0).awaitClose()).isEqualTo(4001);
    }
  }

  @Tag("full")
  @Test
  void shouldCloseNoClientWithTlsForPauseOfTheNode() throws IOException {
    TestCertificate certificate = TestCertificate.create(folder, "ec", "EC");
    SSLContext trust = certificate.trust();
    List<String> arguments =
        List.of(
            "auto", NO_BROKER, certificate.certificate().toString(), certificate.key().toString());
    try (Node node = Node.start(arguments)) {
      List<RawWebSocket> sending = each(() -> node.request().tls(trust).open());
      List<Visitor> shaken = visitors(node, trust.getSocketFactory());
      for (Visitor visitor : shaken) {
        ((SSLSocket) visitor.socket()).startHandshake();
      }
      List<Visitor> accepted = visitors(node, trust.getSocketFactory());

      node.pause(() -> sending.forEach(client -> client.text(CONNECT)));

      for (RawWebSocket client : sending) {
        assertThat(client.await("hello")).as("first frame in the kernel").isNotNull();
      }
      byte[] connect = ClientFrame.join(ClientFrame.text(CONNECT));
      for (Visitor visitor : accepted) {
        ((SSLSocket) visitor.socket()).startHandshake();
      }
      for (List<Visitor> visitors : List.of(shaken, accepted)) {
        visitors.forEach(visitor -> visitor.send(Visitor.HEAD, 0, Visitor.HEAD.length));
        visitors.forEach(visitor -> visitor.send(connect, 0, connect.length));
        for (Visitor visitor : visitors) {
          visitor.awaitHello("TLS");
        }
      }
      try (RawWebSocket unopened = node.request().tls(trust).open()) {
        ServerFrame frame = unopened.readFrame();
        while (frame.opcode() != ClientFrame.CLOSE) {
          frame = unopened.readFrame();
        }
        assertThat(frame.closeCode()).isEqualTo(4005);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldKeepDeliveriesAndRequestsDuringPauseOfTheNode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        JmsResponder responder =
            JmsResponder.ofQueue(broker, "prices", (session, request) -> null);
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        Node node = Node.start(List.of("auto", broker.url()));
        RawWebSocket client = node.request().open()) {
      MessageProducer producer =
          publisher.session().createProducer(publisher.session().createQueue("orders"));
      producer.send(publisher.session().createTextMessage("first"));
      producer.send(publisher.session().createTextMessage("second"));
      client.text("{\"type\":\"consume\",\"ref\":7,\"queue\":\"orders\",\"credit\":9}");
      client.await("delivery");
      client.await("delivery");
      client.text(
          "{\"type\":\"request\",\"ref\":8,\"queue\":\"prices\",\"payload\":\"?\",\"timeout\":5000}");
      await().atMost(LIMIT).until(() -> !responder.received().isEmpty());

      node.pause(
          () -> {
            client.text("{\"type\":\"ack\",\"ref\":9,\"subscription\":7,\"tag\":1}");
            reply(responder);
          });

      Map<String, String> answers = new HashMap<>();
      client.text("{\"type\":\"ack\",\"ref\":10,\"subscription\":7,\"tag\":2}");
      while (answers.size() < 3) {
        JsonNode frame = client.readJson();
        assertThat(frame.get("type").asText()).as("%s", frame).isNotIn("error", "released", "gap");
        if (frame.has("ref") && frame.get("ref").asInt() >= 8) {
          answers.put(frame.get("ref").asText(), frame.get("type").asText());
        }
      }
      assertThat(answers).isEqualTo(Map.of("8", "reply", "9", "settled", "10", "settled"));
    }
  }

  private static void reply(JmsResponder responder) {
    try {
      responder.replyLater(responder.received().element(), "5");
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }
}
