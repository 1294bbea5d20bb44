package io.sluice.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Simulation of nodes and clients in virtual time with steps of one second. {@link Balance}, {@link
 * RecentRedirects} and {@link Announcer} are real, so figures are as outdated as in a real cluster.
 * Bound to one thread.
 */
final class World {
  static final int REPORT_S = 5;

  /** Cooldown of a client after it has connected. */
  private static final int REST_S = 300;

  static final int DRAIN_LIMIT_S = 600;

  final Random random;
  final BalanceRules rules;
  private final int drainRate;
  final List<SimNode> nodes = new ArrayList<>();
  final Deque<Integer> rebalancedAtS = new ArrayDeque<>();
  long nowS = 1_000;
  long rebalanced;
  long drained;
  int maxRebalancedPerMinute;
  int mostDrainedASecond;
  double churn;
  private final Balance balance;
  private final double[] weights;
  private final PriorityQueue<Arrival> onTheWay = new PriorityQueue<>();

  /**
   * @param weights of the nodes at the load balancer
   */
  World(Random random, BalanceRules rules, int drainRate, double... weights) {
    this.random = random;
    this.rules = rules;
    this.balance = new Balance(rules);
    this.drainRate = drainRate;
    this.weights = weights;
    for (int i = 0; i < weights.length; i++) {
      nodes.add(new SimNode(i));
    }
  }

  /** A redirected client; it connects to the other node before it leaves this one. */
  private record Arrival(long atS, SimNode from, Client client, SimNode to)
      implements Comparable<Arrival> {
    @Override
    public int compareTo(Arrival other) {
      return Long.compare(atS, other.atS);
    }
  }

  static final class Client {
    private long cameS;
    private int place;
    private boolean leaving;
  }

  final class SimNode {
    final int index;
    final List<Client> clients = new ArrayList<>();
    final RecentRedirects recent = new RecentRedirects();
    Announcer announcer;
    RebalanceStep step = RebalanceStep.INITIAL;
    int redirected;
    long gone;
    long drainS;
    final List<Long> movesAtS = new ArrayList<>();
    final List<Node> movesTo = new ArrayList<>();

    SimNode(int index) {
      this.index = index;
      begin();
    }

    void begin() {
      Node self =
          new Node("n" + index, nowS, "wss://n" + index, "", "1", NodeState.UP, nowS, Load.NONE);
      announcer =
          new Announcer(self, REPORT_S * 1000L, () -> TimeUnit.SECONDS.toNanos(World.this.nowS));
      gone = 0;
      redirected = 0;
    }

    boolean is(NodeState state) {
      return gone == 0 && announcer.self().state() == state;
    }

    /** Includes clients that are being redirected. */
    void report() {
      announcer.report(new Load(clients.size(), clients.size() - redirected, 0, 0, 0));
      if (announcer.delayNs() == 0) {
        announcer.nextStatus();
      }
    }

    void drain() {
      drainS = nowS;
      report();
      announcer.announce(NodeState.DRAINING, nowS * 1000);
      announcer.nextStatus();
    }

    /** Returns a random client that may be redirected, if one is found in a few tries. */
    Optional<Client> choose() {
      for (int i = 0; i < 20 && !clients.isEmpty(); i++) {
        Client client = clients.get(random.nextInt(clients.size()));
        if (!client.leaving && nowS - client.cameS >= REST_S) {
          return Optional.of(client);
        }
      }
      return Optional.empty();
    }
  }

  List<Node> seen() {
    return nodes.stream().filter(node -> node.gone == 0).map(n -> n.announcer.announced()).toList();
  }

  /** Connects a client through the load balancer, which selects among the nodes that are up. */
  void connect() {
    double all = 0;
    for (SimNode node : nodes) {
      all += node.is(NodeState.UP) ? weights[node.index] : 0;
    }
    double at = random.nextDouble() * all;
    for (SimNode node : nodes) {
      at -= node.is(NodeState.UP) ? weights[node.index] : 0;
      if (at < 0) {
        enter(node);
        return;
      }
    }
  }

  private void enter(SimNode node) {
    node.announcer.report(new Load(node.clients.size(), 0, 0, 0, 0));
    Optional<Node> better = balance.entry(node.announcer.self(), seen(), node.recent, random);
    better.ifPresent(node.recent::add);
    SimNode home = better.map(this::of).filter(to -> to.is(NodeState.UP)).orElse(node);
    add(home, new Client());
  }

  private void add(SimNode node, Client client) {
    client.cameS = nowS;
    client.leaving = false;
    client.place = node.clients.size();
    node.clients.add(client);
  }

  private SimNode of(Node node) {
    return nodes.get(Integer.parseInt(node.id().substring(1)));
  }

  void step() {
    nowS++;
    churn();
    arrive();
    for (SimNode node : nodes) {
      if (node.is(NodeState.UP)) {
        rebalanceSome(node);
      }
    }
    drainSome();
    nodes.stream().filter(node -> node.gone == 0).forEach(SimNode::report);
    while (!rebalancedAtS.isEmpty() && rebalancedAtS.peek() <= nowS - 60) {
      rebalancedAtS.poll();
    }
    maxRebalancedPerMinute = Math.max(maxRebalancedPerMinute, rebalancedAtS.size());
  }

  void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      step();
    }
  }

  /** Disconnects some clients and connects as many new ones. */
  private void churn() {
    for (SimNode node : nodes) {
      int leaving = (int) Math.round(node.clients.size() * churn + random.nextDouble() - 0.5);
      for (int i = 0; i < leaving && !node.clients.isEmpty(); i++) {
        int at = random.nextInt(node.clients.size());
        if (!node.clients.get(at).leaving) {
          takeOut(node, node.clients.get(at));
          connect();
        }
      }
    }
  }

  private static void takeOut(SimNode node, Client client) {
    Client last = node.clients.remove(node.clients.size() - 1);
    if (last != client) {
      last.place = client.place;
      node.clients.set(client.place, last);
    }
  }

  private void arrive() {
    while (!onTheWay.isEmpty() && onTheWay.peek().atS <= nowS) {
      Arrival arrival = onTheWay.poll();
      arrival.from.redirected--;
      takeOut(arrival.from, arrival.client);
      if (arrival.to.is(NodeState.UP)) {
        add(arrival.to, arrival.client);
      } else {
        connect();
      }
    }
  }

  private void go(SimNode from, Client client, Node to) {
    client.leaving = true;
    from.redirected++;
    from.recent.add(to);
    onTheWay.add(new Arrival(nowS + 1 + random.nextInt(3), from, client, of(to)));
  }

  private void rebalanceSome(SimNode node) {
    if ((nowS + node.index) % REPORT_S == 0) {
      node.recent.decay();
      node.step =
          balance.nextStep(
              node.step,
              node.announcer.self(),
              node.redirected,
              seen(),
              node.recent,
              REPORT_S * 1000,
              random);
      node.movesTo.addAll(node.step.moves());
      node.step.moves().stream()
          .map(to -> nowS + random.nextInt(REPORT_S))
          .sorted()
          .forEach(node.movesAtS::add);
    }
    while (!node.movesAtS.isEmpty() && node.movesAtS.get(0) <= nowS) {
      node.movesAtS.remove(0);
      Node to = node.movesTo.remove(0);
      node.choose().ifPresent(client -> rebalanceOne(node, client, to));
    }
  }

  private void rebalanceOne(SimNode node, Client client, Node to) {
    rebalanced++;
    rebalancedAtS.add((int) nowS);
    go(node, client, to);
  }

  /** Drains for one second; a node without clients leaves. */
  private void drainSome() {
    int all = 0;
    for (SimNode node : nodes) {
      if (node.is(NodeState.DRAINING)) {
        int clients = drainInterval(node);
        all += clients;
        drained += clients;
      }
    }
    mostDrainedASecond = Math.max(mostDrainedASecond, all);
  }

  private int drainInterval(SimNode node) {
    node.report();
    long share = drainRate - Balance.drainedBefore(node.announcer.self(), seen());
    int clients = 0;
    for (int i = 0; i < node.clients.size() && clients < share && nowS > node.drainS + 1; i++) {
      Client client = node.clients.get(i);
      if (!client.leaving) {
        Optional<Node> to = balance.leave(node.announcer.self(), seen(), node.recent, random);
        go(node, client, to.orElseThrow());
        clients++;
      }
    }
    if (node.clients.isEmpty()) {
      node.gone = nowS;
    }
    return clients;
  }

  /**
   * Returns the excess of the fullest node over the mean of those that are up, as a share of the
   * mean.
   */
  double spread() {
    List<SimNode> up = nodes.stream().filter(node -> node.is(NodeState.UP)).toList();
    double mean = up.stream().mapToInt(node -> node.clients.size()).average().orElseThrow();
    int most = up.stream().mapToInt(node -> node.clients.size()).max().orElseThrow();
    return most / mean - 1;
  }

  /** Returns the number of clients above the mean, the minimum of redirects for equal nodes. */
  double above() {
    List<SimNode> up = nodes.stream().filter(node -> node.is(NodeState.UP)).toList();
    double mean = up.stream().mapToInt(node -> node.clients.size()).average().orElseThrow();
    return up.stream().mapToDouble(node -> Math.max(0, node.clients.size() - mean)).sum();
  }
}
