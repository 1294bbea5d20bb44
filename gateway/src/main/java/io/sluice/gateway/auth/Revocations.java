package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.RevocationOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Credentials that operators have revoked on this node, until they expire. Stored in memory only.
 * For any thread.
 */
public final class Revocations {
  private final Map<String, Revocation> tokens = new ConcurrentHashMap<>();
  private final Map<String, Revocation> certificates = new ConcurrentHashMap<>();
  private final Map<String, Revocation> subjects = new ConcurrentHashMap<>();
  private final List<Map<String, Revocation>> all = List.of(tokens, certificates, subjects);
  private final long memoryMs;
  private final int maxEntries;
  private final LongSupplier clockMs;

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

  /** Returns the largest number of revocations that are stored. */
  public int maxEntries() {
    return maxEntries;
  }

  /** Returns whether a credential is revoked. */
  public boolean isRevoked(Principal principal) {
    return covers(tokens.get(principal.tokenId()), principal)
        || covers(certificates.get(principal.tokenId()), principal)
        || covers(subjects.get(principal.name()), principal);
  }

  private boolean covers(Revocation revocation, Principal principal) {
    return revocation != null
        && revocation.untilMs() > clockMs.getAsLong()
        && revocation.covers(principal);
  }

  /**
   * Revokes a credential, or all credentials of a client issued up to now. A revoked credential may
   * be revoked again.
   *
   * @param endsMs expiry of the credential, Unix milliseconds; {@link Principal#NEVER} if unknown
   * @return false if the limit is reached and nothing was revoked
   */
  public synchronized boolean add(Revocation.Kind kind, String value, long endsMs) {
    long nowMs = clockMs.getAsLong();
    Map<String, Revocation> alike = of(kind);
    Revocation former = alike.get(value);
    if (former == null && !hasRoom(nowMs)) {
      return false;
    }
    long untilMs = Math.min(endsMs, nowMs + memoryMs);
    alike.put(
        value,
        new Revocation(
            kind, value, nowMs, former == null ? untilMs : Math.max(former.untilMs(), untilMs)));
    return true;
  }

  private boolean hasRoom(long nowMs) {
    if (size() < maxEntries) {
      return true;
    }
    all.forEach(alike -> alike.values().removeIf(revocation -> revocation.untilMs() <= nowMs));
    return size() < maxEntries;
  }

  /**
   * Removes a revocation.
   *
   * @return false if there was none
   */
  public synchronized boolean remove(Revocation.Kind kind, String value) {
    return of(kind).remove(value) != null;
  }

  /** Returns the latest revocations that are in force, the latest first. */
  public List<Revocation> latest(int atMost) {
    long nowMs = clockMs.getAsLong();
    return all.stream()
        .flatMap(alike -> alike.values().stream())
        .filter(revocation -> revocation.untilMs() > nowMs)
        .sorted(Comparator.comparingLong(Revocation::sinceMs).reversed())
        .limit(atMost)
        .toList();
  }

  /** Returns the number of stored revocations, including expired ones that are not yet evicted. */
  public int size() {
    return all.stream().mapToInt(Map::size).sum();
  }

  private Map<String, Revocation> of(Revocation.Kind kind) {
    return switch (kind) {
      case TOKEN -> tokens;
      case CERTIFICATE -> certificates;
      case SUBJECT -> subjects;
    };
  }
}
