package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;

/** Schemas of values in parentheses: (x) is the JSON [x]. They may be unavailable. Any thread. */
final class TextSchemas implements ValueSchemas {
  volatile boolean available = true;

  @Override
  public boolean isReady(String topic, byte[] value) {
    return available || value == null || value[0] != '(';
  }

  @Override
  public boolean awaitReady(String topic, byte[] value) {
    return isReady(topic, value);
  }

  @Override
  public byte[] read(String topic, byte[] value, long maxBytes) throws Unreadable {
    if (value[0] != '(') {
      return value;
    }
    String text = new String(value, UTF_8);
    if (!text.endsWith(")")) {
      throw new Unreadable(GapReason.UNSUPPORTED, "no parenthesis");
    }
    return text.replace('(', '[').replace(')', ']').getBytes(UTF_8);
  }

  @Override
  public byte[] write(String topic, byte[] payload) throws Unwritable {
    String text = new String(payload, UTF_8);
    if (!text.startsWith("[")) {
      throw new Unwritable(ErrorCode.PUBLISH_FAILED, "must be an array");
    }
    return text.replace('[', '(').replace(']', ')').getBytes(UTF_8);
  }
}
