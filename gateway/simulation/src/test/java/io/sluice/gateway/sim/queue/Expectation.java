package io.sluice.gateway.sim.queue;

import java.util.ArrayList;
import java.util.List;

/** Frame of a client whose answer has not arrived. */
final class Expectation {
  /** Kinds of frames by their answers. */
  enum Kind {
    CONSUME,
    END,
    SETTLE,
    RESPOND,
    TRANSACT,
    PUBLISH,
    REQUEST
  }

  final Kind kind;
  final ClientConsumer consumer;

  /** Type of a settlement, or the text of a message. */
  final String text;

  /** Messages that a settlement covers, without those that were released since. */
  final List<Delivered> covered;

  /** Time until which a request must be answered; 0 for other frames. */
  final long deadlineMicros;

  Expectation(
      Kind kind,
      ClientConsumer consumer,
      String text,
      List<Delivered> covered,
      long deadlineMicros) {
    this.kind = kind;
    this.consumer = consumer;
    this.text = text;
    this.covered = new ArrayList<>(covered);
    this.deadlineMicros = deadlineMicros;
  }

  @Override
  public String toString() {
    return kind
        + " "
        + text
        + covered.stream().map(each -> " " + each.tag() + "=" + each.message()).toList();
  }
}
