package io.sluice.cluster.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.replica.ReplicaMessage.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;

/**
 * Model of nodes with one map, and of the network between them, which may lose, duplicate and
 * reorder messages. Time passes in ticks; one thread. It checks at each change that no value is
 * replaced by an older one, and at each tick that no copy exceeds its bound.
 */
final class ReplicaWorld {
  static final long TICK_MS = 50;
  static final long DIGEST_MS = 2_000;
  static final int CHANNEL = 9;
  private static final int MAX_DELAY_MS = 300;

  final List<SimulatedNode> nodes = new ArrayList<>();
  private final PriorityQueue<Transit> network =
      new PriorityQueue<>(
          Comparator.comparingLong(Transit::atMs).thenComparingLong(Transit::number));
  private final Random random;
  private final Fault fault;
  private long nowMs;
  private long versions;
  private double loss;
  private double duplication;
  private boolean reordering;
  private long sent;
  private long transits;

  /** Fault of the replication that the checks have to detect. */
  enum Fault {
    NONE,
    /** Missed changes are never requested. */
    NO_REQUESTS,
    /** A lost last change is never detected. */
    NO_DIGESTS,
    /** A late duplicate counts as a new change. */
    DUPLICATES_ARE_NEW,
    /** The first parts of a state are accepted as the whole. */
    PARTS_ARE_LAST
  }

  private record Transit(
      long atMs, long number, SimulatedNode from, SimulatedNode to, byte[] message) {}

  /**
   * Value of an entry.
   *
   * @param number increasing in the world
   */
  record Version(long number) {}

  static final class Codec implements EntryCodec<String, Version> {
    private final String padding;

    /**
     * @param valueBytes size of each value; a large one splits the entries into several parts
     */
    Codec(int valueBytes) {
      padding = "x".repeat(valueBytes);
    }

    @Override
    public void writeKey(String key, DataOutputStream out) throws IOException {
      out.write(key.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String readKey(DataInputStream in) throws IOException {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void writeValue(Version version, DataOutputStream out) throws IOException {
      writeKey(version.number() + padding, out);
    }

    @Override
    public Version readValue(DataInputStream in) throws IOException {
      return new Version(Long.parseLong(readKey(in).replace("x", "")));
    }
  }

  /** Process of a node. */
  final class SimulatedNode implements ReplicatedMap.Listener<String, Version> {
    final int maxEntries;
    final ReplicatedMap<String, Version> map;
    final NavigableMap<String, Version> truth = new TreeMap<>();

    /** Latest number received for each key of each owner. */
    private final Map<Object, Map<String, Long>> latest = new HashMap<>();

    private int group;
    private boolean alive = true;
    private long viewAtMs;
    private List<SimulatedNode> view = List.of();

    SimulatedNode(int maxEntries) {
      this.maxEntries = maxEntries;
      this.map =
          new ReplicatedMap<>(
              new ReplicatedMap.Options(CHANNEL, maxEntries, 2, 1, DIGEST_MS),
              new Codec(2_000),
              (peer, message) -> transmit(this, (SimulatedNode) peer, message),
              this);
    }

    @Override
    public void onChange(Object owner, String key, Version value) {
      if (value != null) {
        Map<String, Long> ofOwner = latest.computeIfAbsent(owner, any -> new HashMap<>());
        Long before = ofOwner.put(key, value.number());
        if (before != null && before >= value.number()) {
          throw new AssertionError(key + ": " + before + " was replaced by " + value.number());
        }
      }
    }

    @Override
    public void onGone(Object owner, NavigableMap<String, Version> entries, boolean announced) {
      latest.remove(owner);
    }

    private void onTick() {
      List<SimulatedNode> reachable =
          nodes.stream()
              .filter(other -> other != this && other.alive && other.group == group)
              .toList();
      if (!reachable.equals(view) && viewAtMs <= nowMs) {
        view = reachable;
        map.onView(reachable, nowMs);
      }
      map.onTick(nowMs);
      requireBound(map.own());
      view.forEach(peer -> requireBound(map.of(peer)));
    }

    private void requireBound(NavigableMap<String, Version> entries) {
      if (entries.size() > maxEntries) {
        throw new AssertionError(entries.size() + " entries, at most " + maxEntries);
      }
    }

    void change(String key) {
      if (random.nextInt(3) > 0) {
        Version next = new Version(++versions);
        boolean hasRoom = truth.containsKey(key) || truth.size() < maxEntries;
        if (map.put(key, next) != hasRoom) {
          throw new AssertionError("put " + key + " with " + truth.size() + " entries");
        }
        if (hasRoom) {
          truth.put(key, next);
        }
      } else {
        truth.remove(key);
        map.remove(key);
      }
    }
  }

  ReplicaWorld(Random random, Fault fault, int nodes, int maxEntries) {
    this.random = random;
    this.fault = fault;
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(new SimulatedNode(maxEntries / 2 + random.nextInt(maxEntries)));
    }
  }

  private void transmit(SimulatedNode from, SimulatedNode to, byte[] message) {
    sent++;
    int copies = random.nextDouble() < loss ? 0 : random.nextDouble() < duplication ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      byte[] changed = faulty(message, i > 0);
      if (changed != null) {
        long delayMs = reordering ? random.nextInt(MAX_DELAY_MS) : MAX_DELAY_MS;
        network.add(new Transit(nowMs + delayMs, ++transits, from, to, changed));
      }
    }
  }

  private byte[] faulty(byte[] message, boolean duplicate) {
    Kind kind = Kind.values()[message[1]];
    return switch (fault) {
      case NO_REQUESTS -> kind == Kind.REQUEST ? null : message;
      case NO_DIGESTS -> kind == Kind.DIGEST ? null : message;
      case PARTS_ARE_LAST ->
          kind == Kind.PART ? with(message, (byte) Kind.LAST_PART.ordinal()) : message;
      case DUPLICATES_ARE_NEW ->
          kind == Kind.CHANGE && duplicate ? with(message, revision(message) + 1) : message;
      case NONE -> message;
    };
  }

  private static long revision(byte[] message) {
    return ByteBuffer.wrap(message).getLong(2);
  }

  private static byte[] with(byte[] message, long revision) {
    byte[] changed = message.clone();
    ByteBuffer.wrap(changed).putLong(2, revision);
    return changed;
  }

  private static byte[] with(byte[] message, byte kind) {
    byte[] changed = message.clone();
    changed[1] = kind;
    return changed;
  }

  void quality(double lossProbability, double duplicationProbability, boolean reorders) {
    loss = lossProbability;
    duplication = duplicationProbability;
    reordering = reorders;
  }

  void run(long ms) throws IOException {
    for (long end = nowMs + ms; nowMs < end; nowMs += TICK_MS) {
      while (!network.isEmpty() && network.peek().atMs() <= nowMs) {
        Transit each = network.remove();
        if (each.to.alive && each.from.group == each.to.group) {
          each.to.map.onMessage(each.from, each.message, nowMs);
        }
      }
      nodes.forEach(SimulatedNode::onTick);
    }
  }

  /** Ends the process of a node, perhaps with an announcement; another one starts. */
  void restart(int index) {
    SimulatedNode node = nodes.get(index);
    if (random.nextBoolean()) {
      node.map.leave();
    }
    node.alive = false;
    SimulatedNode next = new SimulatedNode(node.maxEntries);
    next.group = node.group;
    nodes.set(index, next);
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

  long sent() {
    return sent;
  }

  /** Checks that all nodes have the entries of all others, as far as they have room. */
  void assertConverged(String where) {
    for (SimulatedNode node : nodes) {
      assertThat(node.map.own()).as(where).isEqualTo(node.truth);
      for (SimulatedNode owner : nodes) {
        if (owner != node) {
          NavigableMap<String, Version> copy = node.map.of(owner);
          assertThat(owner.truth).as(where).containsAllEntriesOf(copy);
          boolean hasRoom = owner.truth.size() <= node.maxEntries;
          assertThat(node.map.isCurrent(owner)).as(where).isEqualTo(copy.equals(owner.truth));
          assertThat(node.map.isCurrent(owner) || !hasRoom).as(where).isTrue();
        }
      }
    }
  }
}
