package io.sluice.gateway.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.ClientSubscriptions;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.broker.queue.QueueLink.Kind;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads of a connection whose broker blocks lists of subscriptions. */
@Timeout(180)
final class JmsQueueLinkTest {
  private static final int MANY = 100;

  private final CountDownLatch answer = new CountDownLatch(1);
  private final JmsQueueLink link =
      new JmsQueueLink(
          new Unconnected(),
          new QueueOptions(1_000, 1_000, "", 1_000, new SubscriptionLimits(60_000, 10)),
          new Blocking(),
          new NoTransactions(),
          timeMs -> false,
          BrokerThreads.SYSTEM,
          BrokerThreads.SYSTEM.nowNs());

  private static final class Unconnected implements Provider {
    @Override
    public Connection connect(int index, Runnable onLost) throws JMSException {
      throw new JMSException("no broker");
    }

    @Override
    public Wildcards wildcards() {
      return new Wildcards("*", ">", ".");
    }
  }

  private static final class NoTransactions implements SessionSender.Factory {
    @Override
    public boolean isServed(Publication publication) {
      return false;
    }

    @Override
    public SessionSender open(Session session) throws JMSException {
      throw new JMSException("no broker");
    }
  }

  private final class Blocking implements ClientSubscriptions {
    @Override
    public List<DurableState> list(Connection connection, String principal, int max) {
      waitForAnswer();
      return List.of();
    }

    @Override
    public QueueSession open(
        Connection connection,
        TopicSubscription subscription,
        String where,
        QueueSession.Listener listener,
        Executor executor)
        throws JMSException {
      throw new JMSException("no broker");
    }

    @Override
    public void delete(Connection connection, TopicSubscription subscription) {}
  }

  private void waitForAnswer() {
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void close() {
    answer.countDown();
    link.close(false);
  }

  @ParameterizedTest
  @EnumSource(value = Kind.class, names = "SETTLE", mode = EnumSource.Mode.EXCLUDE)
  void shouldAcknowledgeWhileTheBrokerBlocksCallsOfAnotherKind(Kind kind) throws Exception {
    for (int i = 0; i < MANY; i++) {
      link.call(kind, "ann", this::waitForAnswer);
    }
    CountDownLatch acknowledged = new CountDownLatch(1);

    link.call(Kind.SETTLE, "ann", acknowledged::countDown);

    assertThat(acknowledged.await(120, TimeUnit.SECONDS)).isTrue();
  }

  /** Task of any user that sends to destinations. */
  private static QueueLink.SendTask sending(
      Set<String> destinations, Runnable work, List<String> refusals) {
    return new QueueLink.SendTask() {
      @Override
      public void run() {
        work.run();
      }

      @Override
      public Set<String> destinations() {
        return destinations;
      }

      @Override
      public void onBlocked(String why) {
        refusals.add(why);
      }
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"SEND", "TRANSACTION"})
  void shouldSendToOtherDestinationsWhileOneBlocks(Kind kind) throws Exception {
    List<String> refusals = new CopyOnWriteArrayList<>();
    for (int i = 0; i < MANY; i++) {
      link.call(kind, "user" + i, sending(Set.of("queue full"), this::waitForAnswer, refusals));
    }
    CountDownLatch sent = new CountDownLatch(MANY);
    for (int i = 0; i < MANY; i++) {
      link.call(kind, "user" + i, sending(Set.of("queue healthy"), sent::countDown, refusals));
    }
    assertThat(sent.await(120, TimeUnit.SECONDS)).isTrue();

    link.check(TimeUnit.SECONDS.toNanos(1));
    assertThat(refusals).isEmpty();
    link.check(TimeUnit.SECONDS.toNanos(6));

    assertThat(refusals).hasSizeGreaterThan(MANY / 2);
    assertThat(refusals).allMatch(why -> why.contains("queue full"));
  }

  // One user's transactions name a destination of all users, and one that is full.
  @ParameterizedTest
  @EnumSource(names = {"SEND", "TRANSACTION"})
  void shouldSendToADestinationWhileAUserBlocksAtAnother(Kind kind) throws Exception {
    List<String> refusals = new CopyOnWriteArrayList<>();
    List<String> own = new CopyOnWriteArrayList<>();
    for (int i = 0; i < MANY; i++) {
      link.call(
          kind, "greedy", sending(Set.of("queue all", "queue full"), this::waitForAnswer, own));
    }
    CountDownLatch sent = new CountDownLatch(MANY);
    for (int i = 0; i < MANY; i++) {
      link.call(kind, "user" + i, sending(Set.of("queue all"), sent::countDown, refusals));
    }
    assertThat(sent.await(120, TimeUnit.SECONDS)).isTrue();
    link.check(TimeUnit.SECONDS.toNanos(1));
    link.check(TimeUnit.SECONDS.toNanos(6));

    assertThat(refusals).isEmpty();
    assertThat(own).hasSizeGreaterThan(MANY / 2);
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeAUserWhileCallsOfTwoOthersBlock(Kind kind) throws Exception {
    for (String greedy : List.of("greedy", "also greedy")) {
      for (int i = 0; i < MANY; i++) {
        link.call(kind, greedy, this::waitForAnswer);
      }
    }
    CountDownLatch served = new CountDownLatch(MANY);

    for (int i = 0; i < MANY; i++) {
      link.call(kind, "modest", served::countDown);
    }

    assertThat(served.await(120, TimeUnit.SECONDS)).isTrue();
  }
}
