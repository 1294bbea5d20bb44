package io.sluice.gateway.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestScope;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.SlowLink;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One user keeps each shared pool of a node at a multiple of its capacity, and nine use it at a low
 * rate. The same nine use a second node at the same time, whose latencies show the load of machine
 * and broker.
 */
@Tag("alone")
@Timeout(300)
final class FairnessIT {
  private static final int USERS = 9;

  /** Number of the greedy user. */
  private static final int FLOOD = USERS;

  private static final int ROUNDS = 5;
  private static final Duration MEASURED = Duration.ofSeconds(2);

  /** One way, between node and broker. */
  private static final long LINK_MICROS = 5_000;

  private static final double WORSE = 3;

  /** Latencies below this pass, even if those of the idle node are lower. */
  private static final double GOOD_MS = 250;

  private static final int RATE = 1_000_000;

  @TempDir private static Path folder;
  private static Path tokens;
  private static TestIssuer issuer;
  private static Scene scene;

  /** How users are told apart. */
  private enum Identity {
    SUBJECT,
    /** Anonymous clients. */
    ADDRESS
  }

  /** Broker, and two nodes whose clients are told apart in one way. */
  private record Scene(
      Identity identity,
      TestBroker broker,
      SlowLink link,
      JmsResponder responder,
      TestNode node,
      TestNode control)
      implements AutoCloseable {
    static Scene open(String provider, Identity identity) throws Exception {
      TestBroker broker = TestBroker.start(provider);
      SlowLink link = new SlowLink(broker.url()).delayMicros(LINK_MICROS);
      try (TestPublisher publisher = new TestPublisher(provider, broker.url())) {
        MessageProducer producer =
            publisher.session().createProducer(publisher.session().createQueue("full"));
        for (int i = 0; i < 300; i++) {
          producer.send(publisher.session().createTextMessage("x"));
        }
      }
      JmsResponder responder = JmsResponder.ofQueue(broker, "asked", JmsResponder.text("answer"));
      String url = link.url();
      if (provider.equals("artemis")) {
        url += "?minLargeMessageSize=" + Pool.LARGE_BYTES;
      }
      TestNode node = TestNode.start(config(provider, url, identity, "node"));
      TestNode control = TestNode.start(config(provider, url, identity, "control"));
      node.awaitReady();
      control.awaitReady();
      return new Scene(identity, broker, link, responder, node, control);
    }

    /** Returns a client, at an address of its own if only addresses distinguish users. */
    User user(Pool pool, TestNode at, int user, int client, long intervalNs) {
      boolean byAddress = identity == Identity.ADDRESS || pool.isOfAddresses();
      String name = user == FLOOD ? "flood" : "user" + user;
      return new User(
          pool,
          at.operator(operatorToken(user)),
          identity == Identity.ADDRESS ? "" : name,
          "127.0.0." + (byAddress ? 10 + user : 9),
          name + "-" + client,
          intervalNs);
    }

    @Override
    public void close() throws JMSException {
      control.close();
      node.close();
      responder.close();
      link.close();
      broker.close();
    }
  }

  /** Returns the admin token of a user, who is an operator of his own. */
  private static String operatorToken(int user) {
    return "token-of-operator-" + user;
  }

  @BeforeAll
  static void start() throws IOException {
    tokens = folder.resolve("tokens");
    Files.write(
        tokens, IntStream.rangeClosed(0, FLOOD).mapToObj(FairnessIT::operatorToken).toList());
    issuer = TestIssuer.start();
    issuer.publish(User.KEY);
    issuer.introspection("{\"active\":true,\"sub\":\"ann\"}");
    issuer.introspectionTakes(Pool.INTROSPECTION_MS);
  }

  @AfterAll
  static void stop() throws JMSException {
    stopScene();
    issuer.close();
  }

  private static void stopScene() throws JMSException {
    if (scene != null) {
      scene.close();
      scene = null;
    }
  }

  private static Config config(String provider, String url, Identity identity, String name) {
    return TestNode.unlimited(TestNode.config(provider, url))
        .with(BrokerSettings.LINGER, Duration.ofSeconds(5))
        .with(AuthSettings.ANONYMOUS, identity == Identity.ADDRESS)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(AuthSettings.INTROSPECTION_URL, issuer.introspectionUrl())
        .with(AuthSettings.INTROSPECTION_CLIENT_ID, "node")
        .with(AuthSettings.INTROSPECTION_CLIENT_SECRET, "secret-of-the-node")
        .with(AuthSettings.INTROSPECTION_IN_FLIGHT, Pool.IN_FLIGHT)
        .with(AdminSettings.TOKEN_FILE, tokens.toString())
        .with(AdminSettings.AUDIT_FILE, folder.resolve(identity + "-" + name).toString())
        .with(TopicSettings.PUBLISH_TOPICS, List.of("published.>", "committed.>", "kept.>"))
        .with(TopicSettings.QUEUES_SEND, List.of(">"))
        .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
        .with(TopicSettings.QUEUES_BROWSE, List.of(">"))
        .with(TopicSettings.TOPICS_DURABLE, List.of(">"))
        .with(TopicSettings.PRESENCE_TOPICS, List.of(">"))
        .with(HistorySettings.MEMORY, 16L << 20)
        .with(LimitSettings.SUBSCRIBE_RATE, RATE)
        .with(LimitSettings.FRAME_RATE, RATE)
        .with(LimitSettings.PUBLISH_RATE, RATE)
        .with(LimitSettings.CLIENT_ERRORS, RATE)
        .with(LimitSettings.MESSAGE_BYTES, 1L << 20)
        .with(LimitSettings.ADMIN_CONNECTIONS, 1_000);
  }

  /** Figures of the nine users at one node. */
  private record Figures(int count, double p50, double p90) {
    static Figures take(List<User> users) {
      List<Double> all = new ArrayList<>();
      users.forEach(user -> all.addAll(user.takeLatencies()));
      Collections.sort(all);
      return all.isEmpty()
          ? new Figures(0, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY)
          : new Figures(all.size(), all.get(all.size() / 2), all.get(all.size() * 9 / 10));
    }
  }

  static Stream<Pool> pools() {
    return TestScope.cases(2, Pool.values());
  }

  @ParameterizedTest
  @MethodSource("pools")
  void shouldServeNineUsersBesideOneThatOverloads(Pool pool) throws Exception {
    measure("artemis", Identity.SUBJECT, pool);
  }

  static Stream<Pool> poolsAtBroker() {
    return Stream.of(Pool.values()).filter(Pool::isAtBroker);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("poolsAtBroker")
  void shouldServeNineAddressesBesideOneThatOverloads(Pool pool) throws Exception {
    measure("classic", Identity.ADDRESS, pool);
  }

  private static void measure(String provider, Identity identity, Pool pool) throws Exception {
    if (scene == null || scene.identity() != identity) {
      stopScene();
      scene = Scene.open(provider, identity);
    }
    long intervalNs = Duration.ofMillis(pool.intervalMs()).toNanos();
    List<User> nine = new ArrayList<>();
    List<User> elsewhere = new ArrayList<>();
    List<User> flood = new ArrayList<>();
    try {
      for (int i = 0; i < USERS; i++) {
        nine.add(scene.user(pool, scene.node(), i, 0, intervalNs));
        elsewhere.add(scene.user(pool, scene.control(), i, 1, intervalNs));
      }
      for (int i = 0; i < pool.flood(); i++) {
        flood.add(scene.user(pool, scene.node(), FLOOD, i, 0));
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
      // Other processes may delay a round, an unfair pool delays each of them.
      List<String> unfair = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        pause(MEASURED);
        Figures beside = Figures.take(nine);
        Figures machine = Figures.take(elsewhere);
        String figures =
            "%-8s %-20s idle %s, beside the flood %s, at the other node %s, flood %s"
                .formatted(provider, pool, idle, beside, machine, Figures.take(flood));
        System.out.println(figures);
        if (beside.p90() < Math.max(GOOD_MS, WORSE * Math.max(idle.p90(), machine.p90()))) {
          return;
        }
        unfair.add(figures);
      }
      assertThat(unfair).as("rounds in which p90 was too high").isEmpty();
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
