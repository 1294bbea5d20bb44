package io.sluice.gateway.hub;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Pre-subscription of topics: opens interests before their first client and counts those whose
 * consumers become active. It opens them on the control thread in batches, so that requests of
 * clients are handled in between. They settle on any thread.
 */
final class PreSubscription {
  private static final int BATCH_SIZE = 50;

  private final Executor control;
  private final Function<String, CompletionStage<Boolean>> opener;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();
  private final AtomicInteger active = new AtomicInteger();

  /** Number of interests that have not settled, plus one until all are opened. */
  private final AtomicInteger awaited = new AtomicInteger(1);

  private List<String> left;

  /**
   * Creates a pre-subscription that has not started.
   *
   * @param control runs tasks on the control thread
   * @param opener opens an interest on the control thread; it returns whether the consumer becomes
   *     active, or null at the limit of topics
   */
  PreSubscription(
      Executor control, List<String> topics, Function<String, CompletionStage<Boolean>> opener) {
    this.control = control;
    this.left = topics;
    this.opener = opener;
  }

  /** Returns the number of active consumers, once all have settled. */
  CompletionStage<Integer> activeCount() {
    return done;
  }

  /** Opens a batch and schedules the next one. Control thread. */
  void openBatch() {
    int count = Math.min(BATCH_SIZE, left.size());
    left.subList(0, count).forEach(this::open);
    left = left.subList(count, left.size());
    if (left.isEmpty()) {
      onOneLess();
    } else {
      control.execute(this::openBatch);
    }
  }

  private void open(String topic) {
    CompletionStage<Boolean> settled = opener.apply(topic);
    if (settled != null) {
      awaited.incrementAndGet();
      settled.thenAccept(this::onSettled);
    }
  }

  private void onSettled(boolean isActive) {
    if (isActive) {
      active.incrementAndGet();
    }
    onOneLess();
  }

  private void onOneLess() {
    if (awaited.decrementAndGet() == 0) {
      done.complete(active.get());
    }
  }
}
