package io.sluice.client;

import static io.sluice.client.SubscribeOptions.check;

import java.util.function.Consumer;

/**
 * Options of a consumer. Immutable: each method returns a copy with one more option.
 *
 * @param credit maximum number of messages that are delivered and not settled; 0 pauses
 * @param where JMS selector; null for all messages
 * @param isManual whether the application settles each message
 * @param onState called when the state has changed
 * @param onError called when the node refuses the consumer, or a handler or settlement has failed
 */
public record ConsumeOptions(
    int credit,
    String where,
    boolean isManual,
    Consumer<ConsumerState> onState,
    Consumer<SluiceException> onError) {
  /** One message after the other, acknowledged when its handler returns. */
  public static final ConsumeOptions DEFAULT =
      new ConsumeOptions(1, null, false, state -> {}, error -> {});

  /** Checks the credit and the selector. */
  public ConsumeOptions {
    check(credit >= 0, "credit must be at least 0, not " + credit);
    check(where == null || !where.trim().isEmpty(), "selector must not be blank");
  }

  /** Sets the credit, from 0 to the limit of the node; default 1. */
  public ConsumeOptions credit(int value) {
    return new ConsumeOptions(value, where, isManual, onState, onError);
  }

  /** Sets a JMS selector. */
  public ConsumeOptions where(String selector) {
    return new ConsumeOptions(credit, selector, isManual, onState, onError);
  }

  /** Leaves the settlement of each message to the application, also after the handler. */
  public ConsumeOptions manual() {
    return new ConsumeOptions(credit, where, true, onState, onError);
  }

  /** Sets the listener of states. */
  public ConsumeOptions onState(Consumer<ConsumerState> listener) {
    return new ConsumeOptions(credit, where, isManual, listener, onError);
  }

  /** Sets the listener of errors. */
  public ConsumeOptions onError(Consumer<SluiceException> listener) {
    return new ConsumeOptions(credit, where, isManual, onState, listener);
  }
}
