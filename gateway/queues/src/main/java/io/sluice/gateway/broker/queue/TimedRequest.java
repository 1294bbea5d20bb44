package io.sluice.gateway.broker.queue;

import io.sluice.gateway.protocol.ErrorCode;
import java.util.concurrent.atomic.AtomicBoolean;

/** Request to the broker with a time limit, which ends once. Any thread. */
abstract class TimedRequest implements LinkUser {
  private final LinkUser.Owner owner;
  private final String late;
  private final long limitNs;
  private final AtomicBoolean ended = new AtomicBoolean();

  /**
   * Creates a request that has not started.
   *
   * @param late explanation after the time limit
   */
  TimedRequest(LinkUser.Owner owner, long timeoutMs, String late) {
    this.owner = owner;
    this.late = late;
    this.limitNs = owner.nowNs() + timeoutMs * 1_000_000;
  }

  /** Sends the refusal, once. */
  abstract void onRefused(ErrorCode code, String why);

  final boolean isEnded() {
    return ended.get();
  }

  /** Ends the request. Returns false if it has ended before. */
  final boolean end() {
    boolean first = !ended.getAndSet(true);
    if (first) {
      owner.remove(this);
    }
    return first;
  }

  /** Ends the request with an error, unless it has ended. */
  final void refuse(ErrorCode code, String why) {
    if (end()) {
      onRefused(code, why);
    }
  }

  @Override
  public final void onLost(String why) {
    refuse(ErrorCode.BROKER_UNAVAILABLE, why);
  }

  @Override
  public final void check(long nowNs) {
    if (nowNs - limitNs >= 0) {
      refuse(ErrorCode.BROKER_UNAVAILABLE, late);
    }
  }

  // A request never costs the consumers their connection.
  @Override
  public final boolean isOverdue(long nowNs) {
    return false;
  }
}
