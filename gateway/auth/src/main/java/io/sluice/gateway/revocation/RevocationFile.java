package io.sluice.gateway.revocation;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.metrics.RevocationMeters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File with the revocations of a node, which survive a restart by it. Any thread may call it; one
 * thread writes. Changes that wait while the disk is busy are written together.
 */
public final class RevocationFile implements Revocations.Storage, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RevocationFile.class);

  /** Lines above twice the number of revocations, after which all lines are replaced. */
  private static final int SPARE_LINES = 1_000;

  private static final long RETRY_MS = 5_000;
  private static final long CLOSE_MS = 2_000;

  private final Revocations revocations;
  private final RevocationStore store;
  private final RevocationMeters meters;
  private final ScheduledThreadPoolExecutor thread;

  // Guarded by this.
  private List<Revocation> waiting = new ArrayList<>();

  /** Completes with the changes that wait. */
  private CompletableFuture<Void> next = new CompletableFuture<>();

  /** Completes with the write that is running or was the last one. */
  private CompletableFuture<Void> latest = CompletableFuture.completedFuture(null);

  private boolean scheduled;

  /** True while the file has all changes that were to be written. Bound to the thread. */
  private boolean complete = true;

  private RevocationFile(Revocations revocations, RevocationStore store, RevocationMeters meters) {
    this.revocations = revocations;
    this.store = store;
    this.meters = meters;
    this.thread = new ScheduledThreadPoolExecutor(1, RevocationFile::newThread);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-revocations-file");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Reads the configured file into a set of revocations, and stores its further changes.
   *
   * @return null without a file
   * @throws UnusableRevocations if the file cannot be read, written or locked
   */
  public static RevocationFile open(
      RevocationOptions options, Revocations revocations, RevocationMeters meters)
      throws UnusableRevocations {
    if (options.file().isEmpty()) {
      return null;
    }
    RevocationStore store = RevocationStore.open(Path.of(options.file()));
    try {
      Revocations.Merge merge = revocations.merge(store.read());
      store.replace(revocations.entries());
      if (merge.rejected() > 0) {
        log.atError()
            .addKeyValue("rejected", merge.rejected())
            .addKeyValue("max", revocations.maxEntries())
            .log("revocations.full");
      }
      RevocationFile file = new RevocationFile(revocations, store, meters);
      revocations.storeIn(file);
      return file;
    } catch (IOException e) {
      closeQuietly(store);
      throw new UnusableRevocations(options.file() + " cannot be used: " + e, e);
    }
  }

  /** Reports problems that would make {@link #open} fail. Creates and writes nothing. */
  public static void check(ConfigFindings findings) {
    String name = RevocationOptions.of(findings.config()).file();
    if (!name.isEmpty()) {
      problem(name).ifPresent(what -> findings.report(what, "", AuthSettings.REVOCATIONS_FILE));
    }
  }

  private static Optional<String> problem(String name) {
    Path file;
    try {
      file = Path.of(name).toAbsolutePath();
    } catch (InvalidPathException malformed) {
      return Optional.empty(); // the rules report it
    }
    if (Files.isDirectory(file)) {
      return Optional.of(name + " is a folder");
    }
    Path folder = file.getParent();
    if (!Files.isDirectory(folder)) {
      return Optional.of(folder + " is not a folder");
    }
    if (!Files.isWritable(folder)) {
      return Optional.of(folder + " is not writable");
    }
    return Files.exists(file) && !Files.isReadable(file)
        ? Optional.of(name + " cannot be read")
        : Optional.empty();
  }

  @Override
  public synchronized void add(Revocation changed) {
    waiting.add(changed);
    schedule(0);
  }

  private void schedule(long delayMs) {
    if (scheduled) {
      return;
    }
    try {
      thread.schedule(this::writeWaiting, delayMs, TimeUnit.MILLISECONDS);
      scheduled = true;
    } catch (RejectedExecutionException e) {
      next.completeExceptionally(e); // the node is stopping
    }
  }

  @Override
  public synchronized CompletionStage<Void> stored() {
    return (waiting.isEmpty() ? latest : next).copy();
  }

  private void writeWaiting() {
    List<Revocation> batch;
    CompletableFuture<Void> done;
    synchronized (this) {
      batch = waiting;
      waiting = new ArrayList<>();
      done = next;
      next = new CompletableFuture<>();
      latest = done;
      scheduled = false;
    }
    try {
      write(batch);
      complete = true;
      meters.onStored(true);
      done.complete(null);
    } catch (IOException e) {
      complete = false;
      meters.onStored(false);
      log.atError().setCause(e).log("revocations.not-stored");
      done.completeExceptionally(e);
      retry();
    }
  }

  private void write(List<Revocation> batch) throws IOException {
    if (complete && store.lines() <= 2 * revocations.size() + SPARE_LINES) {
      store.append(batch);
    } else {
      store.replace(revocations.entries());
    }
  }

  private synchronized void retry() {
    schedule(RETRY_MS);
  }

  private static void closeQuietly(RevocationStore store) {
    try {
      store.close();
    } catch (IOException e) {
      log.atDebug().setCause(e).log("the file is closed already");
    }
  }

  /** Writes the changes that wait, within a short timeout. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeQuietly(store);
  }
}
