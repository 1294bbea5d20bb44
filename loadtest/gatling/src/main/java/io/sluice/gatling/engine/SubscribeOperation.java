package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gatling.check.Frames;

/**
 * Subscribes to a topic or pattern. Immutable.
 *
 * @param from start as JSON, as in PROTOCOL.md; null for now
 * @param where JMS selector; null for all messages
 * @param isLatest only the newest message of each topic or key is retained
 * @param rate maximum number of messages per second of each topic or key; 0 for all
 */
public record SubscribeOperation(
    Template topic, Template from, Template where, boolean isLatest, double rate, StreamPlan plan)
    implements Operation {

  @Override
  public void run(Execution execution) {
    VirtualUser user = execution.user();
    String destination = topic.resolve(execution.session());
    ObjectNode frame = frame(execution, destination);
    long ref = user.nextRef();
    ReceivedStream stream =
        new ReceivedStream(
            execution.responses(),
            execution.session(),
            execution.request(),
            destination,
            plan,
            ref);
    execution.whenConnected(() -> open(execution, frame, stream, "subscribe"));
  }

  /** Sends the frame that opens a stream. */
  static void open(Execution execution, ObjectNode frame, ReceivedStream stream, String suffix) {
    UserStreams streams = execution.user().streams();
    // Messages can follow the answer at once.
    streams.add(stream);
    execution.request(
        frame,
        stream.ref(),
        suffix,
        answer -> execution.proceed(),
        () -> {
          streams.remove(stream);
          execution.proceed();
        });
  }

  private ObjectNode frame(Execution execution, String destination) {
    ObjectNode frame = Frames.of("subscribe").put("topic", destination);
    if (from != null) {
      try {
        frame.set("from", Frames.parse(from.resolve(execution.session()), "from"));
      } catch (Frames.MalformedException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }
    if (where != null) {
      frame.put("where", where.resolve(execution.session()));
    }
    if (isLatest) {
      frame.put("delivery", "latest");
    }
    if (rate > 0) {
      frame.put("rate", rate);
    }
    if (plan.isTagged()) {
      frame.put("tagged", true);
    }
    return frame;
  }
}
