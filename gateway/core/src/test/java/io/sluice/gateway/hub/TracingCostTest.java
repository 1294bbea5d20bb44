package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory that a node without tracing allocates for sampled messages. */
final class TracingCostTest {
  private static final int MESSAGES = 10_000;
  private static final int ROUNDS = 8;

  /** Bytes of the smallest object. Less per message is noise of the runtime. */
  private static final long SMALLEST_OBJECT = 16;

  private static final String SAMPLED =
      "{\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}";

  /** As long, but without a context. */
  private static final String PLAIN = SAMPLED.replace("traceparent", "deliveredBy");

  private long number;

  @Tag("full")
  @Test
  void shouldAllocateNothingForSampledMessagesWithoutTracing() {
    try (HubFixture fixture = new HubFixture(1)) {
      CountingSubscriber client = new CountingSubscriber(fixture.shards.get(0), Encoding.JSON);
      fixture.broker.connect();
      fixture.settle();
      client.shard.subscribe(client, InterestKey.of("stocks"), 1, false, Start.NOW, Delivery.ALL);
      fixture.settle();
      long plain = Long.MAX_VALUE;
      long sampled = Long.MAX_VALUE;
      for (int i = 0; i < ROUNDS; i++) { // the least, because compilation allocates
        plain = Math.min(plain, allocated(fixture, PLAIN));
        sampled = Math.min(sampled, allocated(fixture, SAMPLED));
      }
      assertThat(sampled - plain)
          .as("%d and %d bytes", sampled, plain)
          .isLessThan(SMALLEST_OBJECT * MESSAGES);
    }
  }

  private long allocated(HubFixture fixture, String properties) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    TopicListener listener = fixture.broker.listener("stocks");
    byte[] json = properties.getBytes(StandardCharsets.US_ASCII);
    byte[] payload = {'7'};
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < MESSAGES; i++) {
      number++;
      listener.onMessage(
          new Message("stocks", number, number, PayloadKind.TEXT, payload, json),
          DeliveryInfo.of(number));
      fixture.settle();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
