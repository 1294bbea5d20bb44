package io.sluice.gateway.clients;

/** Reaction of a client to a close code: PROTOCOL.md, section 7. */
public enum AfterClose {
  RETRY,
  RETRY_ELSEWHERE,
  DONT_RETRY;

  /** Returns the reaction to a close code; 1006 if a connection ended without one. */
  public static AfterClose of(int code) {
    if (code >= 4100 && code <= 4199) {
      return RETRY_ELSEWHERE;
    }
    boolean isFatal =
        (code >= 4200 && code <= 4299)
            || code == 1002
            || code == 1003
            || (code >= 1007 && code <= 1010);
    return isFatal ? DONT_RETRY : RETRY;
  }
}
