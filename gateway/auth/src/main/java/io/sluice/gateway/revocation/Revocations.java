package io.sluice.gateway.revocation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Credentials that operators have revoked, on this node or another, until they expire. For any
 * thread; lookups take no lock.
 */
public final class Revocations {
  private final Map<String, Revocation> tokens = new ConcurrentHashMap<>();
  private final Map<String, Revocation> certificates = new ConcurrentHashMap<>();
  private final Map<String, Revocation> subjects = new ConcurrentHashMap<>();
  private final List<Map<String, Revocation>> all = List.of(tokens, certificates, subjects);
  private final long memoryMs;
  private final int maxEntries;
  private final LongSupplier clockMs;

  /** Guarded by this. */
  private final RevocationDigest digest = new RevocationDigest();

  private volatile Storage storage = Storage.NONE;
  private volatile Consumer<Revocation> onOrdered = any -> {};
  private volatile Supplier<Map<String, Boolean>> nodes = Map::of;

  /** Storage that survives the process. For any thread; must not block. */
  interface Storage {
    /** Storage of a node that stores its revocations in memory only. */
    Storage NONE = new Storage() {};

    /** Stores a new or changed revocation. */
    default void add(Revocation changed) {}

    /** Completes when all present changes are stored. */
    default CompletionStage<Void> stored() {
      return CompletableFuture.completedFuture(null);
    }
  }

  /**
   * @param memoryMs longest time that a revocation is stored
   * @param maxEntries largest number of revocations at once
   * @param clockMs clock in Unix milliseconds
   */
  Revocations(long memoryMs, int maxEntries, LongSupplier clockMs) {
    this.memoryMs = memoryMs;
    this.maxEntries = maxEntries;
    this.clockMs = clockMs;
  }

  /** Returns an empty set, bounded as configured. */
  public static Revocations of(RevocationOptions options) {
    return new Revocations(options.memory().toMillis(), options.max(), System::currentTimeMillis);
  }

  /** Sets the storage of all further changes. */
  void storeIn(Storage used) {
    storage = used;
  }

  /**
   * Connects the set to those of other nodes.
   *
   * @param listener receives the changes by this node's operators; must not block
   * @param equal supplies whether each other node has an equal set, by its name
   */
  void shareWith(Consumer<Revocation> listener, Supplier<Map<String, Boolean>> equal) {
    onOrdered = listener;
    nodes = equal;
  }

  /** Completes when all present changes are stored; fails if they cannot be written. */
  public CompletionStage<Void> stored() {
    return storage.stored();
  }

  /** Returns whether each other node is known to have the same revocations, by its name. */
  public Map<String, Boolean> nodes() {
    return nodes.get();
  }

  /** Returns the largest number of revocations that are stored. */
  public int maxEntries() {
    return maxEntries;
  }

  /** Returns whether a credential is revoked. */
  public boolean isRevoked(RevocableCredential credential) {
    return covers(tokens.get(credential.tokenId()), credential)
        || covers(certificates.get(credential.tokenId()), credential)
        || covers(subjects.get(credential.name()), credential);
  }

  private boolean covers(Revocation revocation, RevocableCredential credential) {
    return revocation != null
        && revocation.isInForce(clockMs.getAsLong())
        && revocation.covers(credential);
  }

  /**
   * Revokes a credential, or all credentials of a client issued up to now. A revoked credential may
   * be revoked again.
   *
   * @param endsMs expiry of the credential, Unix milliseconds; {@link Long#MAX_VALUE} if unknown
   * @return false if the limit is reached and nothing was revoked
   */
  public boolean add(Revocation.Kind kind, String value, long endsMs) {
    Revocation ordered;
    synchronized (this) {
      long nowMs = clockMs.getAsLong();
      long untilMs = Math.min(endsMs, nowMs + memoryMs);
      Revocation former = of(kind).get(value);
      // The clock of the node that removed the former one may be fast.
      long sinceMs = former == null ? nowMs : Math.max(nowMs, former.removedMs());
      ordered = stored(new Revocation(kind, value, sinceMs, untilMs, 0), nowMs);
    }
    if (ordered != null) {
      storage.add(ordered);
      onOrdered.accept(ordered);
    }
    return ordered != null;
  }

  /** Merges a revocation into the set. Returns the result, or null if the limit is reached. */
  private Revocation stored(Revocation revocation, long nowMs) {
    Map<String, Revocation> alike = of(revocation.kind());
    Revocation former = alike.get(revocation.value());
    if (former == null && !hasRoom(nowMs)) {
      return null;
    }
    Revocation merged = former == null ? revocation : former.mergedWith(revocation);
    replace(alike, former, merged);
    return merged;
  }

  private void replace(Map<String, Revocation> alike, Revocation former, Revocation next) {
    if (former != null) {
      digest.toggle(former);
    }
    alike.put(next.value(), next);
    digest.toggle(next);
  }

  private boolean hasRoom(long nowMs) {
    if (size() < maxEntries) {
      return true;
    }
    evict(nowMs);
    return size() < maxEntries;
  }

  private void evict(long nowMs) {
    for (Map<String, Revocation> alike : all) {
      alike
          .values()
          .removeIf(
              each -> {
                boolean ended = each.untilMs() <= nowMs;
                if (ended) {
                  digest.toggle(each);
                }
                return ended;
              });
    }
  }

  /** Removes the revocations that have expired. */
  synchronized void evictExpired() {
    evict(clockMs.getAsLong());
  }

  /**
   * Removes a revocation.
   *
   * @return false if there was none
   */
  public boolean remove(Revocation.Kind kind, String value) {
    Revocation removed;
    synchronized (this) {
      long nowMs = clockMs.getAsLong();
      Revocation former = of(kind).get(value);
      if (former == null || !former.isInForce(nowMs)) {
        return false;
      }
      long sinceMs = former.sinceMs();
      // The clock of the node that revoked the credential may be fast.
      long removedMs = Math.max(nowMs, sinceMs + 1);
      removed = new Revocation(kind, value, sinceMs, former.untilMs(), removedMs);
      replace(of(kind), former, removed);
    }
    storage.add(removed);
    onOrdered.accept(removed);
    return true;
  }

  /**
   * Changes by a merge.
   *
   * @param changed revocations that are new or changed, with their new times
   * @param rejected number of those that exceeded the limit
   */
  record Merge(List<Revocation> changed, int rejected) {}

  /** Adds the revocations of another node or of a file. */
  Merge merge(Collection<Revocation> others) {
    List<Revocation> changed = new ArrayList<>();
    int rejected = 0;
    synchronized (this) {
      long nowMs = clockMs.getAsLong();
      for (Revocation other : others) {
        Revocation former = of(other.kind()).get(other.value());
        if (isNews(former, other, nowMs)) {
          Revocation merged = stored(other, nowMs);
          rejected += merged == null ? 1 : 0;
          if (merged != null) {
            changed.add(merged);
          }
        }
      }
    }
    changed.forEach(storage::add);
    return new Merge(changed, rejected);
  }

  private static boolean isNews(Revocation former, Revocation other, long nowMs) {
    return former == null ? other.untilMs() > nowMs : !former.mergedWith(other).equals(former);
  }

  /** Returns the latest revocations that are in force, the latest first. */
  public List<Revocation> latest(int atMost) {
    long nowMs = clockMs.getAsLong();
    return stream()
        .filter(revocation -> revocation.isInForce(nowMs))
        .sorted(Comparator.comparingLong(Revocation::sinceMs).reversed())
        .limit(atMost)
        .toList();
  }

  private Stream<Revocation> stream() {
    return all.stream().flatMap(alike -> alike.values().stream());
  }

  /** Returns all stored revocations, including removed and expired ones. */
  List<Revocation> entries() {
    return stream().toList();
  }

  /**
   * Returns the number of stored revocations, including removed and expired ones that are not yet
   * evicted.
   */
  public int size() {
    return all.stream().mapToInt(Map::size).sum();
  }

  /** Returns the number of revocations that are in force. */
  public int active() {
    long nowMs = clockMs.getAsLong();
    return (int) stream().filter(revocation -> revocation.isInForce(nowMs)).count();
  }

  /** Returns the hash of the whole set. */
  synchronized long total() {
    return digest.total();
  }

  /** Returns the hashes of all parts of the set. */
  synchronized long[] hashes() {
    return digest.hashes();
  }

  private Map<String, Revocation> of(Revocation.Kind kind) {
    return switch (kind) {
      case TOKEN -> tokens;
      case CERTIFICATE -> certificates;
      case SUBJECT -> subjects;
    };
  }
}
