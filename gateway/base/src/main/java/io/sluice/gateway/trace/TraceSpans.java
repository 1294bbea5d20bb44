package io.sluice.gateway.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.trace.MessageTrace.Write;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Spans of traces. A message of a topic has the span {@code forward} with the children {@code
 * receive}, {@code log}, {@code fan-out}, {@code first write} and {@code last write}. A message of
 * a consumer has {@code deliver} with {@code receive}, {@code write} and {@code settle}. A publish
 * has {@code publish}. Bound to one thread.
 */
final class TraceSpans {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<Long> BROKER_TIME =
      AttributeKey.longKey("sluice.broker.time_ms");
  private static final AttributeKey<Long> CLIENTS = AttributeKey.longKey("sluice.clients");
  private static final AttributeKey<String> SETTLEMENT =
      AttributeKey.stringKey("sluice.settlement");

  private final Tracer tracer;
  private final SpanIds ids;
  private final List<ConfiguredSource> sources;
  private final String queueSystem;

  /**
   * @param sources sources whose names are the messaging systems
   */
  TraceSpans(Tracer tracer, SpanIds ids, List<ConfiguredSource> sources) {
    this.tracer = tracer;
    this.ids = ids;
    this.sources = sources;
    this.queueSystem = sources.get(sources.size() - 1).name(); // the JMS broker, if there is one
  }

  /** Starts and ends the spans of a trace. */
  void build(EndedTrace trace) {
    if (trace instanceof MessageTrace message) {
      forward(message);
    } else if (trace instanceof DeliveryTrace delivery) {
      deliver(delivery);
    } else if (trace instanceof PublishTrace publish) {
      publish(publish);
    }
  }

  private void forward(MessageTrace trace) {
    List<Write> writes = trace.writes();
    Span forward =
        root("forward", SpanKind.CONSUMER, trace, trace.time(), trace.topic())
            .setAttribute(SYSTEM, ConfiguredSource.nameOf(sources, trace.topic()))
            .setAttribute(OPERATION, "process")
            .setAttribute(BROKER_TIME, trace.brokerMs())
            .setAttribute(CLIENTS, writes.stream().mapToLong(Write::clients).sum())
            .startSpan();
    Stages stages = new Stages(trace.time(), Context.root().with(forward));
    long endedNs = trace.receivedNs();
    if (trace.dequeuedNs() != 0) {
      endedNs = stages.add("receive", trace.receivedNs(), trace.dequeuedNs());
    }
    if (trace.loggedNs() != 0) {
      endedNs = stages.add("log", trace.dequeuedNs(), trace.loggedNs());
    }
    if (!writes.isEmpty()) {
      endedNs = fanOut(trace.loggedNs(), stages, writes);
    }
    end(forward, trace.time(), endedNs);
  }

  /** Adds the spans of fan-out and writes; returns the end of the last write. */
  private static long fanOut(long loggedNs, Stages stages, List<Write> writes) {
    Comparator<Write> order = Comparator.comparingLong(Write::endedNs);
    Write first = writes.stream().min(order).orElseThrow();
    Write last = writes.stream().max(order).orElseThrow();
    long deliveredNs = writes.stream().mapToLong(Write::beganNs).max().orElseThrow();
    stages.add("fan-out", loggedNs, deliveredNs);
    stages.add("first write", first.beganNs(), first.endedNs());
    return stages.add("last write", last.beganNs(), last.endedNs());
  }

  private void deliver(DeliveryTrace trace) {
    TraceTime time = trace.time();
    SpanBuilder builder =
        root("deliver", SpanKind.CONSUMER, trace, time, trace.destination())
            .setAttribute(SYSTEM, queueSystem)
            .setAttribute(OPERATION, "process")
            .setAttribute(BROKER_TIME, trace.brokerMs());
    if (trace.settlement() != null) {
      builder.setAttribute(SETTLEMENT, trace.settlement());
    }
    Span deliver = builder.startSpan();
    if (trace.writtenNs() != 0) {
      Stages stages = new Stages(time, Context.root().with(deliver));
      stages.add("receive", time.startNs(), trace.writingNs());
      stages.add("write", trace.writingNs(), trace.writtenNs());
      stages.add("settle", trace.writtenNs(), trace.endedNs());
    }
    endWithResult(deliver, trace);
  }

  private void publish(PublishTrace trace) {
    ids.next(trace.spanId());
    String topicSystem = ConfiguredSource.nameOf(sources, trace.destination());
    Span publish =
        root("publish", SpanKind.PRODUCER, trace, trace.time(), trace.destination())
            .setAttribute(SYSTEM, trace.isQueue() ? queueSystem : topicSystem)
            .setAttribute(OPERATION, "send")
            .startSpan();
    endWithResult(publish, trace);
  }

  private static void endWithResult(Span span, OutcomeTrace trace) {
    if (trace.error() != null) {
      span.setAttribute(ERROR, trace.error());
      span.setStatus(StatusCode.ERROR);
    }
    end(span, trace.time(), trace.endedNs());
  }

  private SpanBuilder root(
      String name, SpanKind kind, EndedTrace trace, TraceTime time, String destination) {
    SpanContext parent =
        SpanContext.createFromRemoteParent(
            trace.context().traceId(),
            trace.context().spanId(),
            TraceFlags.getSampled(),
            TraceState.getDefault());
    return tracer
        .spanBuilder(name)
        .setParent(Context.root().with(Span.wrap(parent)))
        .setSpanKind(kind)
        .setAttribute(DESTINATION, destination)
        .setStartTimestamp(time.epochNs(time.startNs()), TimeUnit.NANOSECONDS);
  }

  private static void end(Span span, TraceTime time, long ns) {
    span.end(time.epochNs(ns), TimeUnit.NANOSECONDS);
  }

  /** Children of one span, one for each stage. */
  private final class Stages {
    private final TraceTime time;
    private final Context parent;

    Stages(TraceTime time, Context parent) {
      this.time = time;
      this.parent = parent;
    }

    /** Adds a stage; returns its end. */
    long add(String name, long beganNs, long endedNs) {
      Span span =
          tracer
              .spanBuilder(name)
              .setParent(parent)
              .setStartTimestamp(time.epochNs(beganNs), TimeUnit.NANOSECONDS)
              .startSpan();
      end(span, time, endedNs);
      return endedNs;
    }
  }
}
