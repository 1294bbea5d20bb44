package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.cluster.Exchange;
import io.sluice.gateway.hub.LateDelivery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Late deliveries between nodes, without a network. */
final class LateDeliveryExchangeTest {
  private static final long PERIOD_MS = 1_000;

  private final Map<Object, LateDeliveryExchange> nodes = new HashMap<>();
  private final Map<Object, List<LateDelivery>> received = new HashMap<>();
  private final LateDeliveryExchange a = node("a", 1);
  private final LateDeliveryExchange b = node("b", 1);
  private long nowMs;

  private LateDeliveryExchange node(String name, int site) {
    List<LateDelivery> all = new ArrayList<>();
    received.put(name, all);
    LateDeliveryExchange added =
        new LateDeliveryExchange(site, PERIOD_MS, () -> nowMs, all::addAll);
    added.join(
        (to, message) -> {
          assertThat(message.length).isLessThanOrEqualTo(Exchange.MAX_BYTES);
          assertThat(message[0]).isEqualTo((byte) LateDeliveryCodec.CHANNEL);
          receive(to, name, message);
        });
    nodes.put(name, added);
    return added;
  }

  private void receive(Object to, Object from, byte[] message) {
    try {
      nodes.get(to).onMessage(from, message);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LateDelivery of(String topic, long... ids) {
    return new LateDelivery(topic, LongStream.of(ids).boxed().toList(), 100, 2_000, 1_900);
  }

  private void meet(String... names) {
    for (String name : names) {
      nodes.get(name).onView(List.of(names).stream().filter(each -> !each.equals(name)).toList());
    }
  }

  @Test
  void shouldSendRecordsToAllOthers() {
    meet("a", "b");
    a.announce(List.of(of("t", 1, Long.MAX_VALUE), of("ü.€")));
    assertThat(received.get("b")).containsExactly(of("t", 1, Long.MAX_VALUE), of("ü.€"));
    assertThat(received.get("a")).isEmpty();
  }

  @Test
  void shouldSendRecentRecordsToANodeThatJoinsOrReturns() {
    a.announce(List.of(of("t", 1)));
    nowMs += PERIOD_MS;
    a.announce(List.of(of("u", 2)));
    meet("a", "b");
    assertThat(received.get("b")).containsExactlyInAnyOrder(of("t"), of("u"));

    received.get("b").clear();
    meet("a", "b");
    assertThat(received.get("b")).isEmpty();
    b.onView(List.of());
    nowMs += PERIOD_MS;
    a.announce(List.of(of("v", 3)));
    received.get("b").clear();
    meet("a", "b");
    assertThat(received.get("b")).containsExactlyInAnyOrder(of("u"), of("v"));
  }

  @Test
  void shouldRequestRecordsAgainAfterDiscardedMessages() {
    meet("a", "b");
    a.announce(List.of(of("t", 1)));
    received.get("b").clear(); // discarded on the way
    b.onDiscarded();
    assertThat(received.get("b")).containsExactly(of("t"));
    assertThat(received.get("a")).isEmpty();
  }

  @Test
  void shouldStoreABoundedNumberOfTopics() {
    a.announce(
        IntStream.range(0, 2 * LateDeliveryExchange.MAX_TOPICS)
            .mapToObj(i -> of("t." + i, i))
            .toList());
    meet("a", "b");
    assertThat(received.get("b")).containsExactly(of(">"));
  }

  @Test
  void shouldIgnoreNodesAtAnotherBroker() {
    node("c", 2);
    meet("a", "c");
    a.announce(List.of(of("t", 1)));
    assertThat(received.get("c")).isEmpty();
  }

  @Test
  void shouldIgnoreUnknownKindsAndReportMalformedMessages() throws Exception {
    assertThat(LateDeliveryCodec.decode(new byte[] {3, 99, 1, 2})).isNull();
    for (byte[] malformed :
        List.of(new byte[] {3, 1, 0}, new byte[] {3, 1, 0, 0, 0, 1, 0, 1, 't'})) {
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> b.onMessage("a", malformed));
    }
    assertThat(received.get("b")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"'', 1, 2, 0", "t, 3, 2, 0", "t, 1, 2, -1"})
  void shouldRejectInconsistentRecords(String topic, long sentMs, long deliveredMs, long delayMs) {
    LateDelivery late = new LateDelivery(topic, List.of(), sentMs, deliveredMs, delayMs);
    byte[] message = LateDeliveryCodec.records(1, List.of(late)).get(0);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> LateDeliveryCodec.decode(message))
        .withMessageContaining("inconsistent record");
  }
}
