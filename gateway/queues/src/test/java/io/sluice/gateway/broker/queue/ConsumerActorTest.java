package io.sluice.gateway.broker.queue;

import static io.sluice.gateway.protocol.Settlement.ACK;
import static io.sluice.gateway.protocol.Settlement.REJECT;
import static io.sluice.gateway.protocol.Settlement.RELEASE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.jms.ContentReader.Undeliverable;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A consumer, step by step, at a broker whose calls the test runs. */
final class ConsumerActorTest {
  private static final long ACK_TIMEOUT_MS = 1_000;
  private static final long CALL_TIMEOUT_MS = 10_000;
  private static final long MAX_DELAY_MS = 1L << 40;
  private static final String TOO_LARGE = "large";

  private final Exposition exposition = new Exposition("consumer");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final List<String> events = new ArrayList<>();
  private final List<Long> delays = new ArrayList<>();
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final Queue<Runnable> paused = new ArrayDeque<>();
  private boolean pausing;
  private long nowNs;
  private ScriptedLink link = new ScriptedLink();
  private ConsumerActor consumer;

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private final class Environment implements LinkUser.Owner {
    @Override
    public Executor steps() {
      return task -> {
        if (pausing) {
          paused.add(task);
        } else {
          task.run();
        }
      };
    }

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public ReplySender replies() {
      return (reply, to, correlationId, result) -> {
        events.add("reply to " + to + " for " + correlationId);
        result.onPublished();
      };
    }

    @Override
    public SessionSender.Factory senders() {
      return new SessionSender.Factory() {
        @Override
        public boolean isServed(Publication publication) {
          return !publication.destination().name().startsWith("$");
        }

        @Override
        public SessionSender open(Session session) {
          return link.sender();
        }
      };
    }

    @Override
    public Backoff backoff() {
      return new Backoff(1, MAX_DELAY_MS, new SplittableRandom(1));
    }

    @Override
    public void later(Backoff backoff, Runnable task) {
      delays.add(backoff.nextMs());
      later.add(task);
    }

    @Override
    public void remove(LinkUser ended) {
      events.add("ended");
    }
  }

  private final class Client implements QueueListener {
    @Override
    public void onConsuming() {
      events.add("consuming");
    }

    @Override
    public void onDelivery(QueueDelivery delivery) {
      String text = new String(delivery.payload(), UTF_8);
      events.add(text + "#" + delivery.tag() + mark(delivery.redelivery()));
    }

    @Override
    public void onReleased(long tag, ReleaseReason reason) {
      events.add("released " + tag + " " + reason.code());
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add("refused " + code.code() + ": " + why);
    }
  }

  private static String mark(Redelivery redelivery) {
    return switch (redelivery) {
      case NONE -> "";
      case UNKNOWN -> " perhaps again";
      case COUNTED -> " again";
    };
  }

  private final class Result implements SettleListener {
    private final String name;

    Result(String name) {
      this.name = name;
    }

    @Override
    public void onSettled() {
      events.add(name + " settled");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(name + " " + code.code());
    }
  }

  private static Message content(jakarta.jms.Message message) throws Undeliverable {
    try {
      String text = ((ActiveMQTextMessage) message).getText();
      if (text.equals(TOO_LARGE)) {
        throw new Undeliverable("too-large");
      }
      return new Message("queues", 1, 100, PayloadKind.TEXT, text.getBytes(UTF_8), null);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  private ConsumerActor create(int credit) {
    consumer =
        new ConsumerActor(
            new Environment(),
            new QueueRequest(Requester.NODE, "orders", null, credit),
            new Client(),
            reader(),
            new QueueOptions(
                ACK_TIMEOUT_MS, CALL_TIMEOUT_MS, "", 10, new SubscriptionLimits(60_000, 10)),
            metrics.queues());
    return consumer;
  }

  private static DeliveryReader reader() {
    return new DeliveryReader(
        ConsumerActorTest::content,
        new BrokerNames(new Wildcards("*", ">", "."), name -> true, new TopicRules(255, 16)));
  }

  /** Opens a consumer. */
  private void open(int credit) {
    create(credit).onConnected(link);
    link.run();
    assertThat(events()).containsExactly("consuming");
  }

  private List<String> events() {
    List<String> happened = List.copyOf(events);
    events.clear();
    return happened;
  }

  private void settle(Settlement how, long tag) {
    settle(how, tag, false);
  }

  private void settle(Settlement how, long tag, boolean upTo) {
    consumer.settle(tag, upTo, how, new Result(how.code() + " " + tag));
  }

  private void respond(long tag) {
    Publication reply = new Publication("", PayloadKind.TEXT, new byte[0], Map.of());
    consumer.respond(
        tag,
        reply,
        new PublishListener() {
          @Override
          public void onPublished() {
            events.add("published");
          }

          @Override
          public void onRefused(ErrorCode code, String why) {
            events.add(code.code());
          }
        });
  }

  private void transact(List<Acknowledgement> acknowledgements, String... queues) {
    List<Publication> publications =
        Stream.of(queues)
            .map(
                queue ->
                    new Publication(
                        Destination.queue(queue),
                        PayloadKind.TEXT,
                        new byte[0],
                        Map.of(),
                        PublishHeaders.DEFAULT))
            .toList();
    consumer.transact(
        acknowledgements,
        publications,
        new PublishListener() {
          @Override
          public void onPublished() {
            events.add("committed");
          }

          @Override
          public void onRefused(ErrorCode code, String why) {
            events.add(code.code() + ": " + why);
          }
        });
  }

  private static Acknowledgement ack(long tag) {
    return new Acknowledgement(tag, false);
  }

  private void deliver(String... texts) {
    for (String text : texts) {
      link.session().deliver(text, false);
      link.run();
    }
    events();
  }

  private void elapse(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    consumer.check(nowNs);
  }

  @Test
  void shouldRequestAMessageOnlyWithCredit() {
    create(0).onConnected(link);

    assertThat(link.run()).containsExactly("open orders");
    consumer.credit(2);
    assertThat(link.run()).containsExactly("request");
    link.session().deliver("a", true);
    assertThat(link.run()).containsExactly("request");
    link.session().deliver("b", false);
    assertThat(link.run()).isEmpty();
    assertThat(events()).containsExactly("consuming", "a#1 again", "b#2");
    assertThat(metrics.queues().pending()).isEqualTo(2);
  }

  @Test
  void shouldRequestTheNextMessageWithTheAcknowledgement() {
    open(1);
    deliver("a");

    settle(ACK, 1);

    assertThat(events()).isEmpty();
    assertThat(link.run()).containsExactly("ack [a]", "request");
    assertThat(events()).containsExactly("ack 1 settled");
    assertThat(metrics.queues().pending()).isZero();
  }

  @Test
  void shouldPublishOneReplyToEachMessage() {
    open(5);
    link.session().deliverRequest("a", "replies", "17");
    link.run();
    link.session().deliverRequest("b", "replies", null);
    link.run();
    deliver("c");

    respond(1);
    respond(2);
    respond(1);

    assertThat(events())
        .containsExactly(
            "reply to queue://replies for 17",
            "published",
            "reply to queue://replies for ID:a:1:1:1",
            "published",
            "no-recipient");
  }

  @Test
  void shouldRefuseRepliesWithoutRecipientOrPendingMessage() {
    open(5);
    deliver("a", "b", "c");

    settle(ACK, 2);
    settle(RELEASE, 3);
    events();
    respond(1);
    respond(2);
    respond(3);
    respond(4);
    respond(0);

    assertThat(events())
        .containsExactly(
            "no-recipient", "not-pending", "not-pending", "not-pending", "not-pending");
  }

  @Test
  void shouldRefuseASecondSettlementAndTagsThatWereNeverDelivered() {
    open(2);
    deliver("a", "b");

    settle(ACK, 1);
    settle(ACK, 1);
    settle(REJECT, 1);
    settle(ACK, 3);
    settle(RELEASE, 0);
    consumer.settle(3, true, ACK, new Result("up to 3"));

    assertThat(events())
        .containsExactly(
            "ack 1 not-pending",
            "reject 1 not-pending",
            "ack 3 not-pending",
            "release 0 not-pending",
            "up to 3 not-pending");
    assertThat(link.run()).containsExactly("ack [a]", "request");
  }

  @Test
  void shouldAcknowledgeInOneCallWhatWaitsForTheBroker() {
    open(5);
    deliver("a", "b", "c", "d", "e");

    settle(ACK, 1);
    settle(ACK, 3);
    consumer.settle(4, true, ACK, new Result("up to 4"));
    settle(REJECT, 5);

    assertThat(link.run())
        .containsExactly("ack [a]", "request", "ack [c, b, d]", "reject [e] from orders to dead");
    assertThat(events())
        .containsExactly("ack 1 settled", "ack 3 settled", "up to 4 settled", "reject 5 settled");
  }

  @Test
  void shouldRunATransactionInOrderWithOtherSettlements() {
    open(4);
    deliver("a", "b", "c", "d");

    settle(ACK, 1);
    transact(List.of(ack(2), new Acknowledgement(3, true)), "fills", "audit");
    settle(ACK, 4);

    assertThat(link.run())
        .containsExactly(
            "ack [a]",
            "request",
            "begin, ack [b, c]",
            "send fills",
            "send audit",
            "commit",
            "ack [d]");
    assertThat(events()).containsExactly("ack 1 settled", "committed", "ack 4 settled");
    assertThat(metrics.queues().pending()).isZero();
  }

  @Test
  void shouldRequestTheNextMessageWithTheTransaction() {
    open(1);
    deliver("a");

    transact(List.of(ack(1)));

    assertThat(link.run()).containsExactly("begin, ack [a]", "commit", "request");
    assertThat(events()).containsExactly("committed");
  }

  @Test
  void shouldRefuseATransactionWithAMessageThatIsNotPending() {
    open(3);
    deliver("a", "b");

    transact(List.of(ack(1), ack(3)), "fills");
    transact(List.of(ack(1), ack(1)), "fills");
    transact(List.of(new Acknowledgement(2, true), ack(2)), "fills");
    transact(List.of(ack(0)), "fills");

    String why = ": the message is not pending at this consumer";
    assertThat(events())
        .containsExactly(
            "not-pending: ack 2" + why,
            "not-pending: ack 2" + why,
            "not-pending: ack 2" + why,
            "not-pending: ack 1" + why);
    assertThat(link.run()).isEmpty();
    consumer.settle(2, true, ACK, new Result("both"));
    assertThat(link.run()).containsExactly("ack [a, b]");
  }

  @Test
  void shouldRefuseATransactionToADestinationThatIsNotServed() {
    open(2);
    deliver("a");

    transact(List.of(ack(1)), "fills", "$sys");

    assertThat(events())
        .containsExactly("forbidden: publish 2: name is reserved or invalid for this broker");
    assertThat(link.run()).isEmpty();
  }

  @Test
  void shouldReturnAllMessagesAfterAFailedTransaction() {
    open(4);
    deliver("a", "b", "c");

    link.fail("send audit", new JMSSecurityException("no"));
    transact(List.of(ack(1)), "fills", "audit", "never");
    transact(List.of(ack(2)), "fills");

    assertThat(link.run())
        .containsExactly("begin, ack [a]", "send fills", "send audit", "close [a, b, c]");
    assertThat(events())
        .containsExactly(
            "transaction-failed: publish 2: the broker denies access to this destination",
            "transaction-failed: the consumer at the broker failed",
            "released 0 broker-lost");
    later.remove().run();
    assertThat(link.run()).containsExactly("open orders", "request");
  }

  @Test
  void shouldExplainAFailedCommit() {
    open(2);
    deliver("a");

    link.fail("commit", new JMSException("rolled back"));
    transact(List.of(ack(1)));
    link.run();

    assertThat(events())
        .containsExactly(
            "transaction-failed: the broker did not store the transaction: rolled back",
            "released 0 broker-lost");
  }

  @Test
  void shouldReportWhetherATransactionMayHaveBeenStoredWhenTheBrokerIsLost() {
    open(2);
    deliver("a", "b");

    transact(List.of(ack(1)));
    transact(List.of(ack(2)));
    consumer.onLost("lost");

    assertThat(events())
        .containsExactly(
            "transaction-failed: the connection to the broker was lost",
            "broker-unavailable: the connection to the broker was lost",
            "released 0 broker-lost");
  }

  @Test
  void shouldReturnAReleasedMessageWhenNoOtherIsPending() {
    open(3);
    deliver("a", "b");

    settle(RELEASE, 1);
    assertThat(events()).containsExactly("release 1 settled");
    settle(RELEASE, 1);
    assertThat(events()).containsExactly("release 1 not-pending");
    assertThat(link.run()).containsExactly("cancel");
    link.session().deliver("on its way", false);
    assertThat(events()).isEmpty();
    settle(ACK, 2);

    assertThat(link.run()).containsExactly("ack [b]", "release [a]", "request");
    assertThat(events()).containsExactly("ack 2 settled");
    link.session().deliver("on its way", false);
    assertThat(events()).containsExactly("on its way#3");
  }

  @Test
  void shouldDeliverNothingNewWhileMoreIsPendingThanTheCredit() {
    open(3);
    deliver("a", "b");

    consumer.credit(1);

    assertThat(link.run()).containsExactly("cancel");
    settle(ACK, 1);
    assertThat(link.run()).containsExactly("ack [a]");
    settle(ACK, 2);
    assertThat(link.run()).containsExactly("ack [b]", "request");
  }

  @Test
  void shouldReturnAMessageThatArrivesAtAPausedConsumer() {
    open(1);
    deliver("a");
    settle(ACK, 1);
    consumer.credit(0);
    assertThat(link.run()).containsExactly("ack [a]", "request", "cancel");

    link.session().deliver("b", false);

    assertThat(link.run()).containsExactly("release []");
    assertThat(events()).containsExactly("ack 1 settled");
    consumer.credit(1);
    assertThat(link.run()).containsExactly("request");
  }

  @Test
  void shouldReturnTheMessageOfAPausedConsumerAfterItsPendingOnes() {
    open(2);
    deliver("a");
    consumer.credit(0);
    assertThat(link.run()).containsExactly("cancel");
    link.session().deliver("b", false);
    assertThat(link.run()).isEmpty();

    settle(ACK, 1);

    assertThat(link.run()).containsExactly("ack [a]", "release []");
  }

  @Test
  void shouldLimitTheBytesOfPendingMessages() {
    open(100);

    link.session().deliver("123456", false);
    assertThat(link.run()).containsExactly("request");
    link.session().deliver("7890", false);

    assertThat(link.run()).isEmpty();
    settle(ACK, 1);
    assertThat(link.run()).containsExactly("ack [123456]", "request");
  }

  @Test
  void shouldObserveTheLimitOfTheSession() {
    create(100).onConnected(link);
    link.hang().run();
    link.session().maxPending = 1;
    link.run();

    deliver("a");

    assertThat(link.run()).isEmpty();
  }

  @Test
  void shouldReleaseMessagesThatAreNotSettledInTime() {
    open(2);
    deliver("a");
    elapse(ACK_TIMEOUT_MS - 1);
    deliver("b");
    assertThat(events()).isEmpty();

    elapse(1);

    assertThat(events()).containsExactly("released 1 timeout");
    settle(ACK, 1);
    assertThat(events()).containsExactly("ack 1 not-pending");
    assertThat(link.run()).isEmpty();
    elapse(ACK_TIMEOUT_MS);
    assertThat(events()).containsExactly("released 2 timeout");
    assertThat(link.run()).containsExactly("release [a, b]", "request");
  }

  @Test
  void shouldNotReleaseAMessageWhoseAcknowledgementIsOnItsWay() {
    open(1);
    deliver("a");
    settle(ACK, 1);

    elapse(ACK_TIMEOUT_MS);

    assertThat(events()).isEmpty();
    assertThat(link.run()).containsExactly("ack [a]", "request");
  }

  @Test
  void shouldSettleBeforeItClosesAndReturnTheRest() {
    open(2);
    deliver("a", "b");
    settle(ACK, 1);

    consumer.close();
    settle(ACK, 2);

    assertThat(events()).containsExactly("ack 2 not-pending");
    assertThat(link.run()).containsExactly("ack [a]", "request", "close [b]");
    assertThat(events()).containsExactly("ack 1 settled", "ended");
    settle(ACK, 2);
    assertThat(events()).containsExactly("ack 2 not-pending");
    assertThat(metrics.queues().consumers()).isZero();
    assertThat(metrics.queues().pending()).isZero();
  }

  @Test
  void shouldCloseASessionThatIsOpenedAfterTheClose() {
    create(1).onConnected(link);
    consumer.close();

    assertThat(link.run()).containsExactly("open orders", "close []");
    assertThat(events()).containsExactly("ended");
  }

  @Test
  void shouldReturnMessagesBeforeTheConnectionIsClosed() {
    open(2);
    deliver("a");
    consumer.stop();
    assertThat(link.run()).containsExactly("close [a]");
    assertThat(events()).containsExactly("ended");

    open(1);
    consumer.stop();

    assertThat(link.run()).isEmpty();
    assertThat(events()).containsExactly("ended");
  }

  @Test
  void shouldEndAConsumerThatTheBrokerRefuses() {
    assertThat(refusal(new InvalidDestinationException("x"))).startsWith("refused unknown-queue");
    assertThat(refusal(new JMSSecurityException("x"))).startsWith("refused forbidden");
    assertThat(refusal(new InvalidSelectorException("near =")))
        .isEqualTo("refused invalid-selector: the broker refuses the selector: near =");
    assertThat(refusal(new JMSException("x"))).startsWith("refused broker-unavailable");
  }

  private String refusal(JMSException failure) {
    link.fail(failure);
    create(1).onConnected(link);
    link.run();
    List<String> happened = events();
    assertThat(happened).hasSize(2).endsWith("ended");
    return happened.get(0);
  }

  @Test
  void shouldRefuseAConsumerThatIsNotConnectedInTime() {
    create(1);

    elapse(CALL_TIMEOUT_MS);
    assertThat(events()).isEmpty();
    elapse(1);

    assertThat(events())
        .containsExactly("refused broker-unavailable: the broker is not connected", "ended");
  }

  @Test
  void shouldResumeAfterTheLossOfTheBroker() {
    open(2);
    deliver("a", "b");
    settle(ACK, 1);
    Runnable hanging = link.hang();

    consumer.onLost("gone");

    assertThat(events()).containsExactly("ack 1 broker-unavailable", "released 0 broker-lost");
    settle(ACK, 2);
    assertThat(events()).containsExactly("ack 2 not-pending");
    ScriptedLink lost = link;
    reconnect();
    assertThat(link.run()).containsExactly("open orders", "request");
    hanging.run(); // not at all: its session is lost
    lost.session().deliver("late", false);
    assertThat(lost.run()).isEmpty();
    assertThat(events()).isEmpty();
    link.session().deliver("b", false);
    assertThat(events()).containsExactly("b#3");
  }

  private void reconnect() {
    link = new ScriptedLink();
    consumer.onConnected(link);
  }

  @Test
  void shouldIgnoreTheResultOfACallOfALostConnection() {
    open(1);
    deliver("a");
    settle(ACK, 1);
    pausing = true;
    consumer.onLost("gone");
    assertThat(link.run()).containsExactly("ack [a]", "request");

    paused.remove().run();

    assertThat(events()).contains("ack 1 broker-unavailable").doesNotContain("ack 1 settled");
  }

  @Test
  void shouldEndWhenTheBrokerIsLostWhileTheConsumerIsOpenedOrClosed() {
    create(1).onConnected(link);
    consumer.onLost("gone");
    assertThat(events()).containsExactly("refused broker-unavailable: gone", "ended");

    link = new ScriptedLink();
    open(1);
    consumer.close();
    consumer.onLost("gone");

    assertThat(events()).containsExactly("ended");
    assertThat(metrics.queues().consumers()).isZero();
  }

  @Test
  void shouldOpenAgainWhenTheBrokerIsLostWhileItIsReopened() {
    open(1);
    consumer.onLost("gone");
    reconnect();
    consumer.onLost("gone");
    assertThat(events()).isEmpty();

    reconnect();

    assertThat(link.run()).containsExactly("open orders", "request");
  }

  @Test
  void shouldReportACallThatHangs() {
    open(1);
    assertThat(consumer.isOverdue(nowNs)).isFalse();
    deliver("a");
    settle(ACK, 1);
    link.fail(
        new JMSException("late") {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            nowNs += TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS + 1);
            return super.getMessage();
          }
        });
    pausing = true;
    link.hang().run(); // the call has not returned to its consumer

    assertThat(consumer.isOverdue(nowNs)).isFalse();
    assertThat(consumer.isOverdue(nowNs + TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS + 1)))
        .isTrue();
  }

  @Test
  void shouldOpenAnotherSessionAfterAFailedSettlement() {
    open(3);
    deliver("a", "b");
    link.fail(new JMSException("disk full"));

    settle(ACK, 1);

    assertThat(link.run()).containsExactly("ack [a]", "close [a, b]");
    assertThat(events()).containsExactly("ack 1 settle-failed", "released 0 broker-lost");
    later.remove().run();
    assertThat(link.run()).containsExactly("open orders", "request");
    link.session().deliver("b", true);
    assertThat(events()).containsExactly("b#3 again");
  }

  @Test
  void shouldReceiveMessagesWhileTheBrokerStoresAnAcknowledgement() {
    open(3);
    deliver("a");
    settle(ACK, 1);
    Runnable acknowledgement = link.hang();

    link.session().deliver("b", false);
    assertThat(link.run()).containsExactly("request");
    link.session().deliver("c", false);
    settle(ACK, 2);
    settle(ACK, 3);
    assertThat(link.run()).isEmpty();
    assertThat(events()).containsExactly("b#2", "c#3");
    acknowledgement.run();

    assertThat(link.run()).containsExactly("ack [a]", "ack [b, c]", "request");
    assertThat(events()).containsExactly("ack 1 settled", "ack 2 settled", "ack 3 settled");
  }

  @Test
  void shouldOpenAnotherSessionAfterAFailedRequest() {
    open(3);
    deliver("a");
    settle(ACK, 1);
    Runnable acknowledgement = link.hang();
    link.fail(new JMSException("no request"));
    link.session().deliver("b", false);

    assertThat(link.run()).containsExactly("request");
    acknowledgement.run();

    assertThat(link.run()).containsExactly("ack [a]", "close [b]");
    assertThat(events()).containsExactly("b#2", "ack 1 settled", "released 0 broker-lost");
  }

  @Test
  void shouldOpenAnotherSessionWhenTheBrokerClosesIt() {
    open(1);
    deliver("a");
    link.session().closed = true;

    consumer.check(nowNs);

    assertThat(events()).containsExactly("released 0 broker-lost");
    assertThat(link.run()).containsExactly("close [a]");
    link.fail(new JMSException("not yet"));
    later.remove().run();
    assertThat(link.run()).containsExactly("open orders");
    later.remove().run();
    assertThat(link.run()).containsExactly("open orders", "request");
  }

  /** The time limit applies to each call. */
  @Test
  void shouldSettleManyMessagesInSeveralCalls() {
    open(1_000);
    for (int i = 0; i < 600; i++) {
      link.session().deliver("", false);
      link.run();
    }
    events();

    settle(ACK, 540, true);

    List<String> calls = link.run();
    assertThat(calls).filteredOn(call -> call.startsWith("ack")).hasSize(3);
    assertThat(events()).containsExactly("ack 540 settled");
    assertThat(metrics.queues().pending()).isEqualTo(60);
    settle(REJECT, 600, true);
    assertThat(link.run()).filteredOn(call -> call.startsWith("reject")).hasSize(60);
    assertThat(events()).containsExactly("reject 600 settled");
    assertThat(metrics.queues().pending()).isZero();
  }

  @Test
  void shouldReportTheFailureOfOneOfSeveralCallsOnce() {
    open(1_000);
    for (int i = 0; i < 600; i++) {
      link.session().deliver("", false);
      link.run();
    }
    events();
    settle(ACK, 600, true);
    link.hang().run();
    link.fail(new JMSException("disk full"));

    link.run();

    assertThat(events()).containsExactly("ack 600 settle-failed", "released 0 broker-lost");
    assertThat(metrics.queues().pending()).isZero();
  }

  @Test
  void shouldDelayTheNextSessionByTheFailuresOfThisConsumerOnly() {
    open(1);
    for (int i = 0; i < 30; i++) {
      closeSession();
    }
    long failures = Collections.max(delays);
    assertThat(failures).isGreaterThan(1_000_000);

    nowNs += TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS + 1); // it works for a time
    closeSession();

    assertThat(delays.get(delays.size() - 1)).isLessThanOrEqualTo(1);
  }

  private void closeSession() {
    link.session().closed = true;
    consumer.check(nowNs);
    link.run();
    later.remove().run();
    link.run();
  }

  @Test
  void shouldCountTheAttemptOfAMessageThatItCannotReject() {
    open(2);
    deliver("a");
    link.session().deliver(TOO_LARGE, false);
    link.fail("reject [large] from orders to dead", new JMSException("full"));

    assertThat(link.run())
        .containsExactly("reject [large] from orders to dead", "close [a, large]");
  }

  @Test
  void shouldEndAfterTenAttemptsToRejectAMessage() {
    open(2);
    for (int i = 1; i <= 10; i++) {
      deliver("a" + i); // others are received and settled meanwhile
      settle(ACK, i);
      link.run();
      events();
      link.session().deliver(TOO_LARGE, false);
      failRejection();
      later.remove().run();
      link.run();
    }

    assertThat(events())
        .containsExactly(
            "refused settle-failed: message ID:large could not be moved to the dead-letter queue in"
                + " 10 attempts: full",
            "ended");
    assertThat(scrape())
        .contains("sluice_queue_stuck_total 1")
        .contains("sluice_queue_undeliverable_total{cause=\"too-large\"} 0");
  }

  @Test
  void shouldCountAttemptsToRejectThatCostTheConnection() {
    open(1);
    for (int i = 1; i <= 10; i++) {
      events();
      deliver("a");
      settle(REJECT, i);
      consumer.onLost("lost");
      link = new ScriptedLink();
      consumer.onConnected(link);
      link.run();
    }

    assertThat(events())
        .containsExactly(
            "reject 10 broker-unavailable",
            "released 0 broker-lost",
            "refused settle-failed: message ID:a could not be moved to the dead-letter queue in 10"
                + " attempts: the connection to the broker was lost",
            "ended");
  }

  @Test
  void shouldForgetTheAttemptsOfARejectedMessage() {
    open(1);
    for (int i = 1; i <= 30; i++) {
      link.session().deliver(TOO_LARGE, false);
      if (i % 10 == 0) {
        link.run();
      } else {
        failRejection();
        later.remove().run();
        link.run();
      }
    }

    assertThat(events()).isEmpty();
    assertThat(scrape()).contains("sluice_queue_undeliverable_total{cause=\"too-large\"} 3");
  }

  @Test
  void shouldEndAfterTenSessionsThatReceiveNoMessage() {
    open(1);
    for (int i = 1; i <= 10; i++) {
      link.session().failure = new JMSException("unreadable");
      closeSession();
    }

    assertThat(events())
        .containsExactly(
            "refused broker-unavailable: no message could be received in 10 attempts: unreadable",
            "ended");
  }

  private String scrape() {
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8);
  }

  private void failRejection() {
    link.fail("reject [large] from orders to dead", new JMSException("full"));
    link.run();
  }

  @Test
  void shouldRejectWhatCannotBeDelivered() {
    open(1);

    link.session().deliver(TOO_LARGE, false);
    assertThat(link.run()).containsExactly("reject [large] from orders to dead", "request");
    link.session().exhausted = true;
    link.session().deliver("a", true);
    assertThat(link.run()).containsExactly("reject [a] from orders to dead", "request");
    link.session().exhausted = false;
    link.session().deliverUndecodable();
    assertThat(link.run()).containsExactly("reject [null] from orders to dead", "request");
    link.session().deliver("b", false);

    assertThat(events()).containsExactly("b#1");
  }

  @Test
  void shouldMarkMessagesWhoseCountTheBrokerMayHaveLost() {
    link.suspectBeforeMs = 101;
    open(2);

    link.session().deliver("a", false);
    link.run();
    link.suspectBeforeMs = 100;
    link.session().deliver("b", false);

    assertThat(events()).containsExactly("a#1 perhaps again", "b#2");
  }

  @Test
  void shouldLimitTheSettlementsThatWait() {
    open(1);
    deliver("a");
    pausing = true;

    for (int i = 0; i <= 10_000; i++) {
      settle(ACK, 7);
    }
    assertThat(events()).isEmpty();
    settle(ACK, 8);

    assertThat(events()).containsExactly("ack 8 rate-limited");
  }

  @Test
  void shouldBrowseUpToALimit() {
    assertThat(browse(5)).containsExactly("a", "b", "c", "3", "ended");
    assertThat(browse(2)).containsExactly("a", "b", "2 and more", "ended");
    link.fail(new InvalidDestinationException("x"));
    assertThat(browse(2)).containsExactly("unknown-queue", "ended");
    link.fail(new JMSException("x"));
    assertThat(browse(2)).containsExactly("broker-unavailable", "ended");
  }

  @Test
  void shouldEndABrowseOnceAfterItsTimeout() {
    Browse browse = newBrowse(5);
    browse.onConnected(link);

    browse.check(TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS) - 1);
    assertThat(events()).isEmpty();
    browse.check(TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS));
    browse.onLost("gone");
    link.run();

    assertThat(events()).containsExactlyInAnyOrder("broker-unavailable", "ended");
  }

  /** It may wait for a message that matches. */
  @Test
  void shouldCloseTheBrowserOfALateBrowse() {
    Browse browse = newBrowse(5);
    browse.onConnected(link);
    link.whileBrowsing(() -> browse.check(TimeUnit.MILLISECONDS.toNanos(CALL_TIMEOUT_MS)));

    assertThat(link.run()).containsExactly("browse orders", "close browser");

    assertThat(events()).containsExactlyInAnyOrder("broker-unavailable", "ended");
  }

  private List<String> browse(int max) {
    newBrowse(max).onConnected(link);
    link.run();
    List<String> happened = new ArrayList<>(events());
    happened.remove("ended");
    happened.add("ended");
    return happened;
  }

  private Browse newBrowse(int max) {
    return new Browse(
        new Environment(),
        new QueueRequest(Requester.NODE, "orders", null, 1),
        max,
        new BrowseListener() {
          @Override
          public boolean onMessage(QueueDelivery message) {
            events.add(new String(message.payload(), UTF_8));
            return true;
          }

          @Override
          public void onBrowsed(int count, boolean more, int skipped) {
            events.add(count + (more ? " and more" : ""));
          }

          @Override
          public void onRefused(ErrorCode code, String why) {
            events.add(code.code());
          }
        },
        reader(),
        CALL_TIMEOUT_MS);
  }
}
