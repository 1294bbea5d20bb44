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
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records and expiry of durable subscriptions at a real broker. */
@Timeout(60)
final class ArtemisSubscriptionsIT {
  private static final long EXPIRY_MS = 3_600_000;

  /** Time of the last use of a subscription that is too old. */
  private static final long OLD_MS = 1;

  private static final String RECORDS =
      "sluice.durables=send,consume,browse,createAddress,createDurableQueue";
  private static final String ORDERS =
      "orders.#=consume,createAddress,createDurableQueue,deleteDurableQueue";
  private static final String KEPT = "kept.#=consume,createAddress,createDurableQueue";

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ArtemisSubscriptions subscriptions =
      new ArtemisSubscriptions(
          new Wildcards("*", "#", "."), new SubscriptionLimits(EXPIRY_MS, 10), 1_000);
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

  private List<TopicSubscription> list(int max) throws JMSException {
    return subscriptions.list(connection, null, max).stream()
        .map(DurableState::subscription)
        .toList();
  }

  @Test
  void shouldKeepASubscriptionThatAClientUsesDuringTheCheck() throws Exception {
    start();
    create(of("orders.eu"));
    Entry read = use(of("orders.eu"), OLD_MS);
    create(of("orders.eu")); // a client uses it, and leaves

    subscriptions.expire(session, read, System.currentTimeMillis());

    assertThat(list(10)).containsExactly(of("orders.eu"));
    use(of("orders.eu"), OLD_MS);
    subscriptions.expire(connection);
    assertThat(list(10)).isEmpty();
  }

  @Test
  void shouldRenewSubscriptionsInUseAlthoughOneCannotBeDeleted() throws Exception {
    start(RECORDS, ORDERS, KEPT);
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
  void shouldListTheFirstSubscriptions() throws Exception {
    start();
    create(of("orders.us"));
    create(of("orders.eu"));
    create(of("orders.jp"));
    use(of("orders.aa"), OLD_MS); // without a queue

    assertThat(list(2)).containsExactly(of("orders.eu"), of("orders.jp"));
  }
}
