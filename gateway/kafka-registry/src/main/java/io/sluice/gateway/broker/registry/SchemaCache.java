package io.sluice.gateway.broker.registry;

import io.sluice.gateway.broker.Backoff;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * Schemas by their id or subject, loaded when they are first used. The least recently used ones are
 * removed: a parsed schema has some kilobytes, and few clusters have as many. Any thread; only
 * {@link #await} blocks.
 */
final class SchemaCache<K> {
  private static final int MAX_SCHEMAS = 1_000;
  private static final long RETRY_MIN_MS = 500;
  private static final long RETRY_MAX_MS = 15_000;

  /** Time after which an unusable schema is requested again. */
  private static final long UNUSABLE_NS = TimeUnit.SECONDS.toNanos(30);

  /** Source of schemas; called by the executor. */
  interface Loader<K> {
    /**
     * Loads a schema.
     *
     * @throws IOException if another attempt may succeed
     */
    Loaded load(K key) throws IOException, UnusableSchema;
  }

  /**
   * Result of the latest attempt.
   *
   * @param id of the schema
   * @param format null if there is a problem
   * @param problem null if there is none
   * @param isFinal whether another attempt would have the same result
   */
  record Loaded(int id, ValueFormat format, String problem, boolean isFinal) {
    static Loaded of(int id, ValueFormat format) {
      return new Loaded(id, format, null, true);
    }
  }

  /** Guarded by the cache, except the future. */
  private static final class CachedSchema {
    final Backoff backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, RandomGenerator.getDefault());
    CompletableFuture<Void> attempt;
    Loaded latest;
    long nextNs;
  }

  private final Executor executor;
  private final Loader<K> loader;
  private final long refreshNs;

  private final Map<K, CachedSchema> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, CachedSchema> eldest) {
          return size() > MAX_SCHEMAS;
        }
      };

  /**
   * @param refreshMs time after which a schema is loaded again, while the loaded one is used
   */
  SchemaCache(Executor executor, long refreshMs, Loader<K> loader) {
    this.executor = executor;
    this.refreshNs = TimeUnit.MILLISECONDS.toNanos(refreshMs);
    this.loader = loader;
  }

  /** Returns the result of the latest attempt, or null. Begins another attempt if one is due. */
  Loaded get(K key) {
    synchronized (this) {
      return entry(key).latest;
    }
  }

  /** Waits for the attempt that runs, unless a schema is known. Returns its result, or null. */
  Loaded await(K key, long timeoutMs) {
    CompletableFuture<Void> attempt;
    synchronized (this) {
      CachedSchema entry = entry(key);
      if (entry.latest != null && entry.latest.isFinal) {
        return entry.latest;
      }
      attempt = entry.attempt;
    }
    try {
      attempt.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // no result yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return get(key);
  }

  private CachedSchema entry(K key) {
    CachedSchema entry = entries.computeIfAbsent(key, any -> new CachedSchema());
    boolean due = entry.latest == null || System.nanoTime() - entry.nextNs >= 0;
    if (due && (entry.attempt == null || entry.attempt.isDone())) {
      entry.attempt = attempt(key, entry);
    }
    return entry;
  }

  private CompletableFuture<Void> attempt(K key, CachedSchema entry) {
    try {
      return CompletableFuture.runAsync(() -> onLoaded(entry, load(key)), executor);
    } catch (RejectedExecutionException e) { // stopped
      return CompletableFuture.failedFuture(e);
    }
  }

  private Loaded load(K key) {
    try {
      return loader.load(key);
    } catch (UnusableSchema e) {
      return new Loaded(0, null, e.getMessage(), true);
    } catch (IOException e) {
      return new Loaded(0, null, e.getMessage(), false);
    } catch (RuntimeException | StackOverflowError e) { // of a library that parses the schema
      return new Loaded(0, null, "the schema is malformed: " + e, true);
    }
  }

  private synchronized void onLoaded(CachedSchema entry, Loaded loaded) {
    long delayNs = loaded.format == null ? UNUSABLE_NS : refreshNs;
    if (loaded.isFinal) {
      entry.backoff.reset();
    } else {
      delayNs = TimeUnit.MILLISECONDS.toNanos(entry.backoff.nextMs());
    }
    entry.nextNs = System.nanoTime() + delayNs;
    if (loaded.isFinal || entry.latest == null || entry.latest.format == null) {
      entry.latest = loaded;
    }
  }
}
