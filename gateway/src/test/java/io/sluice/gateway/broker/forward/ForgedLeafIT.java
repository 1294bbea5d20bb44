package io.sluice.gateway.broker.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.revocation.RevocationExchange;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.HalfOpenLink;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that sends records which no leaf sends. */
@Timeout(180)
final class ForgedLeafIT {
  private static final int MAX_CREDIT = 5;
  private static final int MAX_CONSUMERS = 10;
  private static final int PUBLISHES = 3_000;
  private static final long LONG_S = 60;

  private static Vertx vertx;

  /** Without a reference, the library closes its connections. */
  private static WebSocketClient client;

  private static TestBroker broker;
  private static TestNode root;

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
    client = vertx.createWebSocketClient();
    broker = ArtemisProcess.start();
    root =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(LinkSettings.PORT, 0)
                .with(
                    LinkSettings.SUBSCRIBE,
                    List.of("queue:orders.>", "durable:news.>", "presence:room.>"))
                .with(LinkSettings.PUBLISH, List.of("queue:orders.>"))
                .with(TopicSettings.PRESENCE_TOPICS, List.of("room.>"))
                .with(LimitSettings.CONSUMER_CREDIT, MAX_CREDIT)
                .with(LimitSettings.NODE_CONSUMERS, MAX_CONSUMERS));
    root.awaitReady();
  }

  @AfterAll
  static void stop() {
    root.close();
    broker.close();
    vertx.close();
  }

  /** The peer: its results in order, and the reason for which the root closes the link. */
  private static final class Peer implements AutoCloseable {
    private final WebSocket socket;
    private final BlockingQueue<QueueRecord> results = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

    private final AtomicInteger refused = new AtomicInteger();

    Peer() {
      this(root);
    }

    Peer(TestNode at) {
      WebSocketConnectOptions to =
          new WebSocketConnectOptions()
              .setAbsoluteURI("ws://127.0.0.1:" + at.gateway().linkPort() + "/link")
              .addSubProtocol(LinkCodec.SUBPROTOCOL);
      socket = client.connect(to).toCompletionStage().toCompletableFuture().join();
      socket.binaryMessageHandler(this::onFrame);
      socket.closeHandler(any -> closed.add(String.valueOf(socket.closeReason())));
      send(
          new LinkRecord.Hello(
              LinkCodec.VERSION, false, "forged", List.of("forged"), 0, List.of()));
    }

    private void onFrame(Buffer frame) {
      try {
        for (LinkRecord each : LinkCodec.read(frame)) {
          if (each instanceof LinkRecord.OfQueues record) {
            results.add(QueueCodec.read(record.body()));
          } else if (each instanceof LinkRecord.PublishRefused) {
            refused.incrementAndGet();
          }
        }
      } catch (LinkCodec.Malformed e) {
        closed.add(e.getMessage());
      }
    }

    void send(LinkRecord sent) {
      Buffer frame = Buffer.buffer();
      LinkCodec.write(sent, frame);
      socket.writeBinaryMessage(frame);
    }

    void send(QueueRecord sent) {
      send(new LinkRecord.OfQueues(QueueCodec.write(sent)));
    }

    /** Sends a call and returns its refusal. */
    QueueRecord.Refused refusal(QueueRecord call) throws InterruptedException {
      send(call);
      QueueRecord result = results.poll(LONG_S, TimeUnit.SECONDS);
      assertThat(result).as("%s, %s", call, closed).isInstanceOf(QueueRecord.Refused.class);
      assertThat(result.ref()).isEqualTo(call.ref());
      return (QueueRecord.Refused) result;
    }

    String reason() throws InterruptedException {
      return closed.poll(LONG_S, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      socket.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static QueueRecord.Consume consume(int ref, String queue, int credit) {
    Requester client = new Requester("", "user-" + ref, 0);
    return new QueueRecord.Consume(ref, new QueueRequest(client, queue, null, credit));
  }

  private static QueueRecord.Consume consume(TopicSubscription subscription) {
    return new QueueRecord.Consume(1, new QueueRequest(Requester.NODE, subscription, null, 1));
  }

  private static void send(String queue, int count) throws JMSException {
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      MessageProducer producer =
          publisher.session().createProducer(publisher.session().createQueue(queue));
      for (int i = 0; i < count; i++) {
        producer.send(publisher.session().createTextMessage("x"));
      }
    }
  }

  @Test
  void shouldRefuseWhatWasNotGranted() throws Exception {
    try (Peer peer = new Peer()) {
      assertThat(peer.refusal(consume(1, "secret", 1)).code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(peer.refusal(consume(1, "orders.>", 1)).code()).isEqualTo(ErrorCode.INVALID_TOPIC);
      for (int credit : new int[] {-1, MAX_CREDIT + 1, Integer.MAX_VALUE}) {
        assertThat(peer.refusal(consume(1, "orders.a", credit)).code())
            .isEqualTo(ErrorCode.BAD_FRAME);
      }
      assertThat(peer.refusal(consume(new TopicSubscription("alice", ">", "a", true))).code())
          .isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(peer.refusal(consume(new TopicSubscription("alice", "news.a", "a", false))).code())
          .isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(
              peer.refusal(consume(new TopicSubscription("alice", "news.a", "a.b", true))).code())
          .isEqualTo(ErrorCode.BAD_FRAME);
      assertThat(peer.refusal(new QueueRecord.Settle(2, 1, 1, true, Settlement.ACK)).code())
          .isEqualTo(ErrorCode.NOT_PENDING);
      assertThat(peer.closed).isEmpty();
    }
  }

  /** Frames of requests and replies have no reply destination, but records of links may. */
  @Test
  void shouldRefuseReplyDestinationsThatWereNotGranted() throws Exception {
    send("orders.asked", 1);
    PublishHeaders headers =
        new PublishHeaders(
            PublishHeaders.DEFAULT_PRIORITY,
            0,
            0,
            PublishHeaders.DEFAULT.mode(),
            null,
            null,
            null,
            Destination.queue("secret"),
            null);
    Publication publication =
        new Publication(
            Destination.queue("orders.sent"), PayloadKind.TEXT, new byte[0], Map.of(), headers);
    try (Peer peer = new Peer()) {
      peer.send(consume(1, "orders.asked", 1));
      while (!(peer.results.poll(LONG_S, TimeUnit.SECONDS) instanceof QueueRecord.Delivered)) {
        // consuming
      }
      for (QueueRecord call :
          List.of(
              new QueueRecord.Ask(2, Requester.NODE, 1, publication),
              new QueueRecord.Respond(2, 1, Requester.NODE, 1, publication),
              new QueueRecord.PublishAll(2, Requester.NODE, List.of(publication)))) {
        assertThat(peer.refusal(call).why()).contains("\"replyTo\": links.publish of the root");
      }
    }
  }

  @Test
  void shouldDeliverNoMoreThanTheCreditOfTheRoot() throws Exception {
    send("orders.credit", 2 * MAX_CREDIT);
    try (Peer peer = new Peer()) {
      peer.send(consume(1, "orders.credit", 1));
      peer.send(new QueueRecord.Credit(1, Integer.MAX_VALUE));
      int delivered = 0;
      while (delivered < MAX_CREDIT) {
        if (peer.results.poll(LONG_S, TimeUnit.SECONDS) instanceof QueueRecord.Delivered) {
          delivered++;
        }
      }
      // The result of a later call follows all deliveries that the root has permitted.
      peer.refusal(consume(2, "secret", 1));
      peer.send(new QueueRecord.Settle(3, 1, 1, false, Settlement.ACK));
      assertThat(peer.results.poll(LONG_S, TimeUnit.SECONDS)).isEqualTo(new QueueRecord.Done(3));
    }
  }

  /** Names of users that the peer invents are not shares of the root. */
  @Test
  void shouldLeaveHalfOfTheConsumersToOthers() throws Exception {
    try (Peer peer = new Peer();
        Peer other = new Peer()) {
      for (int ref = 1; ref <= MAX_CONSUMERS / 2; ref++) {
        peer.send(consume(ref, "orders.share", 0));
        assertThat(peer.results.poll(LONG_S, TimeUnit.SECONDS))
            .isEqualTo(new QueueRecord.Consuming(ref));
      }
      assertThat(peer.refusal(consume(99, "orders.share", 0)).code())
          .isEqualTo(ErrorCode.TOO_MANY_CONSUMERS);
      peer.send(new QueueRecord.Close(1));
      peer.send(consume(100, "orders.share", 0));
      assertThat(peer.results.poll(LONG_S, TimeUnit.SECONDS))
          .isEqualTo(new QueueRecord.Consuming(100));
      assertThat(other.closed).isEmpty();
    }
  }

  /** Each publish is one of a user that the peer has invented. */
  @Test
  void shouldServeUsersOfTheRootBesideInventedOnes() throws Exception {
    HalfOpenLink network = new HalfOpenLink(broker.url());
    Config config =
        TestNode.unlimited(TestNode.config("artemis", network.url()))
            .with(LinkSettings.PORT, 0)
            .with(LinkSettings.PUBLISH, List.of("flood"))
            .with(BrokerSettings.PUBLISH_QUEUE, PUBLISHES);
    try (TestPublisher reader = new TestPublisher("artemis", broker.url());
        TestNode node = TestNode.start(config);
        Peer peer = new Peer(node);
        Peer again = new Peer(node)) {
      List<String> forwarded = new CopyOnWriteArrayList<>();
      reader
          .session()
          .createConsumer(reader.session().createTopic("flood"))
          .setMessageListener(message -> forwarded.add(text(message)));
      node.awaitReady();
      List<RawWebSocket> nine = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        nine.add(node.json());
        nine.get(i).publish(1, "flood", "x");
      }
      network.fallSilent();
      for (int i = 0; i < 2 * PUBLISHES; i++) {
        Publication publication =
            new Publication("flood", PayloadKind.TEXT, new byte[] {'x'}, Map.of());
        (i % 2 == 0 ? peer : again)
            .send(new LinkRecord.Publish(i, "invented-" + i, i, publication));
      }
      await().until(() -> peer.refused.get() + again.refused.get() > 0);
      for (RawWebSocket each : nine) {
        each.text(
            """
            {"type":"publish","ref":2,"topic":"flood","payload":"user"}""");
        each.text(
            """
            {"type":"ping","ref":3}""");
        assertThat(each.readJson().get("type").asText()).isEqualTo("pong");
      }
      network.speakAgain();
      for (RawWebSocket each : nine) {
        assertThat(each.readJson().get("type").asText()).isEqualTo("published");
      }
      await().until(() -> forwarded.stream().filter("user"::equals).count() == nine.size());
      // Only those in flight precede them, not those that wait.
      assertThat(forwarded.lastIndexOf("user")).isLessThan(PUBLISHES / 3);
      nine.forEach(RawWebSocket::close);
    }
  }

  private static String text(Message message) {
    try {
      return message.getBody(String.class);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldAcceptNoRevocationOfALeaf() throws Exception {
    ByteArrayOutputStream order = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(order)) {
      out.writeByte(RevocationExchange.CHANNEL);
      out.writeByte(0); // an order
      out.writeLong(0);
      out.writeShort(0);
      out.writeUTF("subject");
      out.writeUTF("ann");
      out.writeLong(1);
      out.writeLong(Long.MAX_VALUE);
      out.writeLong(0);
    }
    try (Peer peer = new Peer()) {
      peer.send(new LinkRecord.OfRevocations(order.toByteArray()));
      assertThat(peer.reason()).isEqualTo("a leaf sends no revocations");
      assertThat(root.metric("sluice_revocations")).isZero();
    }
  }

  @Test
  void shouldCloseTheLinkAfterARecordThatNoLeafSends() throws Exception {
    try (Peer peer = new Peer()) {
      peer.send(new QueueRecord.Done(1));
      assertThat(peer.reason()).isEqualTo("a leaf does not send this record");
    }
    try (Peer peer = new Peer()) {
      peer.send(consume(1, "orders.twice", 0));
      peer.send(consume(1, "orders.twice", 0));
      assertThat(peer.reason()).isEqualTo("ref 1 is in use");
    }
    try (Peer peer = new Peer()) {
      peer.send(new LinkRecord.OfQueues(new byte[] {0, 1, 2}));
      assertThat(peer.reason()).isEqualTo("a record of queues has an unknown value");
    }
    try (Peer peer = new Peer()) {
      peer.send(new LinkRecord.OfPresence(new byte[] {4, 0}));
      assertThat(peer.reason()).startsWith("presence: 2 bytes of replicated entries");
    }
    try (Peer peer = new Peer()) {
      peer.send(new LinkRecord.OfPresence(new byte[33_000]));
      assertThat(peer.reason()).isEqualTo("a message of presence or revocations has 33000 bytes");
    }
  }
}
