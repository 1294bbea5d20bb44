package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gatling.check.Frames;

/**
 * Opens a consumer of a queue, or of a durable or shared subscription. Immutable.
 *
 * @param member {@code queue} or {@code topic}
 * @param durable name of a durable subscription; null for others
 * @param shared name of a shared subscription; null for others
 * @param where JMS selector; null for all messages
 */
public record ConsumeOperation(
    String member,
    Template destination,
    Template durable,
    Template shared,
    Template where,
    int credit,
    StreamPlan plan)
    implements Operation {

  @Override
  public void run(Execution execution) {
    String name = destination.resolve(execution.session());
    ObjectNode frame = Frames.of("consume").put(member, name).put("credit", credit);
    put(frame, "durable", execution.resolve(durable));
    put(frame, "shared", execution.resolve(shared));
    put(frame, "where", execution.resolve(where));
    ReceivedStream stream =
        new ReceivedStream(
            execution.responses(),
            execution.session(),
            execution.request(),
            name,
            plan,
            execution.user().nextRef());
    execution.whenConnected(() -> SubscribeOperation.open(execution, frame, stream, "consume"));
  }

  private static void put(ObjectNode frame, String member, String value) {
    if (value != null) {
      frame.put(member, value);
    }
  }
}
