package io.sluice.gateway.session.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.ScriptedQueues.Opened;
import io.sluice.gateway.hub.ScriptedQueues.Transaction;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.session.TestConnection;
import io.sluice.gateway.session.queue.SessionScene.Client;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transactions of a session of a scripted broker: docs/PROTOCOL.md, sections 3 and 4. */
final class TransactionSessionTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(TopicSettings.PUBLISH_TOPICS, List.of("t.>"))
          .with(TopicSettings.QUEUES_SEND, List.of("q.>"))
          .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"));

  private final SessionScene scene = new SessionScene();
  private Client client;
  private TestConnection connection;

  private void open(Config config) {
    scene.open(config);
    client = scene.client().say("'type':'ping'");
    connection = client.connection;
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void transact(int ref, String members) {
    client.say("'type':'transaction','ref':" + ref + "," + members);
  }

  private static String publish(String... queues) {
    List<String> parts =
        List.of(queues).stream().map(queue -> "{'queue':'" + queue + "','payload':'x'}").toList();
    return "'publish':[" + String.join(",", parts) + "]";
  }

  private Opened consume(int messages) {
    client.say("'type':'consume','ref':7,'queue':'q.in','credit':10");
    Opened consumer = scene.fixture.broker.queues.opened.get(0);
    consumer.listener.onConsuming();
    for (int i = 0; i < messages; i++) {
      consumer.deliver("m");
    }
    scene.fixture.settle();
    return consumer;
  }

  private List<Transaction> published() {
    return scene.fixture.broker.queues.published;
  }

  /** Returns the last frame: its type and ref, or the error. */
  private String last() {
    JsonNode frame = connection.frames.get(connection.frames.size() - 1);
    String of = frame.get("type").asText() + " " + frame.path("ref").asText();
    return frame.has("code")
        ? of + " " + frame.get("code").asText() + ": " + frame.get("message").asText()
        : of;
  }

  @Test
  void shouldPublishAllMessagesOfATransaction() {
    open(CONFIG);
    transact(
        9, "'publish':[{'topic':'t.a','payload':'1','priority':9},{'queue':'q.b','payload':'2'}]");

    assertThat(published()).hasSize(1);
    assertThat(published().get(0).publications())
        .extracting(publication -> publication.destination())
        .containsExactly(Destination.topic("t.a"), Destination.queue("q.b"));
    assertThat(published().get(0).publications().get(0).headers().priority()).isEqualTo(9);
    assertThat(last()).isEqualTo("pong ");
    published().get(0).listener().onPublished();
    scene.fixture.settle();
    assertThat(last()).isEqualTo("committed 9");
  }

  /** The error of a body would show that it was parsed. */
  @Test
  void shouldParseABodyOnlyForAClientThatMayPublish() {
    open(CONFIG);
    String message = "'topic':'%s','encoding':'json','payload':{'a':[]}";
    for (String frame :
        List.of(
            "'type':'request','ref':1," + message,
            "'type':'transaction','ref':1,'publish':[{" + message + "}]")) {
      client.say(frame, "out");
      assertThat(last()).as(frame).startsWith("error 1 forbidden");
      client.say(frame, "t.a");
      assertThat(last()).as(frame).startsWith("error 1 bad-frame");
    }
  }

  @Test
  void shouldAcknowledgeAndPublish() {
    open(CONFIG);
    Opened consumer = consume(3);
    transact(
        9,
        publish("q.out")
            + ",'ack':[{'subscription':7,'tag':2,'upTo':true},{'subscription':7,'tag':3}]");

    assertThat(published()).isEmpty();
    Transaction transaction = consumer.transactions.get(0);
    assertThat(transaction.acknowledgements())
        .containsExactly(new Acknowledgement(2, true), new Acknowledgement(3, false));
    assertThat(transaction.publications()).hasSize(1);
    transaction.listener().onPublished();
    scene.fixture.settle();
    assertThat(last()).isEqualTo("committed 9");
  }

  @Test
  void shouldReportTheRefusalOfTheBroker() {
    open(CONFIG);
    transact(9, publish("q.a"));
    published().get(0).listener().onRefused(ErrorCode.TRANSACTION_FAILED, "publish 1: disk full");
    scene.fixture.settle();
    assertThat(last()).isEqualTo("error 9 transaction-failed: publish 1: disk full");
  }

  @Test
  void shouldPublishNothingIfOnePartIsForbiddenOrInvalid() {
    open(CONFIG);
    transact(1, publish("q.a", "secret"));
    assertThat(last())
        .isEqualTo(
            "error 1 forbidden: publish 2: queue is not open to publishers on this node:"
                + " \"secret\"");
    assertThat(connection.frames.get(connection.frames.size() - 1).get("queue").asText())
        .isEqualTo("secret");
    transact(2, publish("q.a", "q..b"));
    assertThat(last()).startsWith("error 2 invalid-topic: publish 2: ");
    transact(3, "'publish':[{'queue':'q.a','payload':'','delay':1}]");
    assertThat(last()).startsWith("error 3 unsupported: publish 1: \"delay\"");
    transact(4, "'publish':[{'queue':'q.a','payload':'','replyTo':{'queue':'secret'}}]");
    assertThat(last()).startsWith("error 4 forbidden: publish 1: ");
    transact(5, publish("q.a") + ",'ack':[{'subscription':7,'tag':1}]");
    assertThat(last()).isEqualTo("error 5 not-pending: ack 1: no consumer has ref 7");
    assertThat(published()).isEmpty();
  }

  @Test
  void shouldNotAcknowledgeWhatTheClientHasNotReceived() {
    open(CONFIG);
    Opened consumer = consume(1);
    transact(9, "'ack':[{'subscription':7,'tag':1},{'subscription':7,'tag':2}]");
    assertThat(last()).isEqualTo("error 9 not-pending: ack 2: tag 2 was not delivered");
    assertThat(consumer.transactions).isEmpty();
  }

  @Test
  void shouldNotCountLostRacesAsErrorsOfTheClient() {
    open(CONFIG.with(LimitSettings.CLIENT_ERRORS, 3).with(LimitSettings.TRANSACTION, 1));
    for (int i = 0; i < 10; i++) {
      transact(i, "'ack':[{'subscription':7,'tag':1}]");
      transact(i, publish("secret"));
    }
    assertThat(connection.closed()).isNull();
    for (int i = 0; i < 100; i++) {
      transact(i, "'ack':[{'subscription':7,'tag':1}]");
    }
    assertThat(last()).startsWith("error 99 rate-limited");
    for (int i = 0; i < 3; i++) {
      transact(i, publish("q.a", "q.b"));
    }
    assertThat(connection.closed()).isNotNull();
  }

  @Test
  void shouldRestrictTheNumberOfParts() {
    open(CONFIG.with(LimitSettings.TRANSACTION, 2));
    transact(1, publish("q.a", "q.b"));
    assertThat(published()).hasSize(1);
    transact(2, publish("q.a", "q.b", "q.c"));
    assertThat(last())
        .isEqualTo(
            "error 2 bad-frame: publish 3: a transaction has more than limits.transaction (2)"
                + " parts");
    assertThat(published()).hasSize(1);
  }

  @Test
  void shouldCountEachMessageInTheRateOfPublishes() {
    open(CONFIG.with(LimitSettings.PUBLISH_RATE, 3));
    transact(1, publish("q.a", "q.b"));
    transact(2, publish("q.a", "q.b", "q.c"));
    assertThat(published()).hasSize(1);
    assertThat(last()).isEqualTo("error 2 rate-limited: over 3 publishes a second");
  }

  @Test
  void shouldTakeNoTokensForATransactionOverTheRate() {
    open(CONFIG.with(LimitSettings.PUBLISH_RATE, 4));
    transact(1, publish("q.a", "q.b"));
    transact(2, publish("q.a", "q.b", "q.c", "q.d"));
    assertThat(last()).startsWith("error 2 rate-limited: ");
    transact(3, publish("q.a", "q.b"));
    assertThat(published()).hasSize(2);
  }

  @Test
  void shouldNameARateThatATransactionAlwaysExceeds() {
    open(CONFIG.with(LimitSettings.PUBLISH_RATE, 2));
    transact(1, publish("q.a", "q.b", "q.c"));
    assertThat(last())
        .isEqualTo(
            "error 1 bad-frame: a transaction of 3 publishes exceeds limits.publish-rate (2/s)");
    transact(2, publish("q.a", "q.b"));
    assertThat(published()).as("no token was taken").hasSize(1);
  }

  @Test
  void shouldCountTransactionsThatCanNeverSucceedAsErrors() {
    open(CONFIG.with(LimitSettings.PUBLISH_RATE, 1).with(LimitSettings.CLIENT_ERRORS, 2));
    transact(1, publish("q.a", "q.b"));
    assertThat(connection.closed()).isNull();
    transact(2, publish("q.a", "q.b"));
    assertThat(connection.closed()).isNotNull();
  }

  @Test
  void shouldNameBytesThatATransactionAlwaysExceeds() {
    open(CONFIG.with(BrokerSettings.PUBLISH_QUEUE_BYTES, 10L));
    transact(1, publish("q.a", "q.b", "q.c", "q.d", "q.e", "q.f"));
    assertThat(last())
        .matches(
            "error 1 bad-frame: a transaction of \\d+ bytes exceeds the limit of 10" + " bytes");
  }

  @Test
  void shouldRestrictTheBytesOfWaitingTransactions() {
    open(CONFIG.with(BrokerSettings.PUBLISH_QUEUE_BYTES, 10L));
    transact(1, publish("q.a", "q.b"));
    transact(2, publish("q.a", "q.b"));
    assertThat(published()).hasSize(1);
    assertThat(last()).isEqualTo("error 2 rate-limited: too many transactions wait at this node");
    published().get(0).listener().onRefused(ErrorCode.BROKER_UNAVAILABLE, "");
    scene.fixture.settle();
    transact(3, publish("q.a", "q.b"));
    assertThat(published()).hasSize(2);
  }

  @Test
  void shouldNameWhatTheBrokerDoesNotSupport() {
    open(CONFIG);
    assertThat(connection.frames.get(0).get("features").toString())
        .contains("\"transacted-acks\",\"transactions\"");
    scene.fixture.broker.features.remove(Feature.TRANSACTED_ACKS);
    transact(1, "'ack':[{'subscription':7,'tag':1}]");
    assertThat(last())
        .isEqualTo(
            "error 1 unsupported: \"ack\": the broker of this node does not acknowledge in"
                + " transactions");
    transact(2, publish("q.a"));
    assertThat(published()).hasSize(1);
    scene.fixture.broker.features.remove(Feature.TRANSACTIONS);
    transact(3, publish("q.a"));
    assertThat(last())
        .isEqualTo(
            "error 3 unsupported: \"transaction\": the broker of this node does not support"
                + " transactions");
  }

  @Test
  void shouldPublishFromAStreamAndCloseItAfterTheAnswer() {
    open(CONFIG);
    connection.stream = true;
    transact(1, "'ack':[{'subscription':7,'tag':1}]");
    assertThat(last()).startsWith("error 1 unsupported: \"ack\": a stream cannot settle messages");
    transact(2, publish("q.a"));
    client.session.onInputEnd();
    scene.fixture.settle();
    assertThat(connection.closed()).isNull();
    published().get(0).listener().onPublished();
    scene.fixture.settle();
    assertThat(last()).isEqualTo("committed 2");
    assertThat(connection.closed()).isNotNull();
  }

  @Test
  void shouldIgnoreTheResultAfterTheEndOfTheSession() {
    open(CONFIG);
    transact(1, publish("q.a"));
    client.session.onClosed();
    published().get(0).listener().onPublished();
    scene.fixture.settle();
    assertThat(last()).isEqualTo("pong ");
  }
}
