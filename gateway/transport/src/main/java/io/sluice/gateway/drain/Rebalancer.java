package io.sluice.gateway.drain;

import io.sluice.gateway.session.RedirectReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Rebalancer that redirects a number of a node's clients to other nodes. Bound to one event loop at
 * a time.
 *
 * <p>The event loops select clients one after the other, in random order. Each compensates for the
 * shortfall of those before.
 */
public final class Rebalancer {
  /** Event loop with client connections. For any thread. */
  public interface Loop {
    /** Calls {@link Rebalancer#select} on the event loop. */
    void rebalance(Rebalancer rebalancer);
  }

  /**
   * Maximum number of candidates per client to select. Bounded, so that clients that cannot be
   * redirected do not delay the event loop.
   */
  private static final int CANDIDATES_PER_CLIENT = 10;

  /** Number of candidates in addition. */
  private static final int EXTRA_CANDIDATES = 1_000;

  private final Queue<Loop> remaining;
  private final long withinMs;
  private final Supplier<RedirectTarget> targets;
  private final CompletableFuture<Integer> end = new CompletableFuture<>();
  private final int clients;
  private final RedirectReason reason;
  private int selected;

  /**
   * @param clients maximum number of clients to redirect
   * @param withinMs period in which they are redirected, at random times
   * @param targets supplies the target of the next client, or null if there is none; called on
   *     event loops
   */
  public Rebalancer(
      Collection<? extends Loop> loops,
      int clients,
      long withinMs,
      Supplier<RedirectTarget> targets,
      RedirectReason reason) {
    List<Loop> shuffled = new ArrayList<>(loops);
    Collections.shuffle(shuffled);
    this.remaining = new ArrayDeque<>(shuffled);
    this.clients = clients;
    this.withinMs = withinMs;
    this.targets = targets;
    this.reason = reason;
  }

  /**
   * Begins the selection.
   *
   * @return completes with the number of selected clients. A client is not redirected if, at its
   *     time, it has disconnected, its target is closed or its node drains.
   */
  public CompletionStage<Integer> begin() {
    selectOnNext();
    return end;
  }

  private void selectOnNext() {
    Loop next = selected < clients ? remaining.poll() : null;
    if (next == null) {
      end.complete(selected);
      return;
    }
    try {
      next.rebalance(this);
    } catch (RejectedExecutionException stopping) {
      end.complete(selected);
    }
  }

  /** Selects this loop's part of the clients. Called on the loop. */
  public void select(ConnectionList connections, ScheduledExecutorService loop) {
    try {
      int loops = remaining.size() + 1;
      int part = (clients - selected + loops - 1) / loops;
      selected += select(connections, loop, part);
      selectOnNext();
    } catch (RuntimeException bug) {
      end.completeExceptionally(bug);
    }
  }

  private int select(ConnectionList connections, ScheduledExecutorService loop, int max) {
    int found = 0;
    int count = connections.count();
    int first = count == 0 ? 0 : ThreadLocalRandom.current().nextInt(count);
    long candidates = Math.min(count, (long) CANDIDATES_PER_CLIENT * max + EXTRA_CANDIDATES);
    for (int i = 0; i < candidates && found < max; i++) {
      DrainableConnection candidate = connections.get((first + i) % count);
      if (candidate.isMovable(reason)) {
        RedirectTarget target = targets.get();
        if (target == null) {
          return found;
        }
        scheduleRedirect(candidate, target, loop);
        found++;
      }
    }
    return found;
  }

  private void scheduleRedirect(
      DrainableConnection client, RedirectTarget target, ScheduledExecutorService loop) {
    long afterMs = ThreadLocalRandom.current().nextLong(Math.max(1, withinMs));
    loop.schedule(() -> redirect(client, target), afterMs, TimeUnit.MILLISECONDS);
  }

  // The states of client and target may have changed since the selection.
  private void redirect(DrainableConnection client, RedirectTarget target) {
    if (client.isMovable(reason) && target.isOpen()) {
      client.redirect(target.url(), reason);
    }
  }
}
