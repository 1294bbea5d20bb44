package io.sluice.gateway.attack;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.RandomPayloads;
import io.sluice.testkit.BrokerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * All attacks in full size. Broker, node, honest clients and attackers are separate processes; this
 * one publishes. Prints tables, and exits with 1 after a failure. Arguments are names of attacks;
 * none: all.
 */
final class AttackSuite {
  private static final String HOST = "127.0.0.1";
  private static final int HONEST = 1000;
  private static final int TOPICS = 50;
  private static final double RATE = 3;
  private static final int BYTES = 128;
  private static final int BULK_BYTES = 32 * 1024;
  private static final long WARM_UP_S = 20;

  /** Fewer than a client may subscribe to in a second. */
  private static final int SELECTORS = 50;

  private static final Duration LINGER = Duration.ofSeconds(1);

  /** Attacks that are also measured without pacing. */
  private static final Set<Attack> UNPACED =
      EnumSet.of(
          Attack.CHURN,
          Attack.PING_FLOOD,
          Attack.FRAGMENT_FLOOD,
          Attack.LINE_FLOOD,
          Attack.BOMB,
          Attack.BAD_TOKEN,
          Attack.TLS_FLOOD);

  private final List<String> wanted;
  private final Path folder;
  private final Secrets secrets;
  private final String brokerUrl;
  private final List<Result> results = new ArrayList<>();

  private AttackSuite(List<String> wanted, Path folder, Secrets secrets, String brokerUrl) {
    this.wanted = wanted;
    this.folder = folder;
    this.secrets = secrets;
    this.brokerUrl = brokerUrl;
  }

  /** Runs the suite. */
  public static void main(String[] attacks) throws IOException, InterruptedException {
    BrokerJvm broker = BrokerJvm.artemis("--port", "0");
    Path folder = Files.createTempDirectory("attack");
    int faults;
    try (Secrets secrets = Secrets.create(folder)) {
      String url = "tcp://" + HOST + ":" + broker.port();
      faults = new AttackSuite(List.of(attacks), folder, secrets, url).run();
    } finally {
      broker.kill();
    }
    System.exit(faults == 0 ? 0 : 1);
  }

  private int run() throws IOException, InterruptedException {
    publish("stocks.", TOPICS, RATE, BYTES);
    publish("bulk.", 1, 10, BULK_BYTES);
    for (Site site : Site.values()) {
      List<Attack> attacks = site.attacks();
      attacks.removeIf(attack -> !wanted.isEmpty() && !wanted.contains(attack.name()));
      if (!attacks.isEmpty()) {
        run(site, attacks);
      }
    }
    System.out.println(AttackReport.text(results));
    if ("write".equals(System.getProperty("sluice.docs"))) {
      AttackReport.writeCsv(results);
    }
    return faults();
  }

  private void publish(String prefix, int topics, double rate, int bytes) {
    Feed feed =
        Feed.to(
            FeedTarget.of(brokerUrl, FeedProvider.ARTEMIS),
            new FeedPlan(prefix, topics, rate),
            new RandomPayloads(bytes),
            report -> {});
    Thread thread = new Thread(feed, "feed " + prefix);
    thread.setDaemon(true);
    thread.start();
  }

  private void run(Site site, List<Attack> attacks) throws InterruptedException {
    Config base =
        Config.defaults()
            .with(ServerSettings.HOST, HOST)
            .with(ServerSettings.PORT, 0)
            .with(AdminSettings.PORT, 0)
            .with(BrokerSettings.URL, brokerUrl)
            .with(BrokerSettings.LINGER, LINGER)
            .with(LimitSettings.SELECTORS, SELECTORS);
    Config config = site.configure(base, secrets);
    try (AttackedNode node = AttackedNode.start(folder, config);
        HonestProcess honest =
            HonestProcess.start(
                site.honest(HOST, node.port(), secrets.tokens()), HONEST, "stocks.", TOPICS)) {
      TimeUnit.SECONDS.sleep(WARM_UP_S);
      Target target = site.attackers(HOST, node.port());
      Trial trial = new Trial(node, honest, target, secrets, config);
      for (Attack attack : attacks) {
        add(trial.run(attack, false));
        if (UNPACED.contains(attack)) {
          add(trial.run(attack, true));
        }
      }
    }
  }

  private void add(Result result) {
    results.add(result);
    System.out.printf(
        "%s%s: p99 %.2f → %.2f → %.2f ms, most %.0f → %.0f ms, %d messages, %d wrong; %s%n",
        result.attack(),
        result.unpaced() ? " unpaced" : "",
        result.quiet().p99(),
        result.beginning().p99(),
        result.during().p99(),
        result.quiet().max(),
        result.during().max(),
        result.received(),
        result.wrong(),
        result.outcomes());
  }

  private int faults() {
    int count = 0;
    for (Result result : results) {
      for (String fault : result.faults()) {
        System.out.println("FAILED " + result.attack() + ": " + fault);
        count++;
      }
    }
    return count;
  }
}
