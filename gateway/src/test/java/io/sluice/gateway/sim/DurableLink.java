package io.sluice.gateway.sim;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One durable interest of a node: takes what its subscription at the broker delivers, in rounds on
 * a thread of its own, and acknowledges it a little later.
 */
final class DurableLink {
  private static final RetainedMessages NOTHING = new RetainedMessages(false, false);
  private static final int MOST_ARRIVALS = 64;
  private static final long MOST_PAUSES = 4 * Plan.SECOND;
  private static final long QUIET = 100 * Plan.MILLI;
  private static final long AGAIN = 500 * Plan.MILLI;

  final String pattern;

  /** What this life of the node has been handed, or has found in its journal. */
  final DurableHistory history;

  private final Timeline timeline;
  private final Chance chance;
  private final Plan plan;
  private final SimulatedBroker broker;
  private final NodeStore store;
  private final NodeClock clock;
  private final SimulatedThread thread;
  private final DurableListener listener;
  private final Host host;
  private DurableQueue queue;
  private RetainedMessages kept = NOTHING;
  private boolean remembered;

  /** How often the broker was there again. */
  private int returns;

  private Rounds rounds;

  /** The node, and what may happen to it in the middle of a round. */
  interface Host {
    void note(Supplier<String> what);

    /** Whether something happens in this round. */
    boolean strike();

    /** The process ends while it makes messages safe. */
    void crashIn(Runnable making);

    /** The process ends, or the link, before the messages are acknowledged. */
    void beforeAcknowledge();

    /** Messages are lost, and the node knows it: now and then its process ends soon. */
    void afterLoss();
  }

  DurableLink(
      String pattern,
      DurableHistory history,
      Timeline timeline,
      Plan plan,
      SimulatedBroker broker,
      NodeStore store,
      NodeClock clock,
      SimulatedThread thread,
      DurableListener listener,
      Host host) {
    this.pattern = pattern;
    this.history = history;
    this.timeline = timeline;
    this.chance = plan.durableChance;
    this.plan = plan;
    this.broker = broker;
    this.store = store;
    this.clock = clock;
    this.thread = thread;
    this.listener = listener;
    this.host = host;
  }

  void kept(RetainedMessages byBroker) {
    kept = byBroker;
  }

  /** Whether the node will know what was lost when this was opened. */
  boolean isRemembered() {
    return remembered;
  }

  /** Opens it at the broker; false if the broker refuses it. */
  boolean stands() {
    RetainedMessages known = store.has(pattern) ? kept : NOTHING;
    host.note(() -> "comes back to " + pattern + ": " + known);
    remembered = listener.onReconnected(known);
    returns++;
    if (broker.refuses(pattern)) {
      listener.onRefused(ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic now");
      return false;
    }
    boolean lost = history.onReconnected(known, remembered, clock.monoMs());
    rounds = new Rounds(listener.onActive());
    queue = store.subscription(pattern);
    queue.open(rounds::redeliver, rounds::deliver);
    thread.execute(rounds::round);
    if (lost) {
      host.afterLoss();
    }
    return true;
  }

  /** The connection is gone. */
  void retire() {
    if (rounds != null) {
      rounds.retired = true;
      rounds = null;
      queue.close();
    }
  }

  /** Nothing gets through any more, either way, which the node does not know. */
  void fallSilent() {
    if (rounds != null) {
      rounds.deaf = true;
      queue.close();
    }
  }

  /** Delivers nothing before this time. */
  void stallUntil(long micros) {
    if (rounds != null) {
      rounds.latestArrival = Math.max(rounds.latestArrival, micros);
    }
  }

  /** Takes the messages of one consumer. */
  private final class Rounds {
    private final List<Published> received = new ArrayList<>();
    private boolean retired;
    private boolean deaf;

    /** Whether the latest round found nothing. */
    private boolean quiet;

    private boolean waiting;
    private long latestArrival;
    private int number;

    /** How much the broker had kept, and how much has been taken. */
    private long kept;

    private long takenCount;

    /** By which the node knows this consumer. */
    private final long consumer;

    private final int returnsBefore = returns;

    Rounds(long consumer) {
      this.consumer = consumer;
    }

    /** What was kept comes in its order, a few at a time; there is no pause behind the last. */
    void redeliver(Published message) {
      boolean soon = latestArrival < timeline.nowMicros() + MOST_PAUSES;
      if (soon && chance.oneIn(plan.durability.pauseOneIn())) {
        latestArrival += plan.durability.pause(chance, plan.displacement / 2);
      }
      kept++;
      deliver(message);
    }

    void deliver(Published message) {
      long soon = timeline.nowMicros() + plan.delay(chance, plan.displacement / 2);
      latestArrival = Math.max(latestArrival, soon);
      timeline.at(latestArrival, () -> arrive(message));
    }

    private void arrive(Published message) {
      if (!retired && !deaf) {
        received.add(message);
        wake();
      }
    }

    void round() {
      if (retired) {
        return;
      }
      listener.onRound(consumer, isDrained());
      quiet = false;
      waiting = true;
      number++;
      int current = number;
      if (received.isEmpty()) {
        timeline.after(
            QUIET,
            () -> {
              if (current == number) {
                wake();
              }
            });
      } else {
        wake();
      }
    }

    // As with the real ones, it is the broker that keeps the order which says how much it has kept.
    private boolean isDrained() {
      return plan.durability.ordered() ? takenCount >= kept : quiet;
    }

    private void wake() {
      if (waiting) {
        waiting = false;
        timeline.after(Plan.MILLI, () -> thread.execute(this::take));
      }
    }

    private void take() {
      if (retired) {
        return;
      }
      if (received.isEmpty()) {
        quiet = true;
        round();
        return;
      }
      List<Published> next = received.subList(0, Math.min(MOST_ARRIVALS, received.size()));
      List<Published> taken = List.copyOf(next);
      next.clear();
      takenCount += taken.size();
      List<Arrival> arrivals = taken.stream().map(DurableLink::arrival).toList();
      long disk = chance.mostlySmall(plan.durability.diskMicros());
      timeline.after(disk, () -> thread.execute(() -> makeSafe(taken, arrivals)));
    }

    // One that waits for the node's lock comes in when its consumer was given up.
    private void makeSafe(List<Published> taken, List<Arrival> arrivals) {
      if (retired) {
        comeLate(taken, arrivals);
        return;
      }
      boolean strikes = host.strike();
      if (strikes && chance.oneIn(2)) {
        host.crashIn(() -> listener.onArrivals(consumer, arrivals));
        return;
      }
      if (!listener.onArrivals(consumer, arrivals)) {
        history.onUnsafe(taken);
        host.note(() -> "cannot make safe what came for " + pattern);
        timeline.after(AGAIN, () -> thread.execute(() -> again(taken, arrivals)));
        return;
      }
      history.onArrivals(taken, clock.monoMs());
      host.note(() -> "has safe " + taken);
      if (!taken.stream().allMatch(Published::forwardable)) {
        host.afterLoss();
      }
      if (strikes) {
        host.beforeAcknowledge();
      } else {
        acknowledge(taken);
      }
      round();
    }

    private void comeLate(List<Published> taken, List<Arrival> arrivals) {
      boolean safe = listener.onArrivals(consumer, arrivals);
      if (returns != returnsBefore) {
        if (safe) {
          throw new AssertionError("a consumer that was given up hands something on");
        }
      } else if (safe) {
        history.onArrivals(taken, clock.monoMs());
      } else {
        history.onUnsafe(taken);
      }
    }

    private void again(List<Published> taken, List<Arrival> arrivals) {
      if (!retired) {
        makeSafe(taken, arrivals);
      }
    }

    private void acknowledge(List<Published> taken) {
      timeline.after(
          chance.mostlySmall(plan.durability.acknowledgeMicros()),
          () -> {
            if (!retired && !deaf) {
              queue.acknowledge(taken);
            }
          });
    }
  }

  private static Arrival arrival(Published message) {
    return message.forwardable()
        ? new Arrival(message.message(), null, message.persistent(), true)
        : new Arrival(null, GapReason.TOO_LARGE, message.persistent(), true);
  }
}
