package io.sluice.gateway.trace;

import java.util.function.Consumer;

/**
 * Trace of a message of a queue or subscription, from its arrival to its settlement. The stages
 * between are bound to the client's event loop.
 */
public final class DeliveryTrace extends OutcomeTrace {
  private final long brokerMs;
  private long writingNs;
  private long writtenNs;
  private String settlement;

  DeliveryTrace(
      TraceContext publisher, String destination, long brokerMs, Consumer<EndedTrace> onEnd) {
    super(publisher, destination, onEnd);
    this.brokerMs = brokerMs;
  }

  /** Marks the start of an attempt to write the message to its client. */
  public void onWriting() {
    writingNs = System.nanoTime();
  }

  /** Marks that the client's connection has the message. */
  public void onWritten() {
    writtenNs = System.nanoTime();
  }

  /** Sets how the message is settled, before the trace ends. */
  public void onSettling(String how) {
    settlement = how;
  }

  long brokerMs() {
    return brokerMs;
  }

  long writingNs() {
    return writingNs;
  }

  /** Returns the end of the write; 0 if the client did not receive the message. */
  long writtenNs() {
    return writtenNs;
  }

  /** Returns how the message was settled or released; null if its consumer has ended. */
  String settlement() {
    return settlement;
  }
}
