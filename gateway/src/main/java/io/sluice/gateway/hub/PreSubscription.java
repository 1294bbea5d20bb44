package io.sluice.gateway.hub;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Pre-subscription of topics: opens interests before their first client and counts those whose
 * consumers become active. They are opened on the control thread, some at a time, because a client
 * that wants a topic now must not wait for all of them; they settle on any thread.
 */
final class PreSubscription {
  private static final int AT_ONCE = 50;

  private final Executor control;
  private final Function<String, CompletionStage<Boolean>> opener;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();
  private final AtomicInteger standing = new AtomicInteger();

  /** Those that are awaited, and one for those that are yet to be opened. */
  private final AtomicInteger awaited = new AtomicInteger(1);

  private List<String> left;

  /**
   * @param control runs tasks on the control thread
   * @param opener opens an interest, on the control thread; it returns whether its consumer becomes
   *     active, or null if there is no room for it
   */
  PreSubscription(
      Executor control, List<String> topics, Function<String, CompletionStage<Boolean>> opener) {
    this.control = control;
    this.left = topics;
    this.opener = opener;
  }

  /** How many stand, in the end. */
  CompletionStage<Integer> standing() {
    return done;
  }

  void openSome() {
    int some = Math.min(AT_ONCE, left.size());
    left.subList(0, some).forEach(this::open);
    left = left.subList(some, left.size());
    if (left.isEmpty()) {
      onOneLess();
    } else {
      control.execute(this::openSome);
    }
  }

  private void open(String topic) {
    CompletionStage<Boolean> settled = opener.apply(topic);
    if (settled != null) {
      awaited.incrementAndGet();
      settled.thenAccept(this::onSettled);
    }
  }

  private void onSettled(boolean stands) {
    if (stands) {
      standing.incrementAndGet();
    }
    onOneLess();
  }

  private void onOneLess() {
    if (awaited.decrementAndGet() == 0) {
      done.complete(standing.get());
    }
  }
}
