package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;

/** Conversion between record values with a schema and JSON. For any thread. */
public interface ValueSchemas {
  /** Without schemas: each value is passed on unchanged. */
  ValueSchemas ABSENT = new ValueSchemas() {};

  /** Reports that a value will never become JSON. */
  final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final GapReason reason;

    public Unreadable(GapReason reason, String problem) {
      super(problem, null, false, false); // carries a value, not a bug: no stack trace
      this.reason = reason;
    }

    GapReason reason() {
      return reason;
    }
  }

  /** Reports that a publish is refused. */
  final class Unwritable extends Exception {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public Unwritable(ErrorCode code, String why) {
      super(why, null, false, false); // carries a value, not a bug: no stack trace
      this.code = code;
    }

    ErrorCode code() {
      return code;
    }
  }

  /**
   * Returns whether a value can be read now, or never. Requests its schema otherwise. Never blocks.
   *
   * @param value null for a removal
   */
  default boolean isReady(String kafkaTopic, byte[] value) {
    return true;
  }

  /** Waits a few seconds for a request of the schema. Returns {@link #isReady}. */
  default boolean awaitReady(String kafkaTopic, byte[] value) {
    return true;
  }

  /**
   * Returns a value that {@link #isReady} as JSON; the same array if it has no schema.
   *
   * @param maxBytes maximum bytes of the JSON
   */
  default byte[] read(String kafkaTopic, byte[] value, long maxBytes) throws Unreadable {
    return value;
  }

  /**
   * Returns a payload as a value with a schema; the same array if values of the topic have none.
   * May block for some seconds.
   */
  default byte[] write(String kafkaTopic, byte[] payload) throws Unwritable {
    return payload;
  }

  /** Ends all requests. */
  default void stop() {}
}
