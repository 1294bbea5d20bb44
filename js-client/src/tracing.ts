/**
 * Spans of received messages by OpenTelemetry: `@sluice/client/tracing`.
 *
 * @module
 */

import { checkFunction, checkObject } from "./engine/arguments.js";
import type { Properties } from "./engine/message.js";
import { VERSION } from "./engine/version.js";

/** Context of OpenTelemetry's API; immutable. */
export interface OpenTelemetryContext {
  /** Returns a value. */
  getValue(key: symbol): unknown;
  /** Returns a context with this value. */
  setValue(key: symbol, value: unknown): OpenTelemetryContext;
  /** Returns a context without this value. */
  deleteValue(key: symbol): OpenTelemetryContext;
}

/** Span of OpenTelemetry's API. */
export interface OpenTelemetrySpan {
  /** Ends the span. */
  end(): void;
  /** Records an error as event of the span. */
  recordException(exception: Error | string): void;
  /** Sets the span's status. */
  setStatus(status: { code: number }): unknown;
}

/** Tracer of OpenTelemetry's API. */
export interface OpenTelemetryTracer {
  /** Starts a span as child of the span in `context`. */
  startSpan(
    name: string,
    options: { kind: number; attributes: Record<string, string> },
    context: OpenTelemetryContext,
  ): OpenTelemetrySpan;
}

/** Members of `@opentelemetry/api` that are used; version 1.4 or later. */
export interface OpenTelemetry {
  /** Contexts. */
  readonly context: {
    /** Returns the active context. */
    active(): OpenTelemetryContext;
    /** Calls a function with an active context. */
    with<Result>(context: OpenTelemetryContext, call: () => Result): Result;
  };
  /** Propagators; registered are those of the application's SDK. */
  readonly propagation: {
    /** Returns `context` with the content of `carrier`. */
    extract(context: OpenTelemetryContext, carrier: Record<string, string>): OpenTelemetryContext;
    /** Writes `context` to `carrier`. */
    inject(context: OpenTelemetryContext, carrier: Record<string, string>): void;
  };
  /** Tracers, and spans in contexts. */
  readonly trace: {
    /** Returns a tracer. */
    getTracer(name: string, version: string): OpenTelemetryTracer;
    /** Returns `context` without its span. */
    deleteSpan(context: OpenTelemetryContext): OpenTelemetryContext;
    /** Returns the identity of the span in `context`. */
    getSpanContext(context: OpenTelemetryContext): object | undefined;
    /** Returns `context` with this span. */
    setSpan(context: OpenTelemetryContext, span: OpenTelemetrySpan): OpenTelemetryContext;
  };
}

/** Members of messages and deliveries that are used. */
export interface TraceableMessage {
  /** Concrete topic; undefined for a message of a queue. */
  readonly topic: string | undefined;
  /** Name of the queue. */
  readonly queue?: string | undefined;
  /** Subscribed pattern. */
  readonly pattern?: string | undefined;
  /** Identity of the message. */
  readonly id: string;
  /** Properties with the context in `traceparent` and `tracestate`. */
  readonly properties: Properties;
}

/** Options with message properties: those of `publish`, `request`, and `respond`. */
export interface TraceableOptions {
  /** Message properties. */
  readonly properties?: Properties;
}

/** Functions that connect messages with traces. */
export interface Tracing {
  /**
   * Returns a handler that calls `handler` within a span of kind CONSUMER. The span is a child of
   * the context in the message's properties. It ends when the handler has returned, or when its
   * promise is settled; an error is recorded and thrown again. For a message without a valid context
   * the handler is called without a span.
   *
   * @throws SluiceError `invalid-argument`
   */
  readonly traced: <Received extends TraceableMessage, Result>(
    handler: (message: Received) => Result,
  ) => (message: Received) => Result;
  /**
   * Returns options with the active context in `properties`. Without an active span, or if
   * `properties` contains a `traceparent`, it returns the options unchanged.
   *
   * @throws SluiceError `invalid-argument`
   */
  readonly inject: <const Options extends object = TraceableOptions>(options?: Options) => Options;
}

// Values of the enumerations SpanKind and SpanStatusCode.
const CONSUMER = 4;
const ERROR = 2;

/** Fields of W3C Trace Context. Other fields may be no valid names of properties. */
const FIELDS = ["traceparent", "tracestate"] as const;

/**
 * Returns functions that read and write the trace context of messages. Spans belong to the tracer
 * `@sluice/client` of the application's tracer provider. The registered propagator must support W3C
 * Trace Context, as that of OpenTelemetry's SDKs does.
 *
 * @param openTelemetry - `context`, `propagation` and `trace` of `@opentelemetry/api`.
 * @throws SluiceError `invalid-argument`
 */
export function createTracing(openTelemetry: OpenTelemetry): Tracing {
  checkObject("openTelemetry", openTelemetry);
  for (const name of ["context", "propagation", "trace"] as const) {
    checkObject(`openTelemetry.${name}`, openTelemetry[name]);
  }
  const { context, propagation, trace } = openTelemetry;
  const tracer = trace.getTracer("@sluice/client", VERSION);

  const contextOf = ({ properties }: TraceableMessage): OpenTelemetryContext | undefined => {
    if (properties["traceparent"] === undefined) return undefined;
    const parent = propagation.extract(trace.deleteSpan(context.active()), fieldsOf(properties));
    return trace.getSpanContext(parent) && parent;
  };

  return {
    traced: (handler) => {
      checkFunction("handler", handler);
      return (message) => {
        const parent = contextOf(message);
        if (parent === undefined) return handler(message);
        const span = tracer.startSpan(
          `process ${message.pattern ?? destinationOf(message)}`,
          { kind: CONSUMER, attributes: attributesOf(message) },
          parent,
        );
        return endAfter(span, () =>
          context.with(trace.setSpan(parent, span), () => handler(message)),
        );
      };
    },
    inject: <const Options extends object>(options: Options = {} as Options): Options => {
      checkObject("options", options);
      const { properties = {} } = options as TraceableOptions;
      checkObject("properties", properties);
      if ("traceparent" in properties) return options;
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      const fields = fieldsOf(carrier);
      if (fields["traceparent"] === undefined) return options;
      return { ...options, properties: { ...properties, ...fields } };
    },
  };
}

/** Ends the span when the call has returned, or when its promise is settled. */
function endAfter<Result>(span: OpenTelemetrySpan, call: () => Result): Result {
  const fail = (error: unknown): void => {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: ERROR });
    span.end();
  };
  try {
    const result = call();
    const end = (): void => {
      span.end();
    };
    // The caller receives the promise itself and handles its rejection.
    if (isPromise(result)) result.then(end, fail);
    else end();
    return result;
  } catch (error) {
    fail(error);
    throw error;
  }
}

/** Not by `instanceof`: zone.js replaces the global class, but not that of async functions. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function fieldsOf(properties: Properties): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of FIELDS) {
    const value = properties[name];
    if (typeof value === "string") fields[name] = value;
  }
  return fields;
}

function destinationOf({ topic, queue }: TraceableMessage): string {
  return topic ?? queue ?? "";
}

/** Returns the attributes of OpenTelemetry's conventions for messaging. */
function attributesOf(message: TraceableMessage): Record<string, string> {
  return {
    "messaging.system": "jms",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": destinationOf(message),
    ...(message.pattern !== undefined && { "messaging.destination.template": message.pattern }),
    "messaging.message.id": message.id,
  };
}
