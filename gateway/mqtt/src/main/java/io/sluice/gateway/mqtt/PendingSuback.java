package io.sluice.gateway.mqtt;

/** Reply to a SUBSCRIBE, sent when all filters are answered. Bound to the client's event loop. */
final class PendingSuback {
  private final int id;
  private final int[] codes;
  private int missing;
  private String why;
  private boolean sent;

  PendingSuback(int id, int filters) {
    this.id = id;
    this.codes = new int[filters];
    this.missing = filters;
  }

  int id() {
    return id;
  }

  void set(int index, int code) {
    codes[index] = code;
    missing--;
  }

  void refuse(int index, MqttReason reason, String reasonText) {
    why = why == null ? reasonText : why;
    set(index, reason.code());
  }

  boolean isSent() {
    return sent;
  }

  void sent() {
    sent = true;
  }

  boolean isComplete() {
    return missing == 0;
  }

  int[] codes() {
    return codes;
  }

  /** Returns the reason of the first refused filter, or null. */
  String why() {
    return why;
  }
}
