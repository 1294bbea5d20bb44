package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.BalanceRules;
import io.sluice.cluster.Node;
import io.sluice.cluster.RebalanceStep;
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
 * Redirects of connected clients to nodes with fewer clients. They run at {@code
 * balance.rebalance-rate} while this node is above the tolerance, and in one round on an operator's
 * request. Bound to the member's thread.
 */
final class Rebalance {
  private static final Logger log = LoggerFactory.getLogger(Rebalance.class);

  /** Duration of a round. */
  private static final long ROUND_MS = 30_000;

  private static final double UNLIMITED = 1e9;
  private static final RebalanceStep ACTIVE = new RebalanceStep(true, 0, List.of());

  private final ClientPorts clients;
  private final TargetSelector targets;
  private final Balance steady;
  private final Balance round;
  private final boolean continuous;
  private RebalanceStep step = RebalanceStep.INITIAL;

  /** End of the latest round. */
  private long roundEndsNs = System.nanoTime();

  /** Number of clients that the latest round redirects. */
  private CompletableFuture<Integer> roundClients = CompletableFuture.completedFuture(0);

  /**
   * @param perMinute clients that all nodes together redirect per minute; 0: none
   */
  Rebalance(ClientPorts clients, TargetSelector targets, double tolerance, int perMinute) {
    this.clients = clients;
    this.targets = targets;
    this.continuous = perMinute > 0;
    this.steady = new Balance(new BalanceRules(tolerance, perMinute));
    this.round = new Balance(new BalanceRules(tolerance, UNLIMITED));
  }

  /** Redirects the clients that are due. To be called at the given interval. */
  void onTick(long everyMs) {
    if (continuous && !isInRound()) {
      step = targets.nextStep(steady, step, clients.moving(), everyMs);
      redirect(step.moves(), everyMs);
    }
  }

  /**
   * Starts a round that redirects the clients above half of the tolerance, unless a round is
   * active.
   *
   * @return number of clients that the round redirects
   */
  CompletionStage<Integer> startRound() {
    if (!isInRound()) {
      RebalanceStep all = targets.nextStep(round, ACTIVE, clients.moving(), ROUND_MS);
      roundEndsNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROUND_MS);
      roundClients = redirect(all.moves(), ROUND_MS).toCompletableFuture();
      roundClients.thenAccept(
          count -> log.atInfo().addKeyValue("clients", count).log("cluster.rebalance"));
    }
    return roundClients;
  }

  /** Returns whether a round is active; one without clients ends at once. */
  private boolean isInRound() {
    return System.nanoTime() - roundEndsNs < 0
        && !(roundClients.isCompletedExceptionally() || roundClients.getNow(1) == 0);
  }

  private CompletionStage<Integer> redirect(List<Node> moves, long withinMs) {
    if (moves.isEmpty()) {
      return CompletableFuture.completedStage(0);
    }
    Queue<Node> nodes = new ConcurrentLinkedQueue<>(moves);
    return clients
        .rebalance(moves.size(), withinMs, () -> next(nodes))
        .whenComplete(Rebalance::onChosen);
  }

  private static void onChosen(Integer clients, Throwable bug) {
    if (bug != null) {
      log.atError().setCause(bug).log("cluster.task-failed");
    }
  }

  private RedirectTarget next(Queue<Node> nodes) {
    Node to = nodes.poll();
    return to == null
        ? null
        : new RedirectTarget(targets.redirectTo(to), () -> targets.isAvailable(to));
  }
}
