package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gatling.check.Frames;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Settles all pending deliveries of the consumers that a request has opened. Immutable.
 *
 * @param type {@code ack}, {@code release} or {@code reject}
 * @param suffix suffix of the name of the response
 */
public record SettleOperation(String type, String suffix) implements Operation {
  @Override
  public void run(Execution execution) {
    Queue<ReceivedStream> consumers = new ArrayDeque<>();
    for (ReceivedStream stream : execution.user().streams().named(execution.request())) {
      if (stream.plan().kind() == StreamPlan.Kind.CONSUMER && stream.isActive()) {
        consumers.add(stream);
      }
    }
    if (consumers.isEmpty()) {
      throw new IllegalArgumentException(
          "no consumer is open with the name \"" + execution.request() + "\"");
    }
    settleNext(execution, consumers);
  }

  private void settleNext(Execution execution, Queue<ReceivedStream> consumers) {
    ReceivedStream consumer = consumers.poll();
    if (consumer == null || !execution.user().isOpen()) {
      execution.proceed();
      return;
    }
    long tag = consumer.settle();
    if (tag == 0) {
      settleNext(execution, consumers);
      return;
    }
    ObjectNode frame =
        Frames.of(type).put("subscription", consumer.ref()).put("tag", tag).put("upTo", true);
    Runnable next = () -> settleNext(execution, consumers);
    execution.request(frame, execution.user().nextRef(), suffix, answer -> next.run(), next);
  }
}
