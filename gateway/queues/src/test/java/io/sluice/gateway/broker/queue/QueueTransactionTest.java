package io.sluice.gateway.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** A transaction without acknowledgements, at a broker whose calls the test runs. */
final class QueueTransactionTest {
  private static final long TIMEOUT_MS = 1_000;

  private final ScriptedLink link = new ScriptedLink();
  private final List<String> events = new ArrayList<>();
  private final QueueTransaction transaction =
      new QueueTransaction(
          new Environment(), List.of(publication("a"), publication("b")), new Result(), TIMEOUT_MS);

  private final class Environment implements LinkUser.Owner {
    @Override
    public Executor steps() {
      return Runnable::run;
    }

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public ReplySender replies() {
      throw new UnsupportedOperationException();
    }

    @Override
    public SessionSender.Factory senders() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Backoff backoff() {
      return new Backoff(1, 1, new SplittableRandom(1));
    }

    @Override
    public void later(Backoff backoff, Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void remove(LinkUser ended) {
      events.add("ended");
    }
  }

  private final class Result implements PublishListener {
    @Override
    public void onPublished() {
      events.add("committed");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      events.add(code.code() + ": " + why);
    }
  }

  private static Publication publication(String topic) {
    return new Publication(topic, PayloadKind.TEXT, new byte[0], Map.of());
  }

  @Test
  void shouldSendAllMessagesInOrderAndCommit() {
    transaction.onConnected(link);

    assertThat(link.run()).containsExactly("begin", "send a", "send b", "commit");
    assertThat(events).containsExactly("ended", "committed");
    transaction.onLost("lost");
    transaction.check(Long.MAX_VALUE);
    assertThat(events).hasSize(2);
  }

  @Test
  void shouldNameTheMessageThatTheBrokerRefuses() {
    link.fail("send b", new InvalidDestinationException("none"));
    transaction.onConnected(link);

    assertThat(link.run()).containsExactly("begin", "send a", "send b");
    assertThat(events)
        .containsExactly(
            "ended", "transaction-failed: publish 2: the broker has no such destination");
  }

  @Test
  void shouldExplainAFailedCommit() {
    link.fail("commit", new JMSException("full"));
    transaction.onConnected(link);
    link.run();

    assertThat(events)
        .containsExactly(
            "ended", "transaction-failed: the broker did not store the transaction: full");
  }

  @Test
  void shouldSendNothingAfterItsTimeLimit() {
    transaction.onConnected(link);
    transaction.check(TIMEOUT_MS * 1_000_000 - 1);
    assertThat(events).isEmpty();

    transaction.check(TIMEOUT_MS * 1_000_000);

    assertThat(events)
        .containsExactly("ended", "broker-unavailable: the broker did not respond in time");
    assertThat(link.run()).isEmpty();
  }

  @Test
  void shouldEndWithTheConnection() {
    transaction.onLost("the broker is not connected");

    assertThat(events).containsExactly("ended", "broker-unavailable: the broker is not connected");
  }

  @Test
  void shouldEndWithTheNode() {
    transaction.onConnected(link);
    transaction.stop();

    assertThat(events).containsExactly("ended", "broker-unavailable: the node is stopping");
    assertThat(link.run()).isEmpty();
  }
}
