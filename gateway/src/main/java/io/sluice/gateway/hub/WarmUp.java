package io.sluice.gateway.hub;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens interests before their first client, and counts them until each of them stands or can't.
 * They are opened on the control thread, some at a time, because a client that wants a topic now
 * must not wait for all of them; they settle on any thread.
 */
final class WarmUp {
  private static final int AT_ONCE = 50;

  private final Hub hub;
  private final long lingerMs;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();
  private final AtomicInteger standing = new AtomicInteger();

  /** Those that are awaited, and one for those that are yet to be opened. */
  private final AtomicInteger awaited = new AtomicInteger(1);

  private List<String> left;

  WarmUp(Hub hub, List<String> topics, long lingerMs) {
    this.hub = hub;
    this.left = topics;
    this.lingerMs = lingerMs;
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
      hub.onControl(this::openSome);
    }
  }

  private void open(String topic) {
    Interest interest = hub.openForNobody(topic, lingerMs);
    if (interest != null) {
      awaited.incrementAndGet();
      interest.settled().thenAccept(this::onSettled);
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
