package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AuthExecutorTest {
  private static final Principal ANN =
      new Principal("ann", Principal.Mechanism.KERBEROS, "", 0, Principal.NEVER, Map.of());

  private final AuthExecutor threads = new AuthExecutor(1, 4);
  private final CompletableFuture<Principal> gate = new CompletableFuture<>();

  @AfterEach
  void close() {
    threads.close();
  }

  private CompletableFuture<Principal> start() {
    return start("192.0.2.1");
  }

  private CompletableFuture<Principal> start(String address) {
    return threads.check(address, () -> gate).toCompletableFuture();
  }

  private static void assertUnavailable(CompletableFuture<Principal> answer, String message) {
    assertThatThrownBy(answer::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            AuthenticationFailure.class,
            e -> assertThat(e.reason()).isEqualTo(AuthenticationFailure.Reason.UNAVAILABLE))
        .hasMessageContaining(message);
  }

  @Test
  void shouldRejectChecksAboveTheLimit() {
    CompletableFuture<Principal> first = start();
    CompletableFuture<Principal> second = start();
    assertUnavailable(start(), "too many credential checks");
    CompletableFuture<Principal> other = start("192.0.2.2");
    assertThat(other).isNotDone();
    gate.complete(ANN);
    assertThat(first.join()).isEqualTo(ANN);
    assertThat(second.join()).isEqualTo(ANN);
    await().until(() -> !start().isCompletedExceptionally());
  }

  @Test
  void shouldLetAddressesTakeTurns() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch held = new CountDownLatch(1);
    List<CompletableFuture<Principal>> all = new ArrayList<>();
    try (AuthExecutor one = new AuthExecutor(1, 100)) {
      all.add(checked(one, "a", held, order));
      for (int i = 0; i < 20; i++) {
        all.add(checked(one, "a", held, order));
        Executor later = one.executor("a");
        later.execute(() -> order.add("a, later"));
      }
      all.add(checked(one, "b", held, order));
      held.countDown();
      for (CompletableFuture<Principal> each : all) {
        each.get(120, TimeUnit.SECONDS);
      }
    }
    assertThat(order.indexOf("b")).as("turn of b in " + order).isLessThanOrEqualTo(2);
  }

  private static CompletableFuture<Principal> checked(
      AuthExecutor threads, String address, CountDownLatch held, List<String> order) {
    return threads
        .check(
            address,
            () -> {
              try {
                held.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              order.add(address);
              return CompletableFuture.completedFuture(ANN);
            })
        .toCompletableFuture();
  }

  @Test
  void shouldFailPendingChecksWhenTheNodeStops() {
    CompletableFuture<Principal> waiting = start();
    threads.close();
    assertUnavailable(waiting, "stopping");
    assertUnavailable(start(), "stopping");
  }

  @Test
  void shouldPropagateABug() {
    CompletableFuture<Principal> answer =
        threads
            .check(
                "192.0.2.1",
                () -> {
                  throw new IllegalStateException("bug");
                })
            .toCompletableFuture();
    assertThatThrownBy(answer::join).hasRootCauseMessage("bug");
  }
}
