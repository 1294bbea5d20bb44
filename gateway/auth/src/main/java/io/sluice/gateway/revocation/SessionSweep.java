package io.sluice.gateway.revocation;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Closes the sessions of credentials that other nodes have revoked. Many revocations cause few
 * visits of all sessions: one runs at a time, for all revocations that have arrived since the last
 * one. For any thread.
 */
final class SessionSweep {
  private final Revocations revocations;
  private final Function<Predicate<RevocableCredential>, CompletionStage<?>> closer;

  // Guarded by this.
  private Map<Revocation.Kind, Set<String>> ordered = new EnumMap<>(Revocation.Kind.class);
  private boolean required;
  private boolean running;

  /**
   * @param closer closes the sessions with such credentials, on their event loops; completes when
   *     it has visited all
   */
  SessionSweep(
      Revocations revocations,
      Function<Predicate<RevocableCredential>, CompletionStage<?>> closer) {
    this.revocations = revocations;
    this.closer = closer;
  }

  /** Closes the sessions that an operator's command names, regardless of their time of issue. */
  void onOrder(Revocation revocation) {
    synchronized (this) {
      ordered.computeIfAbsent(revocation.kind(), kind -> new HashSet<>()).add(revocation.value());
      required = true;
    }
    runIfRequired();
  }

  /** Closes the sessions whose credentials are revoked. */
  void onMerged() {
    synchronized (this) {
      required = true;
    }
    runIfRequired();
  }

  private void runIfRequired() {
    Map<Revocation.Kind, Set<String>> named;
    synchronized (this) {
      if (running || !required) {
        return;
      }
      running = true;
      required = false;
      named = ordered;
      ordered = new EnumMap<>(Revocation.Kind.class);
    }
    closer
        .apply(credential -> isNamed(named, credential) || revocations.isRevoked(credential))
        .whenComplete((done, failure) -> onEnd());
  }

  private static boolean isNamed(
      Map<Revocation.Kind, Set<String>> named, RevocableCredential credential) {
    Revocation.Kind own =
        credential.isCertificate() ? Revocation.Kind.CERTIFICATE : Revocation.Kind.TOKEN;
    return named.getOrDefault(own, Set.of()).contains(credential.tokenId())
        || named.getOrDefault(Revocation.Kind.SUBJECT, Set.of()).contains(credential.name());
  }

  private void onEnd() {
    synchronized (this) {
      running = false;
    }
    runIfRequired();
  }
}
