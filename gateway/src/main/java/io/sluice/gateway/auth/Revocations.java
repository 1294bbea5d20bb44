package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.RevocationOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What operators have withdrawn on this node, as long as it matters. For any thread; it is kept in
 * memory only.
 */
public final class Revocations {
  private final Map<String, Revocation> tokens = new ConcurrentHashMap<>();
  private final Map<String, Revocation> certificates = new ConcurrentHashMap<>();
  private final Map<String, Revocation> subjects = new ConcurrentHashMap<>();
  private final List<Map<String, Revocation>> all = List.of(tokens, certificates, subjects);
  private final long memoryMs;
  private final int most;
  private final LongSupplier clockMs;

  /**
   * @param memoryMs how long one is kept at most
   * @param most how many there may be at once
   * @param clockMs tells Unix milliseconds
   */
  Revocations(long memoryMs, int most, LongSupplier clockMs) {
    this.memoryMs = memoryMs;
    this.most = most;
    this.clockMs = clockMs;
  }

  /** None yet, bounded as configured. */
  public static Revocations of(RevocationOptions options) {
    return new Revocations(options.memory().toMillis(), options.most(), System::currentTimeMillis);
  }

  /** Returns the largest number of revocations that are stored. */
  public int most() {
    return most;
  }

  /** Whether a credential has been withdrawn. */
  public boolean cover(Principal principal) {
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
   * Withdraws a credential, or all of a client's up to now. One that is withdrawn already is
   * withdrawn again.
   *
   * @param endsMs when it would end by itself, Unix milliseconds; {@link Principal#NEVER} if that
   *     is not known
   * @return false if there is no room for one more, so that nothing was withdrawn
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
    if (size() < most) {
      return true;
    }
    all.forEach(alike -> alike.values().removeIf(revocation -> revocation.untilMs() <= nowMs));
    return size() < most;
  }

  /**
   * Takes one back.
   *
   * @return false if there is none
   */
  public synchronized boolean remove(Revocation.Kind kind, String value) {
    return of(kind).remove(value) != null;
  }

  /** The latest ones that still hold, at most so many, the latest first. */
  public List<Revocation> latest(int atMost) {
    long nowMs = clockMs.getAsLong();
    return all.stream()
        .flatMap(alike -> alike.values().stream())
        .filter(revocation -> revocation.untilMs() > nowMs)
        .sorted(Comparator.comparingLong(Revocation::sinceMs).reversed())
        .limit(atMost)
        .toList();
  }

  /** How many are remembered, those included whose time is over but whose room is not needed. */
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
