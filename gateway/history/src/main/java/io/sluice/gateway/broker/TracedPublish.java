package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.trace.OutcomeTrace;
import io.sluice.gateway.trace.PublishTrace;
import io.sluice.gateway.trace.TraceContext;
import io.sluice.gateway.trace.Tracing;
import java.util.List;

/**
 * Publish of a client or leaf that this node traces. Immutable.
 *
 * @param publication the message with the context of the node's span
 * @param trace ends with the broker's result
 */
public record TracedPublish(Publication publication, PublishTrace trace) {
  /**
   * Begins the trace of a publish; returns null if it is not traced.
   *
   * @param tracing null without tracing
   */
  public static TracedPublish of(Tracing tracing, Publication publication) {
    PublishTrace trace =
        tracing == null
            ? null
            : tracing.publish(publication.properties(), publication.destination());
    return trace == null
        ? null
        : new TracedPublish(
            publication.withProperty(TraceContext.PARENT, trace.traceparent()), trace);
  }

  /**
   * Publishes a message, and traces that if it is sampled.
   *
   * @param tracing null without tracing
   */
  public static void publish(
      Tracing tracing, Broker to, Publication publication, PublishListener result) {
    TracedPublish traced = of(tracing, publication);
    if (traced == null) {
      to.publish(publication, result);
    } else {
      to.publish(traced.publication(), traced.ending(result));
    }
  }

  /** Returns a listener that ends the trace with the broker's result, then passes it on. */
  public PublishListener ending(PublishListener result) {
    return ending(List.of(trace), result);
  }

  /** Returns a listener that ends traces; the given one if there is no trace. */
  public static PublishListener ending(
      List<? extends OutcomeTrace> traces, PublishListener result) {
    return traces.isEmpty() ? result : new TracedResult(traces, result);
  }

  /** Result of publishes that first ends their traces. Any thread. */
  private record TracedResult(List<? extends OutcomeTrace> traces, PublishListener result)
      implements PublishListener {
    @Override
    public Requester requester() {
      return result.requester();
    }

    @Override
    public void onDestination(Destination destination) {
      result.onDestination(destination);
    }

    @Override
    public String rateProblem() {
      return result.rateProblem();
    }

    @Override
    public void onPublished() {
      traces.forEach(OutcomeTrace::onAccepted);
      result.onPublished();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      traces.forEach(each -> each.onRefused(code.code()));
      result.onRefused(code, why);
    }
  }
}
