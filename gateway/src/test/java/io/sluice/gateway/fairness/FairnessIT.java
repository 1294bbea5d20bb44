package io.sluice.gateway.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.MessageProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One user keeps each shared pool of a node at a multiple of its capacity, and nine use it at a low
 * rate. The same nine use a second node at the same time, whose latencies show the load of machine
 * and broker.
 */
@Tag("alone")
@Timeout(300)
final class FairnessIT {
  private static final int USERS = 9;

  private static final Duration MEASURED = Duration.ofSeconds(4);

  /** One way, between node and broker. */
  private static final long LINK_MICROS = 5_000;

  private static final double WORSE = 3;

  /** Latencies below this pass, even if those of the idle node are lower. */
  private static final double GOOD_MS = 250;

  private static final int RATE = 1_000_000;
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static ArtemisProcess broker;
  private static SlowLink link;
  private static JmsResponder responder;
  private static TestNode node;
  private static TestNode control;

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = ArtemisProcess.start();
    link = new SlowLink(broker.url()).delayMicros(LINK_MICROS);
    try (TestPublisher publisher = new TestPublisher(broker.provider(), broker.url())) {
      MessageProducer producer =
          publisher.session().createProducer(publisher.session().createQueue("full"));
      for (int i = 0; i < 300; i++) {
        producer.send(publisher.session().createTextMessage("x"));
      }
    }
    responder =
        JmsResponder.ofQueue(
            broker, "asked", (session, request) -> session.createTextMessage("answer"));
    node = TestNode.start(config());
    control = TestNode.start(config());
    node.awaitReady();
    control.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    control.close();
    node.close();
    responder.close();
    link.close();
    broker.close();
    issuer.close();
  }

  private static Config config() {
    return TestNode.unlimited(TestNode.config(broker.provider(), link.url()))
        .with(BrokerSettings.LINGER, Duration.ofSeconds(5))
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(TopicSettings.QUEUES_SEND, List.of(">"))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
        .with(TopicSettings.QUEUES_BROWSE, List.of(">"))
        .with(TopicSettings.TOPICS_DURABLE, List.of(">"))
        .with(TopicSettings.PRESENCE_TOPICS, List.of(">"))
        .with(HistorySettings.MEMORY, 16L << 20)
        .with(LimitSettings.SUBSCRIBE_RATE, RATE)
        .with(LimitSettings.FRAME_RATE, RATE)
        .with(LimitSettings.PUBLISH_RATE, RATE)
        .with(LimitSettings.ADMIN_CONNECTIONS, 1_000);
  }

  /** Client that runs operations on a thread of its own. */
  private static final class User extends Thread implements AutoCloseable {
    private static final AtomicInteger ADDRESSES = new AtomicInteger(1);

    private final Pool pool;
    private final TestNode node;
    private final String name;
    private final long intervalNs;
    private final RawWebSocket client;
    private final List<Double> latenciesMs = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    /**
     * @param subject user name
     * @param intervalNs between the starts of two operations, or 0 to run one after the other
     */
    User(Pool pool, TestNode node, String subject, int number, String address, long intervalNs) {
      super("user-" + subject);
      this.pool = pool;
      this.node = node;
      this.name = subject + "-" + number;
      this.intervalNs = intervalNs;
      this.client = node.request().subprotocols("sluice.v1.json").from(address).open();
      JwtClaims claims = TestKey.claims();
      claims.setSubject(subject);
      client.text("{\"type\":\"connect\",\"ref\":1,\"token\":\"" + KEY.sign(claims) + "\"}");
      client.await("hello");
      pool.prepare(client, name);
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        long dueNs = System.nanoTime() + (long) (Math.random() * intervalNs);
        for (int ref = 10; !stopped; ref += 10) {
          while (intervalNs > 0 && System.nanoTime() < dueNs) {
            LockSupport.parkNanos(dueNs - System.nanoTime());
          }
          long startNs = intervalNs > 0 ? dueNs : System.nanoTime();
          pool.operate(client, node, name, ref);
          latenciesMs.add((System.nanoTime() - startNs) / 1e6);
          dueNs += intervalNs;
        }
      } catch (RuntimeException | Error e) {
        failure.set(e);
      }
    }

    @Override
    public void close() {
      stopped = true;
      client.close();
    }
  }

  /** Figures of the nine users at one node. */
  private record Figures(int count, double p50, double p90) {
    static Figures take(List<User> users) {
      List<Double> all = new ArrayList<>();
      for (User user : users) {
        synchronized (user.latenciesMs) {
          all.addAll(user.latenciesMs);
          user.latenciesMs.clear();
        }
        assertThat(user.failure.get()).as(user.name).isNull();
      }
      Collections.sort(all);
      return all.isEmpty()
          ? new Figures(0, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY)
          : new Figures(all.size(), all.get(all.size() / 2), all.get(all.size() * 9 / 10));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeNineUsersBesideOneThatOverloads(Pool pool) throws Exception {
    long intervalNs = Duration.ofMillis(pool.intervalMs()).toNanos();
    List<User> nine = new ArrayList<>();
    List<User> elsewhere = new ArrayList<>();
    List<User> flood = new ArrayList<>();
    try {
      for (int i = 0; i < USERS; i++) {
        String address = "127.0.0." + (10 + i);
        nine.add(new User(pool, node, "user" + i, 0, address, intervalNs));
        elsewhere.add(new User(pool, control, "user" + i, 1, address, intervalNs));
      }
      for (int i = 0; i < pool.flood(); i++) {
        flood.add(new User(pool, node, "flood", i, "127.0.0.9", 0));
      }
      nine.forEach(Thread::start);
      elsewhere.forEach(Thread::start);
      pause(MEASURED.dividedBy(4)); // connections and caches of the first operations
      Figures.take(nine);
      Figures.take(elsewhere);
      pause(MEASURED);
      Figures idle = Figures.take(nine);
      flood.forEach(Thread::start);
      pause(MEASURED.dividedBy(4));
      Figures.take(nine);
      Figures.take(elsewhere);
      pause(MEASURED);
      Figures beside = Figures.take(nine);
      Figures machine = Figures.take(elsewhere);
      int flooding = flood.stream().mapToInt(user -> user.latenciesMs.size()).sum();
      flood.forEach(user -> assertThat(user.failure.get()).as(user.name).isNull());
      System.out.printf(
          "%-20s idle %s, beside the flood %s, at the other node %s, flood %d%n",
          pool, idle, beside, machine, flooding);
      assertThat(beside.p90())
          .as("p90 in ms; idle %s, at the other node %s", idle, machine)
          .isLessThan(Math.max(GOOD_MS, WORSE * Math.max(idle.p90(), machine.p90())));
    } finally {
      nine.forEach(User::close);
      elsewhere.forEach(User::close);
      flood.forEach(User::close);
    }
  }

  private static void pause(Duration time) {
    long endNs = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < endNs) {
      LockSupport.parkNanos(endNs - System.nanoTime());
    }
  }
}
