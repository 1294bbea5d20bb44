package io.sluice.gateway.attack;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Attacks on one node with honest clients, one after the other. Used by one thread. */
final class Trial {
  private static final int WINDOWS = 5;
  private static final int LONG_WINDOWS = 8;
  private static final long WINDOW_MS = 1500;

  /** Windows at the beginning of an attack, in which the node compiles new code. */
  private static final int BEGINNING_WINDOWS = 5;

  private static final long TICK_MS = 100;
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

  /** Samples that must return to their values before the attack. */
  private static final List<String> LEFT =
      List.of("sluice_connections", "sluice_subscriptions", "sluice_interests");

  /** Attacks of so many connections last until the node has ended the first of them. */
  private static final int MANY = 100;

  /** Number of connections from which the memory of each is reported. */
  private static final int VERY_MANY = 2000;

  private final AttackedNode node;
  private final HonestProcess honest;
  private final Target target;
  private final Secrets secrets;
  private final Config config;

  Trial(AttackedNode node, HonestProcess honest, Target target, Secrets secrets, Config config) {
    this.node = node;
    this.honest = honest;
    this.target = target;
    this.secrets = secrets;
    this.config = config;
  }

  /** Observations of honest clients in some windows, and the node's maximum memory during them. */
  private final class Watch {
    private final List<Reading> readings = new ArrayList<>();
    private double peakMib;

    void windows(int count) throws InterruptedException {
      for (int i = 0; i < count; i++) {
        for (long waitedMs = 0; waitedMs < WINDOW_MS; waitedMs += TICK_MS) {
          TimeUnit.MILLISECONDS.sleep(TICK_MS);
          peakMib = Math.max(peakMib, node.residentMib());
        }
        readings.add(honest.read());
      }
    }
  }

  Result run(Attack attack, boolean unpaced) throws InterruptedException {
    Map<String, Double> connected = node.metrics();
    NodeResources before = NodeResources.collected(node);
    List<Reading> rest = new ArrayList<>(List.of(honest.read()));
    Watch quiet = new Watch();
    quiet.windows(WINDOWS);
    Watch beginning = new Watch();
    Watch during = new Watch();
    long refusals = refusals(attack);
    Attacked attacked = attack(attack, unpaced, beginning, during);
    double counted = sample(attack, node.metrics()) - sample(attack, connected);
    String left = awaitQuiet(connected);
    if (attack.site().isReloaded() && attacked.reloads() == 0) {
      left += "no reload of the rules";
    }
    if (attack.audited() != null && refusals(attack) == refusals) {
      left += "no refusal of " + attack.audited() + " in the audit log";
    }
    NodeResources after = awaitReturned(before);
    rest.add(honest.read());
    return new Result(
        attack,
        unpaced,
        new Windows(quiet.readings),
        new Windows(beginning.readings),
        new Windows(during.readings),
        new Windows(rest),
        attacked.newcomerMs(),
        attacked.outcomes(),
        counted,
        attacked.open(),
        attacked.cores(),
        Math.max(beginning.peakMib, during.peakMib),
        before,
        attacked.held(),
        after,
        left);
  }

  /** Measurements that require connected attackers. */
  private record Attacked(
      double newcomerMs,
      String outcomes,
      int open,
      double cores,
      NodeResources held,
      int reloads) {}

  private Attacked attack(Attack attack, boolean unpaced, Watch beginning, Watch during)
      throws InterruptedException {
    try (RuleReloads operator = attack.site().isReloaded() ? operator() : null;
        AttackProcess attackers = AttackProcess.start(attack, unpaced, target, secrets.tokens())) {
      beginning.windows(BEGINNING_WINDOWS);
      double cpuSeconds = node.cpuSeconds();
      long startNs = System.nanoTime();
      int connections = attack.full().connections();
      during.windows(connections >= MANY && !unpaced ? windows(attack) : WINDOWS);
      double cores = (node.cpuSeconds() - cpuSeconds) * 1e9 / (System.nanoTime() - startNs);
      double newcomerMs = honest.newcomer();
      int open = attackers.open();
      NodeResources held = connections >= VERY_MANY ? NodeResources.collected(node) : null;
      return new Attacked(
          newcomerMs, attackers.outcomes(), open, cores, held, RuleReloads.cycles(operator));
    }
  }

  private RuleReloads operator() {
    return new RuleReloads(
        withdrawn ->
            node.reload(config.with(TopicSettings.PERMISSION_RULES, Users.rules(withdrawn))),
        target,
        secrets.tokens().of(Users.OBSERVER));
  }

  private long refusals(Attack attack) {
    return attack.audited() == null ? 0 : secrets.refusals(attack.audited());
  }

  private static int windows(Attack attack) {
    boolean isLong = attack.outcome().equals("cut") || attack.outcome().equals("408");
    return isLong ? LONG_WINDOWS : WINDOWS;
  }

  private static double sample(Attack attack, Map<String, Double> metrics) {
    String sample = attack.sample();
    return metrics.entrySet().stream()
        .filter(each -> each.getKey().equals(sample) || each.getKey().startsWith(sample + "{"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Waits until nothing of the attack is left; what is, if it takes too long, or nothing. */
  private String awaitQuiet(Map<String, Double> before) throws InterruptedException {
    long endNs = System.nanoTime() + TIMEOUT_NS;
    while (!isAsBefore(before)) {
      if (System.nanoTime() > endNs) {
        return left();
      }
      TimeUnit.MILLISECONDS.sleep(TICK_MS);
    }
    return "";
  }

  // Interests with selectors linger, and no sample counts them.
  private NodeResources awaitReturned(NodeResources before) {
    long endNs = System.nanoTime() + TIMEOUT_NS;
    NodeResources now = NodeResources.collected(node);
    while (!Result.isReturned(before, now) && System.nanoTime() < endNs) {
      now = NodeResources.collected(node);
    }
    return now;
  }

  private boolean isAsBefore(Map<String, Double> before) {
    Map<String, Double> now = node.metrics();
    return LEFT.stream().allMatch(name -> now.get(name).equals(before.get(name)));
  }

  private String left() {
    Map<String, Double> now = node.metrics();
    now.keySet().retainAll(LEFT);
    return now.toString();
  }
}
