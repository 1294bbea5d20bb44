package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * Exponential backoff of introspection: of an address whose tokens the issuer refuses one after the
 * other, and of all requests while the issuer is unreachable. A response that the issuer gives to
 * one token never delays other addresses. Not thread-safe.
 */
final class IntrospectionBackoff {
  /** Refusals of an address, and failures of the issuer, without a delay. */
  static final int FREE_REFUSALS = 10;

  static final int FREE_FAILURES = 3;

  private static final long FIRST_MS = 100;
  private static final long MAX_MS = 5_000;

  /** Longest backoff, and the time after which an address is forgotten. */
  private static final long MEMORY_MS = 60_000;

  private static final int MAX_ADDRESSES = 10_000;

  /** Consecutive failures, and the end of the delay after the last one. */
  private record Failures(int count, long untilMs) {
    Failures next(int free, long nowMs) {
      int delayed = count + 1 - free;
      long delayMs = delayed <= 0 ? 0 : Math.min(MAX_MS, FIRST_MS << Math.min(delayed - 1, 10));
      return new Failures(count + 1, nowMs + delayMs);
    }
  }

  private static final Failures NONE = new Failures(0, 0);

  private final ExpiringCache<String, Failures> addresses = new ExpiringCache<>(MAX_ADDRESSES);
  private Failures issuer = NONE;

  /** Returns why a token is not introspected now, or null. */
  String problem(String address, long nowMs) {
    Failures refusals = addresses.get(address, nowMs);
    if (refusals != null && nowMs < refusals.untilMs()) {
      return "this address has sent %d invalid tokens; the next is introspected in %d ms"
          .formatted(refusals.count(), refusals.untilMs() - nowMs);
    }
    if (nowMs < issuer.untilMs()) {
      return "the issuer is unreachable; the next token is introspected in %d ms"
          .formatted(issuer.untilMs() - nowMs);
    }
    return null;
  }

  /**
   * Counts the result of a request.
   *
   * @param failure null if the token is valid
   */
  void onResult(String address, AuthenticationFailure failure, long nowMs) {
    boolean unreachable = failure != null && isUnreachable(failure);
    issuer = unreachable ? issuer.next(FREE_FAILURES, nowMs) : NONE;
    if (failure == null) {
      addresses.put(address, NONE, nowMs);
    } else if (!unreachable) {
      Failures before = addresses.get(address, nowMs);
      Failures after = (before == null ? NONE : before).next(FREE_REFUSALS, nowMs);
      addresses.put(address, after, nowMs + MEMORY_MS);
    }
  }

  /** A status or a body may be the issuer's response to one token, so it counts for its sender. */
  private static boolean isUnreachable(AuthenticationFailure failure) {
    Throwable cause = failure.getCause() == null ? null : failure.getCause().getCause();
    return failure.reason() == Reason.UNAVAILABLE
        && (cause instanceof IOException || cause instanceof TimeoutException);
  }
}
