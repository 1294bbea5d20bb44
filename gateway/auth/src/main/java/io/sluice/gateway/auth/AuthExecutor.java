package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.limits.FairQueue;
import io.sluice.gateway.limits.Shares;
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
import java.util.concurrent.ThreadFactory;

/**
 * Thread pool that checks credentials, with a limit of concurrent checks. Verifying a signature
 * would block an event loop for too long. Addresses take turns. For any thread.
 */
final class AuthExecutor implements AutoCloseable {
  private final ExecutorService threads;
  private final Shares permits;
  private final Set<CompletableFuture<Principal>> pending = ConcurrentHashMap.newKeySet();

  /** Steps of checks by address, each for one task of the threads. Guarded by itself. */
  private final FairQueue<Runnable> steps = new FairQueue<>();

  /**
   * @param queue largest number of checks that run or wait
   */
  AuthExecutor(int threads, int queue) {
    this.threads = pool("sluice-auth", threads);
    this.permits = new Shares(queue);
  }

  /** Returns a pool of daemon threads. */
  static ExecutorService pool(String name, int threads) {
    return Executors.newFixedThreadPool(threads, named(name));
  }

  /** Returns a timer with one daemon thread. */
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

  /** One check; it may complete asynchronously after it has returned. */
  @FunctionalInterface
  interface Check {
    /** Starts the check. The stage fails with {@link AuthenticationFailure} only. */
    CompletionStage<Principal> run();
  }

  /** Returns the executor for the later steps of an address's checks. */
  Executor executor(String address) {
    return step -> execute(address, step);
  }

  private void execute(String address, Runnable step) {
    synchronized (steps) {
      steps.add(address, step);
    }
    threads.execute(this::runNext);
  }

  private void runNext() {
    Runnable next;
    synchronized (steps) {
      next = steps.poll();
    }
    next.run();
  }

  /**
   * Runs a check, or rejects it if too many are pending.
   *
   * @param address name of the sender's address, which has a share of pending checks
   */
  CompletionStage<Principal> check(String address, Check check) {
    if (!permits.take(address, 1)) {
      return AuthenticationFailure.stage(
          Reason.UNAVAILABLE,
          "too many credential checks are pending on this node, or of this address");
    }
    CompletableFuture<Principal> answer = new CompletableFuture<>();
    pending.add(answer);
    answer.whenComplete(
        (principal, failure) -> {
          pending.remove(answer);
          permits.release(address, 1);
        });
    try {
      execute(address, () -> run(check, answer));
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
    } catch (RuntimeException | Error bug) { // the reader of the result logs and counts it
      answer.completeExceptionally(bug);
    }
  }

  private static AuthenticationFailure stopping() {
    return new AuthenticationFailure(Reason.UNAVAILABLE, "this node is stopping");
  }

  /** Stops the threads; pending checks fail with {@link Reason#UNAVAILABLE}. */
  @Override
  public void close() {
    threads.shutdownNow();
    pending.forEach(answer -> answer.completeExceptionally(stopping()));
  }
}
