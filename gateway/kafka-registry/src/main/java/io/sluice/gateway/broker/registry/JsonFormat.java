package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Values that are JSON. Their schema is not evaluated, so that they cannot be published. */
final class JsonFormat implements ValueFormat {
  @Override
  public void read(ByteBuffer value, JsonGenerator out) throws IOException {
    byte[] json = new byte[value.remaining()];
    value.get(json);
    JsonTree.parse(json); // clients receive it as a part of a frame
    out.writeRaw(new String(json, StandardCharsets.UTF_8));
  }

  @Override
  public void write(Object json, OutputStream out) throws IOException {
    throw new Mismatch("", "cannot be validated: this node evaluates no JSON schemas");
  }
}
