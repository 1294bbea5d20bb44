import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Properties } from "../src/engine/message.js";
import { createTracing, type TraceableMessage } from "../src/tracing.js";
import { isSluiceError } from "./support.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const CONTEXT = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "a=1" };
const ERROR = 2;

describe("tracing", () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracing = createTracing({ context, propagation, trace });

  before(() => {
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });

  afterEach(() => {
    exporter.reset();
  });

  after(async () => {
    await provider.shutdown();
    for (const each of [trace, context, propagation]) each.disable();
  });

  function message(properties: Properties = CONTEXT): TraceableMessage {
    return { topic: "a.7", pattern: "a.>", id: "00000000000000ff", properties };
  }

  test("shouldCallTheHandlerWithinAChildOfTheMessagesContext", () => {
    const active = tracing.traced(() => trace.getActiveSpan()?.spanContext())(message());

    const [span] = exporter.getFinishedSpans();
    assert.equal(span?.name, "process a.>");
    assert.equal(span.kind, SpanKind.CONSUMER);
    assert.equal(span.parentSpanContext?.spanId, SPAN);
    assert.equal(active?.traceId, TRACE);
    assert.equal(active.spanId, span.spanContext().spanId);
    assert.equal(active.traceState?.serialize(), "a=1");
    assert.deepEqual(span.attributes, {
      "messaging.system": "jms",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "a.7",
      "messaging.destination.template": "a.>",
      "messaging.message.id": "00000000000000ff",
    });
  });

  test("shouldNameASpanByItsQueue", () => {
    const delivery = { topic: undefined, queue: "orders", id: "1", properties: CONTEXT };
    tracing.traced(() => undefined)(delivery);
    const [span] = exporter.getFinishedSpans();
    assert.equal(span?.name, "process orders");
    assert.equal(span.attributes["messaging.destination.template"], undefined);
  });

  test("shouldOnlyCallTheHandlerWithoutAValidContext", () => {
    const call = tracing.traced(({ id }: TraceableMessage) => id);
    for (const properties of [{}, { traceparent: "00-0-0-01" }, { traceparent: 7 }]) {
      const inner = (): void => {
        assert.equal(call(message(properties)), "00000000000000ff");
      };
      const active = trace.setSpan(ROOT_CONTEXT, provider.getTracer("page").startSpan("click"));
      context.with(active, inner);
    }
    assert.deepEqual(exporter.getFinishedSpans(), []);
  });

  test("shouldRecordAndRethrowAnError", () => {
    const failure = new Error("no chart");
    const fail = (): never => {
      throw failure;
    };
    assert.throws(() => tracing.traced(fail)(message()), failure);
    const [span] = exporter.getFinishedSpans();
    assert.equal(span?.status.code, ERROR);
    assert.equal(span.events[0]?.attributes?.["exception.message"], "no chart");
  });

  test("shouldEndTheSpanWhenThePromiseIsSettled", async () => {
    let settle: (value: string) => void = () => undefined;
    const pending = new Promise<string>((resolve) => (settle = resolve));
    const result = tracing.traced(() => pending)(message());
    assert.deepEqual(exporter.getFinishedSpans(), []);
    settle("filled");
    assert.equal(await result, "filled");
    assert.equal(exporter.getFinishedSpans().length, 1);
  });

  test("shouldRecordTheErrorOfARejectedPromise", async () => {
    await assert.rejects(tracing.traced(() => Promise.reject(new Error("full")))(message()), {
      message: "full",
    });
    assert.equal(exporter.getFinishedSpans()[0]?.status.code, ERROR);
  });

  test("shouldInjectTheActiveContext", () => {
    const handler = tracing.traced(() =>
      tracing.inject({ persistent: true, properties: { region: "EU" } }),
    );
    const { properties, persistent } = handler(message());
    const id = exporter.getFinishedSpans()[0]?.spanContext().spanId ?? "";
    assert.equal(persistent, true);
    assert.deepEqual(properties, {
      region: "EU",
      traceparent: `00-${TRACE}-${id}-01`,
      tracestate: "a=1",
    });
  });

  test("shouldKeepOptionsWithoutASpanOrWithAContext", () => {
    const options = { properties: CONTEXT };
    assert.deepEqual(tracing.inject(), {});
    assert.equal(tracing.traced(() => tracing.inject(options))(message()), options);
  });

  test("shouldRejectInvalidArguments", () => {
    const wrong = [
      () => createTracing(undefined as never),
      () => createTracing({ context, propagation } as never),
      () => tracing.traced(7 as never),
      () => tracing.inject(7 as never),
      () => tracing.inject({ properties: 7 as never }),
    ];
    for (const call of wrong) assert.throws(call, isSluiceError("invalid-argument"));
  });
});
