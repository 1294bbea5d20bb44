package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gatling.check.Frames;
import java.util.ArrayDeque;
import java.util.Queue;

/** Ends the streams that a request has opened, and evaluates their checks. Immutable. */
public record UnsubscribeOperation() implements Operation {
  @Override
  public void run(Execution execution) {
    Queue<ReceivedStream> streams =
        new ArrayDeque<>(execution.user().streams().named(execution.request()));
    if (streams.isEmpty()) {
      throw new IllegalArgumentException(
          "no subscription or consumer is open with the name \"" + execution.request() + "\"");
    }
    endNext(execution, streams);
  }

  private void endNext(Execution execution, Queue<ReceivedStream> streams) {
    ReceivedStream stream = streams.poll();
    if (stream == null) {
      execution.proceed();
    } else if (stream.isActive() && execution.user().isOpen()) {
      Runnable end = () -> end(execution, stream, streams);
      execution.request(
          frame(stream), execution.user().nextRef(), "unsubscribe", answer -> end.run(), end);
    } else {
      end(execution, stream, streams);
    }
  }

  private static ObjectNode frame(ReceivedStream stream) {
    StreamPlan plan = stream.plan();
    boolean isPlain = plan.kind() == StreamPlan.Kind.SUBSCRIPTION && !plan.isTagged();
    ObjectNode frame = Frames.of("unsubscribe");
    return isPlain
        ? frame.put("topic", stream.destination())
        : frame.put("subscription", stream.ref());
  }

  private void end(Execution execution, ReceivedStream stream, Queue<ReceivedStream> streams) {
    execution.user().streams().remove(stream);
    execution.session(stream.end(execution.session()));
    endNext(execution, streams);
  }
}
