package io.sluice.gateway.journal;

/** A topic's files hold what nobody wrote, or lack what somebody did. */
final class DamagedLog extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedLog(String message) {
    super(message);
  }
}
