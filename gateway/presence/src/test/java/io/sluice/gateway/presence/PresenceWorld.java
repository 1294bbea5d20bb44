package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Model of nodes, the network between them, and clients. Messages of two nodes arrive in order,
 * late or never. Time passes in ticks; one thread.
 */
final class PresenceWorld {
  static final long GRACE_MS = 1_000;
  static final long LOST_MS = 20_000;
  static final List<String> TOPICS =
      IntStream.rangeClosed(1, 12).mapToObj(i -> "room." + i).toList();

  /** Its size splits the state of a node into several messages. */
  private static final String INFO = "\"" + "x".repeat(900) + "\"";

  /** Short, for changes between the parts of a state. */
  private static final int INTERVAL_MS = 200;

  private static final int MAX_DELAY_MS = 200;

  final List<SimulatedPeer> nodes = new ArrayList<>();
  final List<SimulatedMember> clients = new ArrayList<>();
  private final Map<List<Object>, Queue<Transit>> network = new LinkedHashMap<>();
  private final Random random;
  private final int members;
  private Consumer<SimulatedPeer> onReceived = node -> {};
  private long nowMs;
  private double loss;
  private long sentBytes;
  private long sentMessages;

  /** Message on its way. */
  private record Transit(long atMs, byte[] message) {}

  /** Client with a member of each topic that it enters. */
  static final class SimulatedMember {
    private final String name;
    private final Set<String> topics = new HashSet<>();
    private SimulatedPeer node;

    SimulatedMember(String name) {
      this.name = name;
    }

    private PresenceMember in(String topic) {
      return new PresenceMember(name + "@" + topic, name, INFO);
    }
  }

  /** Process of a node. */
  final class SimulatedPeer implements PresenceTable.Listener {
    final String name;
    final PresenceTable table;
    private int group;
    private boolean alive = true;
    private long viewAtMs;
    private List<SimulatedPeer> view = List.of();

    SimulatedPeer(String name) {
      this.name = name;
      PresenceOptions options =
          new PresenceOptions(
              name, members, GRACE_MS, INTERVAL_MS, LOST_MS, 1_000, 1_000, 1, 1_000);
      this.table = new PresenceTable(options, true, this::send, this);
    }

    private void send(Object peer, byte[] message) {
      sentMessages++;
      sentBytes += message.length;
      if (random.nextDouble() >= loss) {
        long atMs = nowMs + random.nextInt(MAX_DELAY_MS);
        network
            .computeIfAbsent(List.of(this, peer), key -> new ArrayDeque<>())
            .add(new Transit(atMs, message));
      }
    }

    @Override
    public void onChange(String topic) {}

    @Override
    public void onPartial() {}

    private void onTick() {
      List<SimulatedPeer> reachable =
          nodes.stream()
              .filter(other -> other != this && other.alive && other.group == group)
              .toList();
      if (!reachable.equals(view) && viewAtMs <= nowMs) {
        view = reachable;
        table.onView(reachable, nowMs);
      }
      table.onTick(nowMs);
    }
  }

  PresenceWorld(Random random, int nodes, int clients, int members) {
    this.random = random;
    this.members = members;
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(new SimulatedPeer("node-" + i));
    }
    for (int i = 0; i < clients; i++) {
      this.clients.add(new SimulatedMember("client-" + i));
    }
  }

  long sentBytes() {
    return sentBytes;
  }

  long sentMessages() {
    return sentMessages;
  }

  void loss(double probability) {
    loss = probability;
  }

  /** Sets a check of a node after each message that it receives. */
  void onReceived(Consumer<SimulatedPeer> check) {
    onReceived = check;
  }

  void run(long ms) {
    for (long end = nowMs + ms; nowMs < end; nowMs += PresenceTable.TICK_MS) {
      new LinkedHashMap<>(network).forEach(this::deliver);
      nodes.stream().filter(node -> node.alive).forEach(SimulatedPeer::onTick);
    }
  }

  private void deliver(List<Object> path, Queue<Transit> queue) {
    SimulatedPeer from = (SimulatedPeer) path.get(0);
    SimulatedPeer to = (SimulatedPeer) path.get(1);
    while (!queue.isEmpty() && queue.peek().atMs() <= nowMs) {
      byte[] message = queue.remove().message();
      if (to.alive && from.group == to.group) {
        receive(from, to, message);
      }
    }
  }

  private void receive(SimulatedPeer from, SimulatedPeer to, byte[] message) {
    try {
      to.table.onMessage(from, message, nowMs);
      onReceived.accept(to);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Performs a random action of a client. */
  void clientActs() {
    clientActs(clients);
  }

  /** Performs a random action of one of some clients. */
  void clientActs(List<SimulatedMember> some) {
    SimulatedMember client = some.get(random.nextInt(some.size()));
    String topic = TOPICS.get(random.nextInt(TOPICS.size()));
    if (client.node == null) {
      connect(client, nodes.get(random.nextInt(nodes.size())));
    } else if (random.nextInt(4) == 0) {
      disconnect(client, random.nextBoolean());
    } else if (client.topics.contains(topic)) {
      leave(client, topic);
    } else {
      enter(client, topic);
    }
  }

  void connect(SimulatedMember client, SimulatedPeer node) {
    if (node.alive) {
      client.node = node;
      client.topics.forEach(topic -> node.table.enter(topic, client.in(topic)));
    }
  }

  void enter(SimulatedMember client, String topic) {
    client.topics.add(topic);
    client.node.table.enter(topic, client.in(topic));
  }

  void leave(SimulatedMember client, String topic) {
    client.topics.remove(topic);
    client.node.table.leave(topic, client.in(topic).id(), true, nowMs);
  }

  void disconnect(SimulatedMember client, boolean atOnce) {
    for (String topic : client.topics) {
      client.node.table.leave(topic, client.in(topic).id(), atOnce, nowMs);
    }
    client.node = null;
  }

  /** Ends the process of a node; another one of the same name may start. */
  void crash(int index, boolean restarts) {
    SimulatedPeer node = nodes.get(index);
    node.alive = false;
    clients.stream().filter(client -> client.node == node).forEach(client -> client.node = null);
    if (restarts) {
      SimulatedPeer next = new SimulatedPeer(node.name);
      next.group = node.group;
      nodes.set(index, next);
    }
    delayViews();
  }

  void split() {
    nodes.forEach(node -> node.group = random.nextInt(2));
    delayViews();
  }

  void heal() {
    nodes.forEach(node -> node.group = 0);
    delayViews();
  }

  private void delayViews() {
    nodes.forEach(node -> node.viewAtMs = nowMs + random.nextInt(2 * MAX_DELAY_MS));
  }

  boolean isAlive(SimulatedPeer node) {
    return node.alive;
  }

  /** Returns the ids of the members that are connected to nodes which a node can reach. */
  Set<String> truth(String topic, SimulatedPeer from) {
    return clients.stream()
        .filter(client -> client.node != null && client.node.group == from.group)
        .filter(client -> client.topics.contains(topic))
        .map(client -> client.in(topic).id())
        .collect(Collectors.toSet());
  }

  static Set<String> ids(PresenceView view) {
    return view.members().stream().map(PresenceMember::id).collect(Collectors.toSet());
  }
}
