package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.ArtemisSubscriptionRecords.Entry;
import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records and expiry of durable subscriptions at a real broker. */
@Timeout(180)
final class ArtemisSubscriptionsIT {
  private static final long EXPIRY_MS = 3_600_000;

  private static final long INTERVAL_MS = EXPIRY_MS / 10;

  /** Time of the last use of a subscription that is too old at {@link #LATE_MS}. */
  private static final long OLD_MS = 1;

  private static final long LATE_MS = 100 * EXPIRY_MS;

  /** Number of checks until an unused subscription has expired. */
  private static final int CHECKS = 16;

  private static final String RECORDS =
      "sluice.durables=send,consume,browse,createAddress,createDurableQueue";
  private static final String ORDERS =
      "orders.#=consume,createAddress,createDurableQueue,deleteDurableQueue";
  private static final String KEPT = "kept.#=consume,createAddress,createDurableQueue";

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 1_000); // overflows
  private final ArtemisSubscriptions subscriptions = node();
  private ArtemisProcess broker;
  private Connection connection;
  private ClientSession session;

  @AfterEach
  void close() throws Exception {
    connection.close();
    broker.close();
    executor.shutdownNow();
  }

  private void start(String... grants) throws Exception {
    List<String> options = new ArrayList<>();
    if (grants.length > 0) {
      options.addAll(List.of("--user", "node", "--password", "secret", "--grant", "#="));
    }
    for (String grant : grants) {
      options.addAll(List.of("--grant", grant));
    }
    broker = ArtemisProcess.start(options.toArray(String[]::new));
    connection = new ActiveMQConnectionFactory(broker.url()).createConnection("node", "secret");
    connection.start();
    session =
        ((ActiveMQSession) connection.createSession(false, Session.AUTO_ACKNOWLEDGE))
            .getCoreSession();
  }

  private ArtemisSubscriptions node() {
    return new ArtemisSubscriptions(
        new Wildcards("*", "#", "."), new SubscriptionLimits(EXPIRY_MS, 10), 1_000, nowNs::get);
  }

  private static TopicSubscription of(String topic) {
    return new TopicSubscription("ann", topic, "desk", true);
  }

  private QueueSession open(TopicSubscription subscription) throws JMSException {
    return subscriptions.open(connection, subscription, null, (message, failure) -> {}, executor);
  }

  private void create(TopicSubscription subscription) throws JMSException {
    open(subscription).close(List.of());
  }

  /** Replaces the time of the last use of a subscription. */
  private Entry use(TopicSubscription subscription, long usedMs) throws Exception {
    Entry entry = new Entry(SubscriptionName.of(subscription), "ann", null, usedMs);
    new ArtemisSubscriptionRecords(session).put(entry);
    return entry;
  }

  private long usedMs(TopicSubscription subscription) throws Exception {
    return new ArtemisSubscriptionRecords(session)
        .read("ann").stream()
            .filter(entry -> entry.queue().equals(SubscriptionName.of(subscription)))
            .findFirst()
            .orElseThrow()
            .usedMs();
  }

  private void setClock(long valueMs) throws Exception {
    new ArtemisSubscriptionRecords(session).putClock(valueMs);
  }

  private long clockMs() throws Exception {
    return new ArtemisSubscriptionRecords(session).clockMs();
  }

  private void pass(long timeMs) {
    nowNs.addAndGet(timeMs * 1_000_000);
  }

  /** Runs checks of nodes, one interval after the other. */
  private void check(int times, ArtemisSubscriptions... nodes) throws JMSException {
    for (int i = 0; i < times; i++) {
      for (ArtemisSubscriptions node : nodes) {
        node.expire(connection);
      }
      pass(INTERVAL_MS);
    }
  }

  private List<TopicSubscription> list(int max) throws JMSException {
    return subscriptions.list(connection, null, max).stream()
        .map(DurableState::subscription)
        .toList();
  }

  @Test
  void shouldKeepASubscriptionThatAClientUsesDuringTheCheck() throws Exception {
    start();
    setClock(LATE_MS);
    create(of("orders.eu"));
    Entry read = use(of("orders.eu"), OLD_MS);
    create(of("orders.eu")); // a client uses it, and leaves

    subscriptions.expire(session, read, LATE_MS);

    assertThat(list(10)).containsExactly(of("orders.eu"));
    use(of("orders.eu"), OLD_MS);
    subscriptions.expire(connection);
    assertThat(list(10)).isEmpty();
  }

  @Test
  void shouldRenewSubscriptionsInUseAlthoughOneCannotBeDeleted() throws Exception {
    start(RECORDS, ORDERS, KEPT);
    setClock(LATE_MS);
    create(of("kept.eu"));
    QueueSession used = open(of("orders.eu"));
    create(of("orders.us"));
    use(of("kept.eu"), OLD_MS);
    use(of("orders.eu"), OLD_MS);
    use(of("orders.us"), OLD_MS);

    subscriptions.expire(connection);

    assertThat(usedMs(of("orders.eu"))).isGreaterThan(OLD_MS);
    assertThat(list(10)).containsExactly(of("kept.eu"), of("orders.eu"));
    used.close(List.of());
  }

  @Tag("full")
  @Test
  void shouldExpireASubscriptionAfterItsUnusedTimeOnly() throws Exception {
    start();
    create(of("orders.eu"));

    check(CHECKS - 2, subscriptions);
    assertThat(list(10)).containsExactly(of("orders.eu"));

    check(2, subscriptions);
    assertThat(list(10)).isEmpty();
  }

  @Tag("full")
  @Test
  void shouldCountNoOutage() throws Exception {
    start();
    QueueSession used = open(of("orders.eu"));
    check(3, subscriptions, node());
    used.close(List.of());

    pass(1_000 * EXPIRY_MS); // the broker is down
    check(11, subscriptions, node());
    assertThat(list(10)).containsExactly(of("orders.eu"));

    check(4, subscriptions);
    assertThat(list(10)).isEmpty();
  }

  @Tag("full")
  @Test
  void shouldCountNoTimeWithoutNodes() throws Exception {
    start();
    create(of("orders.eu"));
    check(3, subscriptions);

    pass(1_000 * EXPIRY_MS);
    ArtemisSubscriptions started = node();
    check(11, started);
    assertThat(list(10)).containsExactly(of("orders.eu"));

    check(3, started);
    assertThat(list(10)).isEmpty();
  }

  @Tag("full")
  @Test
  void shouldExpireSubscriptionsWhileNodesRestart() throws Exception {
    start();
    create(of("orders.eu"));

    for (int i = 0; i < CHECKS; i++) {
      check(2, node()); // the second check counts
    }

    assertThat(list(10)).isEmpty();
  }

  @Tag("full")
  @Test
  void shouldNotCountTheChecksOfSeveralNodesTwice() throws Exception {
    start();
    create(of("orders.eu"));

    check(11, node(), node(), node());

    assertThat(clockMs()).isEqualTo(10 * INTERVAL_MS);
    assertThat(list(10)).containsExactly(of("orders.eu"));
  }

  @Tag("full")
  @Test
  void shouldContinueWithTheLatestUseIfTheClockIsMissing() throws Exception {
    start();
    create(of("orders.eu"));
    create(of("orders.us"));
    use(of("orders.eu"), LATE_MS);
    use(of("orders.us"), OLD_MS);

    subscriptions.expire(connection);

    assertThat(list(10)).containsExactly(of("orders.eu"));
    assertThat(clockMs()).isEqualTo(LATE_MS);
  }

  @Test
  void shouldCreateNoQueueOfRecordsForACheck() throws Exception {
    start();

    subscriptions.expire(connection);

    assertThat(session.queueQuery(SimpleString.of(SubscriptionName.RECORDS)).isExists()).isFalse();
  }

  @Test
  void shouldDeleteASubscriptionWithoutTheQueueOfRecords() throws Exception {
    start();
    create(of("orders.eu"));
    session.deleteQueue(SimpleString.of(SubscriptionName.RECORDS));

    subscriptions.delete(connection, of("orders.eu"));

    String queue = SubscriptionName.of(of("orders.eu"));
    assertThat(session.queueQuery(SimpleString.of(queue)).isExists()).isFalse();
  }

  @Test
  void shouldLeaveNoSharedSubscriptionThatHasNeverHadAConsumer() throws Exception {
    start("trades.#=createAddress,createNonDurableQueue,deleteNonDurableQueue");
    TopicSubscription workers = new TopicSubscription("ann", "trades.eu", "workers", false);

    assertThatThrownBy(() -> open(workers)).isInstanceOf(JMSSecurityException.class);

    String queue = SubscriptionName.of(workers);
    assertThat(session.queueQuery(SimpleString.of(queue)).isExists()).isFalse();
  }

  @Test
  void shouldStoreNoMessagesOfASharedSubscriptionThatHasNeverHadAConsumer() throws Exception {
    start();
    TopicSubscription workers = new TopicSubscription("ann", "trades.eu", "workers", false);
    SimpleString queue = SimpleString.of(SubscriptionName.of(workers));
    subscriptions.create(
        session,
        queue,
        workers,
        "a = 1",
        ArtemisSubscriptionRecords::clockMs); // by a node that ends

    publish("trades.eu");
    assertThat(session.queueQuery(queue).getMessageCount()).isZero();

    QueueSession used = open(workers); // with another selector
    publish("trades.eu");
    assertThat(session.queueQuery(queue).getMessageCount()).isEqualTo(1);
    assertThatThrownBy(
            () -> subscriptions.open(connection, workers, "a = 1", (message, why) -> {}, executor))
        .isInstanceOf(SubscriptionRefusal.class);
    used.close(List.of());
    assertThat(session.queueQuery(queue).isExists()).isFalse();
  }

  private void publish(String topic) throws JMSException {
    try (Session publishing = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      publishing
          .createProducer(publishing.createTopic(topic))
          .send(publishing.createTextMessage("m"));
    }
  }

  @Test
  void shouldListTheFirstSubscriptions() throws Exception {
    start();
    create(of("orders.us"));
    create(of("orders.eu"));
    create(of("orders.jp"));
    use(of("orders.aa"), OLD_MS); // without a queue

    assertThat(list(2)).containsExactly(of("orders.eu"), of("orders.jp"));
  }
}
