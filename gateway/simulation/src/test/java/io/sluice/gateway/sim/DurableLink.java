package io.sluice.gateway.sim;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One durable interest of a node. It receives messages of its subscription in rounds on a dedicated
 * thread and acknowledges them a little later.
 */
final class DurableLink {
  private static final int PRIORITY = 4;
  private static final RetainedMessages NOTHING = new RetainedMessages(false, false);
  private static final int MAX_ARRIVALS = 64;
  private static final long MAX_PAUSES = 4 * Plan.SECOND;
  private static final long QUIET = 100 * Plan.MILLI;
  private static final long AGAIN = 500 * Plan.MILLI;

  final String pattern;

  /** Messages that were delivered in this run of the node or found in its journal. */
  final DurableHistory history;

  private final Timeline timeline;
  private final SeededRandom random;
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

  /** Number of connections to the broker. */
  private int returns;

  private Rounds rounds;

  /** Node of the interest, with the faults that may occur during a round. */
  interface Host {
    void note(Supplier<String> what);

    /** Returns whether a fault occurs in this round. */
    boolean strike();

    /** Terminates the process during a write to the journal. */
    void crashIn(Runnable making);

    /** Terminates the process or the link before the messages are acknowledged. */
    void beforeAcknowledge();

    /** Handles a loss that the node has recognized. In some cases its process terminates soon. */
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
    this.random = plan.durableRandom;
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

  /** Returns whether the loss found when this was opened is stored in the journal. */
  boolean isRemembered() {
    return remembered;
  }

  /** Opens the subscription at the broker; returns false if the broker refuses it. */
  boolean open() {
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

  /** Handles the loss of the connection. */
  void retire() {
    if (rounds != null) {
      rounds.retired = true;
      rounds = null;
      queue.close();
    }
  }

  /** Stops all traffic in both directions without a notice to the node. */
  void becomeHalfOpen() {
    if (rounds != null) {
      rounds.halfOpen = true;
      queue.close();
    }
  }

  /** Delivers nothing before this time. */
  void stallUntil(long micros) {
    if (rounds != null) {
      rounds.latestArrival = Math.max(rounds.latestArrival, micros);
    }
  }

  /** Rounds of one consumer. */
  private final class Rounds {
    private final List<Published> received = new ArrayList<>();

    /** Sequences of those that an earlier consumer may have received. */
    private final Set<Long> again = new HashSet<>();

    private boolean retired;
    private boolean halfOpen;

    /** True if the latest round had no messages. */
    private boolean idle;

    private boolean waiting;
    private long latestArrival;
    private int number;

    /** Number of messages that the broker had retained. */
    private long kept;

    private long takenCount;

    /** Identifier of this consumer in the node. */
    private final long consumer;

    private final int returnsBefore = returns;

    Rounds(long consumer) {
      this.consumer = consumer;
    }

    /**
     * Delivers a retained message, in order and with pauses between groups. No pause follows the
     * last one.
     */
    void redeliver(Published message, boolean received) {
      boolean soon = latestArrival < timeline.nowMicros() + MAX_PAUSES;
      if (soon && random.oneIn(plan.durability.pauseOneIn())) {
        latestArrival += plan.durability.pause(random, plan.displacement / 2);
      }
      kept++;
      if (received) {
        again.add(message.sequence());
      }
      deliver(message);
    }

    void deliver(Published message) {
      long soon = timeline.nowMicros() + plan.delay(random, plan.displacement / 2);
      latestArrival = Math.max(latestArrival, soon);
      timeline.at(latestArrival, () -> arrive(message));
    }

    private void arrive(Published message) {
      if (!retired && !halfOpen) {
        received.add(message);
        wake();
      }
    }

    void round() {
      if (retired) {
        return;
      }
      listener.onRound(consumer, isDrained());
      idle = false;
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

    // As with the real brokers, only one that keeps the order reports the number of retained
    // messages.
    private boolean isDrained() {
      return plan.durability.ordered() ? takenCount >= kept : idle;
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
        idle = true;
        round();
        return;
      }
      List<Published> next = received.subList(0, Math.min(MAX_ARRIVALS, received.size()));
      List<Published> taken = List.copyOf(next);
      next.clear();
      takenCount += taken.size();
      List<Arrival> arrivals = received(taken).stream().map(this::arrival).toList();
      long disk = random.mostlySmall(plan.durability.diskMicros());
      timeline.after(disk, () -> thread.execute(() -> makeSafe(taken, arrivals)));
    }

    // A call that waits for the node's lock may run after its consumer was closed.
    private void makeSafe(List<Published> taken, List<Arrival> arrivals) {
      if (retired) {
        arriveLate(taken, arrivals);
        return;
      }
      boolean strikes = host.strike();
      if (strikes && random.oneIn(2)) {
        host.crashIn(() -> listener.onArrivals(consumer, arrivals));
        return;
      }
      if (!listener.onArrivals(consumer, arrivals)) {
        history.onUnsafe(received(taken));
        host.note(() -> "cannot make safe what came for " + pattern);
        timeline.after(AGAIN, () -> thread.execute(() -> again(taken, arrivals)));
        return;
      }
      history.onArrivals(received(taken), clock.monoMs());
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

    private void arriveLate(List<Published> taken, List<Arrival> arrivals) {
      boolean safe = listener.onArrivals(consumer, arrivals);
      if (returns != returnsBefore) {
        if (safe) {
          throw new AssertionError("a consumer that was given up hands something on");
        }
      } else if (safe) {
        history.onArrivals(received(taken), clock.monoMs());
      } else {
        history.onUnsafe(received(taken));
      }
    }

    private void again(List<Published> taken, List<Arrival> arrivals) {
      if (!retired) {
        makeSafe(taken, arrivals);
      }
    }

    private Arrival arrival(Published message) {
      boolean forwarded = message.forwardable();
      boolean marked = plan.ids.isMarked(message, again.contains(message.sequence()));
      return new Arrival(
          forwarded ? message.message() : null,
          forwarded ? null : GapReason.TOO_LARGE,
          message.persistent(),
          new DeliveryInfo(Broker.NO_SEQUENCE, PRIORITY, false, 0, marked, false),
          Selectors.fields(message, listener.needsFields()));
    }

    private void acknowledge(List<Published> taken) {
      timeline.after(
          random.mostlySmall(plan.durability.acknowledgeMicros()),
          () -> {
            if (!retired && !halfOpen) {
              queue.acknowledge(taken);
            }
          });
    }
  }

  private List<Published> received(List<Published> messages) {
    return messages.stream().map(each -> each.as(broker.received(store, pattern, each))).toList();
  }
}
