package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Conversion between the values of one schema and JSON. Immutable, for any thread. */
interface ValueFormat {
  /** Maximum number of nested values. */
  int MAX_DEPTH = 32;

  /**
   * Writes a value as JSON.
   *
   * @param value the bytes after the id of the schema
   * @throws IOException if the value is malformed, or the output exceeds its limit
   * @throws RuntimeException of a library, if the value is malformed
   */
  void read(ByteBuffer value, JsonGenerator out) throws IOException;

  /**
   * Writes the bytes of a value after the id of the schema.
   *
   * @param json parsed by {@link JsonTree}
   * @throws Mismatch if the JSON does not match the schema
   */
  void write(Object json, OutputStream out) throws IOException;
}
