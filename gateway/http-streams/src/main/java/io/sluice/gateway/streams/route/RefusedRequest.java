package io.sluice.gateway.streams.route;

import io.sluice.gateway.handshake.Refusal;

/** Request that is answered with an error. */
public final class RefusedRequest extends Exception {
  private static final long serialVersionUID = 1;
  private final transient Refusal refusal;

  /** Creates the exception of an error. */
  public RefusedRequest(Refusal refusal) {
    super(refusal.text(), null, false, false);
    this.refusal = refusal;
  }

  /** Creates the exception of a malformed request. */
  public RefusedRequest(String text) {
    this(Refusal.bad(text));
  }

  /** Returns the response. */
  public Refusal refusal() {
    return refusal;
  }
}
