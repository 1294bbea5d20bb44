package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.concurrent.CountDownLatch;

/** Schemas of values in parentheses: (x) is the JSON [x]. They may be unavailable. Any thread. */
final class TextSchemas implements ValueSchemas {
  volatile boolean available = true;

  /** Topic whose publishes wait until {@link #written} is released; empty for none. */
  volatile String held = "";

  final CountDownLatch written = new CountDownLatch(1);

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

  private void awaitSchema(String topic) {
    try {
      if (topic.equals(held)) {
        written.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public byte[] write(String topic, byte[] payload) throws Unwritable {
    awaitSchema(topic);
    String text = new String(payload, UTF_8);
    if (!text.startsWith("[")) {
      throw new Unwritable(ErrorCode.PUBLISH_FAILED, "must be an array");
    }
    return text.replace('[', '(').replace(']', ')').getBytes(UTF_8);
  }
}
