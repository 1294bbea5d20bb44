package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ConsumerOpenerTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int MANY = ConsumerOpener.CLOSING_BACKLOG + 100;
  private static final int MORE = 50;
  private static final int PARALLELISM = 4;

  private final ExecutorService control = Executors.newSingleThreadExecutor();
  private final Semaphore closings = new Semaphore(0);
  private final AtomicInteger consumers = new AtomicInteger();
  private final AtomicInteger mostConsumers = new AtomicInteger();
  private final List<OpenedConsumer> opened = new CopyOnWriteArrayList<>();
  private volatile Session closedSession;
  private final AtomicInteger sessionsToClose = new AtomicInteger();
  private final AtomicInteger orphanedQueues = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final BrokerConnection connection = connection();
  private volatile int sessionCapacity = 1;
  private ConsumerOpener opener = newOpener();

  @AfterEach
  void stop() throws Exception {
    control.submit(opener::end).get(120, TimeUnit.SECONDS);
    control.shutdown();
  }

  private ConsumerOpener newOpener() {
    return new ConsumerOpener(
        new Results(), control, new CountingProvider(), PARALLELISM, 60_000, System::nanoTime);
  }

  static BrokerConnection connection() {
    try {
      return new BrokerConnection(stub(Connection.class), System::nanoTime);
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns an object whose methods do nothing and return others of the kind. */
  static <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getReturnType().isInterface() ? stub(method.getReturnType()) : null));
  }

  /** Provider whose closings wait for a permit. */
  private final class CountingProvider implements Provider {
    @Override
    public Connection connect(int index, Runnable onLost) {
      throw new AssertionError();
    }

    @Override
    public Wildcards wildcards() {
      return new Wildcards("*", "#", ".");
    }

    @Override
    public int consumersPerSession() {
      return sessionCapacity;
    }

    @Override
    public boolean isClosed(Session session) {
      return session == closedSession;
    }

    @Override
    public boolean hasOrphanedQueues() {
      return orphanedQueues.get() > 0;
    }

    @Override
    public void deleteOrphanedQueues(Connection connection) {
      orphanedQueues.set(0);
    }

    @Override
    public MessageConsumer consumer(Session session, Topic topic, String selector)
        throws JMSException {
      if (sessionsToClose.getAndDecrement() > 0) {
        closedSession = session;
        throw new JMSException("the broker has closed the session");
      }
      int now = consumers.incrementAndGet();
      mostConsumers.accumulateAndGet(now, Math::max);
      return Provider.super.consumer(session, topic, selector);
    }

    @Override
    public void close(MessageConsumer consumer, Session session, Connection connection) {
      closings.acquireUninterruptibly();
      consumers.decrementAndGet();
    }
  }

  private final class Results implements ConsumerOpener.Owner {
    @Override
    public void onOpened(Opening opening, OpenedConsumer consumer) {
      opened.add(consumer);
    }

    @Override
    public void onFailed(Opening opening, Throwable cause, boolean responsive) {
      failed.incrementAndGet();
    }

    @Override
    public void onSettled(Opening opening) {}

    @Override
    public void onUnresponsive() {
      throw new AssertionError();
    }
  }

  private static final class NoListener implements TopicListener {
    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {}

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {}

    @Override
    public void onActive(boolean again) {}

    @Override
    public void onRefused(ErrorCode code, String why) {}
  }

  private void open(int topics) {
    for (int i = 0; i < topics; i++) {
      BrokerInterest interest =
          new NonDurableInterest(null, InterestKey.of("topic." + i), new NoListener());
      control.execute(() -> opener.open(new Opening(interest, connection, null, false)));
    }
  }

  @Test
  void shouldOpenOneTopicForEachClosingWhileManyWait() {
    open(MANY);
    await().atMost(LONG).until(() -> opened.size() == MANY);
    List<OpenedConsumer> unused = List.copyOf(opened);
    control.execute(() -> unused.forEach(opener::close));
    open(MORE);
    closings.release(PARALLELISM);
    await().atMost(LONG).until(() -> opened.size() >= MANY + PARALLELISM);
    assertThat(opened).hasSize(MANY + PARALLELISM);
    closings.release(MANY);
    await().atMost(LONG).until(() -> opened.size() == MANY + MORE && consumers.get() == MORE);
    assertThat(mostConsumers).hasValue(MANY);
  }

  @Test
  void shouldNotWaitForTheClosingOfConsumersThatTheBrokerHasClosed() {
    open(MANY);
    await().atMost(LONG).until(() -> opened.size() == MANY);
    for (OpenedConsumer broken : List.copyOf(opened)) {
      BrokerInterest interest =
          new NonDurableInterest(null, InterestKey.of("topic"), new NoListener());
      control.execute(() -> opener.open(new Opening(interest, connection, broken, false)));
    }
    await().atMost(LONG).until(() -> opened.size() == 2 * MANY);
    closings.release(MANY);
    await().atMost(LONG).until(() -> consumers.get() == MANY);
  }

  @Test
  void shouldOpenATopicAgainIfTheBrokerClosesItsNewSession() {
    sessionCapacity = 2;
    opener = newOpener();
    sessionsToClose.set(1);
    open(1);
    await().atMost(LONG).until(() -> opened.size() == 1);
    assertThat(failed).hasValue(0);
  }

  @Test
  void shouldReportAFailureIfTheBrokerClosesTwoNewSessions() {
    sessionCapacity = 2;
    opener = newOpener();
    sessionsToClose.set(2);
    open(1);
    await().atMost(LONG).until(() -> failed.get() == 1);
    assertThat(opened).isEmpty();
  }

  @Test
  void shouldDeleteOrphanedQueuesWithoutAClosing() {
    orphanedQueues.set(1);
    control.execute(() -> opener.deleteOrphanedQueues(connection));
    await().atMost(LONG).until(() -> orphanedQueues.get() == 0);
  }
}
