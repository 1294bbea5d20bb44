package io.sluice.gateway.drain;

import io.sluice.gateway.session.MoveReason;
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
 * Redirects a number of a node's clients to other nodes. The event loops choose them one after the
 * other, in random order; each compensates for the shortfall of those before. Bound to the loop
 * that chooses.
 */
public final class Rebalancer {
  /** Event loop with connections to choose from. For any thread. */
  public interface Loop {
    /** Calls {@link Rebalancer#onTurn} on the event loop. */
    void rebalance(Rebalancer shedding);
  }

  /**
   * How many clients of a loop are looked at for each that is wanted, and besides: those that
   * cannot be moved must not hold up the others on it.
   */
  private static final int LOOKS_FOR_EACH = 10;

  private static final int MORE_LOOKS = 1_000;

  private final Queue<Loop> unasked;
  private final long withinMs;
  private final Supplier<RedirectTarget> places;
  private final CompletableFuture<Integer> end = new CompletableFuture<>();
  private final int clients;
  private final MoveReason reason;
  private int chosen;

  /**
   * @param clients how many of them at most
   * @param withinMs in which they are told, at random moments
   * @param places where the next one should go, or null if nowhere; asked on event loops
   */
  public Rebalancer(
      Collection<? extends Loop> loops,
      int clients,
      long withinMs,
      Supplier<RedirectTarget> places,
      MoveReason reason) {
    List<Loop> shuffled = new ArrayList<>(loops);
    Collections.shuffle(shuffled);
    this.unasked = new ArrayDeque<>(shuffled);
    this.clients = clients;
    this.withinMs = withinMs;
    this.places = places;
    this.reason = reason;
  }

  /**
   * Begins.
   *
   * @return how many were chosen, soon; at its moment nobody is told who has left by then, whose
   *     place is gone, or whose node drains
   */
  public CompletionStage<Integer> begin() {
    askNext();
    return end;
  }

  private void askNext() {
    Loop next = chosen < clients ? unasked.poll() : null;
    if (next == null) {
      end.complete(chosen);
      return;
    }
    try {
      next.rebalance(this);
    } catch (RejectedExecutionException stopping) {
      end.complete(chosen);
    }
  }

  /** It is this loop's turn to choose its part. */
  public void onTurn(ConnectionList connections, ScheduledExecutorService loop) {
    try {
      int loops = unasked.size() + 1;
      int part = (clients - chosen + loops - 1) / loops;
      chosen += choose(connections, loop, part);
      askNext();
    } catch (RuntimeException bug) {
      end.completeExceptionally(bug);
    }
  }

  private int choose(ConnectionList connections, ScheduledExecutorService loop, int most) {
    int found = 0;
    int count = connections.count();
    int first = count == 0 ? 0 : ThreadLocalRandom.current().nextInt(count);
    long looks = Math.min(count, (long) LOOKS_FOR_EACH * most + MORE_LOOKS);
    for (int i = 0; i < looks && found < most; i++) {
      DrainableConnection candidate = connections.get((first + i) % count);
      if (candidate.isMovable(reason)) {
        RedirectTarget place = places.get();
        if (place == null) {
          return found;
        }
        tellLater(candidate, place, loop);
        found++;
      }
    }
    return found;
  }

  private void tellLater(
      DrainableConnection client, RedirectTarget place, ScheduledExecutorService loop) {
    long afterMs = ThreadLocalRandom.current().nextLong(Math.max(1, withinMs));
    loop.schedule(() -> tell(client, place), afterMs, TimeUnit.MILLISECONDS);
  }

  // Neither client nor place need be as they were when they were chosen.
  private void tell(DrainableConnection client, RedirectTarget place) {
    if (client.isMovable(reason) && place.isOpen()) {
      client.onBetterPlace(place.url(), reason);
    }
  }
}
