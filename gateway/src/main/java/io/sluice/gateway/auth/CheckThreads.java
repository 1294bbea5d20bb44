package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/**
 * The threads that check credentials, because a signature takes longer than an event loop has; and
 * how many checks may be under way. For any thread.
 */
final class CheckThreads implements AutoCloseable {
  private final ExecutorService threads;
  private final Semaphore places;
  private final Set<CompletableFuture<Principal>> underWay = ConcurrentHashMap.newKeySet();

  /**
   * @param queue largest number of checks that run or wait
   */
  CheckThreads(int threads, int queue) {
    this.threads = pool("sluice-auth", threads);
    this.places = new Semaphore(queue);
  }

  /** Returns threads that keep no process alive. */
  static ExecutorService pool(String name, int threads) {
    return Executors.newFixedThreadPool(threads, named(name));
  }

  /** Returns a timer that keeps no process alive. */
  static ScheduledExecutorService timer(String name) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named(name));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return timer;
  }

  private static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** One check; it may go on elsewhere after it has returned. */
  @FunctionalInterface
  interface Check {
    /** Fails with {@link AuthenticationFailure} only. */
    CompletionStage<Principal> run();
  }

  /** Where a check may go on. */
  Executor executor() {
    return threads;
  }

  /** Runs a check, unless too many are under way already. */
  CompletionStage<Principal> check(Check check) {
    if (!places.tryAcquire()) {
      return AuthenticationFailure.stage(
          Reason.UNAVAILABLE, "this node has too many credentials to check already");
    }
    CompletableFuture<Principal> answer = new CompletableFuture<>();
    underWay.add(answer);
    answer.whenComplete(
        (principal, failure) -> {
          underWay.remove(answer);
          places.release();
        });
    try {
      threads.execute(() -> run(check, answer));
    } catch (RejectedExecutionException closed) {
      answer.completeExceptionally(stopping());
    }
    return answer;
  }

  private static void run(Check check, CompletableFuture<Principal> answer) {
    try {
      check
          .run()
          .whenComplete(
              (principal, failure) -> {
                if (failure == null) {
                  answer.complete(principal);
                } else {
                  answer.completeExceptionally(AuthenticationFailure.unwrapped(failure));
                }
              });
    } catch (RuntimeException | Error bug) { // told and counted where the answer is read
      answer.completeExceptionally(bug);
    }
  }

  private static AuthenticationFailure stopping() {
    return new AuthenticationFailure(Reason.UNAVAILABLE, "this node is stopping");
  }

  /** Who waits is told that nobody could be asked. */
  @Override
  public void close() {
    threads.shutdownNow();
    underWay.forEach(answer -> answer.completeExceptionally(stopping()));
  }
}
