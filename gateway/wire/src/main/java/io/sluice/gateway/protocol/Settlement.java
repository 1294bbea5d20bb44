package io.sluice.gateway.protocol;

/** Ways in which a client settles a pending message of a queue. */
public enum Settlement {
  /** The broker removes the message. */
  ACK("ack"),
  /** The broker delivers the message again. */
  RELEASE("release"),
  /** The message is moved to the dead-letter queue. */
  REJECT("reject");

  private final String code;

  Settlement(String code) {
    this.code = code;
  }

  /** Returns the type of the frame on the wire. */
  public String code() {
    return code;
  }
}
