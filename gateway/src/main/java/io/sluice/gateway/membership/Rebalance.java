package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Move;
import io.sluice.cluster.Node;
import io.sluice.cluster.Shed;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.http.ClientPorts;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks connected clients to move to nodes with fewer: at {@code balance.shed-rate} as long as this
 * node is above the tolerance, and in one round where an operator asks for it. Bound to the
 * member's thread.
 */
final class Rebalance {
  private static final Logger log = LoggerFactory.getLogger(Rebalance.class);

  /** In which the clients of an operator's round are asked. */
  private static final long ROUND_MS = 30_000;

  private static final double ALL_AT_ONCE = 1e9;
  private static final Shed GOING = new Shed(true, 0, List.of());

  private final ClientPorts clients;
  private final Places places;
  private final Balance steady;
  private final Balance round;
  private final boolean sheds;
  private Shed shed = Shed.NOTHING;

  /** Until when clients of a round may not have been asked yet. */
  private long roundEndsNs = System.nanoTime();

  /** How many clients the latest round asks. */
  private CompletableFuture<Integer> asked = CompletableFuture.completedFuture(0);

  /**
   * @param perMinute clients that all nodes redirect a minute; 0: none
   */
  Rebalance(ClientPorts clients, Places places, double tolerance, int perMinute) {
    this.clients = clients;
    this.places = places;
    this.sheds = perMinute > 0;
    this.steady = new Balance(new BalanceRules(tolerance, perMinute));
    this.round = new Balance(new BalanceRules(tolerance, ALL_AT_ONCE));
  }

  /** To be called as often as given. */
  void onTick(long everyMs) {
    if (sheds && !isInRound()) {
      shed = places.toShed(steady, shed, clients.moving(), everyMs);
      ask(shed.moves(), everyMs);
    }
  }

  /**
   * Asks as many as it takes to be well within the tolerance, unless a round is under way.
   *
   * @return how many the round asks
   */
  CompletionStage<Integer> startRound() {
    if (!isInRound()) {
      Shed all = places.toShed(round, GOING, clients.moving(), ROUND_MS);
      roundEndsNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROUND_MS);
      asked = ask(all.moves(), ROUND_MS).toCompletableFuture();
      asked.thenAccept(
          count -> log.atInfo().addKeyValue("clients", count).log("cluster.rebalance"));
    }
    return asked;
  }

  /** A round that asks nobody is over at once. */
  private boolean isInRound() {
    return System.nanoTime() - roundEndsNs < 0
        && !(asked.isCompletedExceptionally() || asked.getNow(1) == 0);
  }

  private CompletionStage<Integer> ask(List<Move> moves, long withinMs) {
    if (moves.isEmpty()) {
      return CompletableFuture.completedStage(0);
    }
    Queue<Node> targets = new ConcurrentLinkedQueue<>(moves.stream().map(Move::to).toList());
    return clients
        .rebalance(moves.size(), withinMs, () -> next(targets))
        .whenComplete(Rebalance::onChosen);
  }

  private static void onChosen(Integer clients, Throwable bug) {
    if (bug != null) {
      log.atError().setCause(bug).log("cluster.task-failed");
    }
  }

  private RedirectTarget next(Queue<Node> targets) {
    Node to = targets.poll();
    return to == null ? null : new RedirectTarget(places.send(to), () -> places.isOpen(to));
  }
}
