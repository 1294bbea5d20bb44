package io.sluice.gatling.engine;

import io.gatling.core.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/**
 * Waits for messages of the streams that a request has opened, and evaluates their checks.
 * Immutable.
 *
 * @param count number of messages since the previous evaluation; 0 waits for the whole time
 * @param time time limit; null for the protocol's time limit of answers
 */
public record AwaitOperation(int count, Duration time) implements Operation {
  @Override
  public void run(Execution execution) {
    List<ReceivedStream> streams = execution.user().streams().named(execution.request());
    if (streams.isEmpty()) {
      throw new IllegalArgumentException(
          "no subscription or consumer is open with the name \"" + execution.request() + "\"");
    }
    Duration limit = time == null ? execution.protocol().answerTimeout() : time;
    if (count == 0) {
      execution.after(limit, () -> evaluate(execution, streams));
    } else {
      await(execution, streams, limit);
    }
  }

  private void await(Execution execution, List<ReceivedStream> streams, Duration limit) {
    Future<?> timeout = execution.after(limit, () -> end(execution, streams, limit));
    Runnable check =
        () -> {
          boolean isLost = streams.stream().noneMatch(ReceivedStream::isActive);
          boolean isOver = isLost || received(streams) >= count;
          if (isOver && timeout.cancel(false)) {
            end(execution, streams, limit);
          }
        };
    execution.user().onMessage(check);
    check.run();
  }

  private void end(Execution execution, List<ReceivedStream> streams, Duration limit) {
    execution.user().onMessage(null);
    int received = received(streams);
    String failure =
        received >= count
            ? null
            : received + " of " + count + " messages within " + limit.toMillis() + " ms";
    execution.log(execution.name("await"), execution.startMs(), null, failure);
    evaluate(execution, streams);
  }

  private static void evaluate(Execution execution, List<ReceivedStream> streams) {
    Session session = execution.session();
    for (ReceivedStream stream : streams) {
      session = stream.evaluate(session);
    }
    execution.session(session);
    execution.proceed();
  }

  private static int received(List<ReceivedStream> streams) {
    return streams.stream().mapToInt(ReceivedStream::messages).sum();
  }
}
