package io.sluice.gateway.broker.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.jms.message.JsonBodyWriter.Refusal;
import io.sluice.gateway.protocol.GapReason;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.activemq.command.ActiveMQMapMessage;
import org.apache.activemq.command.ActiveMQStreamMessage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class JsonBodyWriterTest {
  private static final long MAX = 100_000;

  private static String json(Object value) throws Exception {
    HashMap<String, Object> members = new HashMap<>();
    members.put("v", value);
    return new String(JsonBodyWriter.object(members, MAX), StandardCharsets.UTF_8);
  }

  private static void assertRefused(GapReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }

  @Test
  void shouldConvertNestedValues() throws Exception {
    assertThat(json(Map.of("lines", List.of(1, 2L, (short) 3, (byte) 4))))
        .isEqualTo("{\"v\":{\"lines\":[1,2,3,4]}}");
    assertThat(json(Arrays.asList('a', "b", null, true, 1.5, 2.5f)))
        .isEqualTo("{\"v\":[\"a\",\"b\",null,true,1.5,2.5]}");
    assertThat(json(List.of(new byte[] {0, -1, 16}, new int[] {1, 2}, new Object[] {"x"})))
        .isEqualTo("{\"v\":[\"AP8Q\",[1,2],[\"x\"]]}");
    assertThat(json(List.of(Double.NaN, Float.NEGATIVE_INFINITY)))
        .isEqualTo("{\"v\":[\"NaN\",\"-Infinity\"]}");
  }

  @Test
  void shouldConvertANestedMapOfAMessage() throws Exception {
    ActiveMQMapMessage message = new ActiveMQMapMessage();
    message.setObject("order", Map.of("lines", List.of(1, 2)));

    assertThat(new String(JsonBodyWriter.map(message, MAX), StandardCharsets.UTF_8))
        .isEqualTo("{\"order\":{\"lines\":[1,2]}}");
  }

  // Classic's client reads short nested texts as a class of its own.
  @Test
  void shouldConvertNestedTextsOfAReceivedMessage() throws Exception {
    ActiveMQMapMessage sent = new ActiveMQMapMessage();
    sent.setObject(
        "order", Map.of("lines", List.of("a", Map.of("name", "\u00e9\u20ac"), "b".repeat(40_000))));
    sent.beforeMarshall(null);
    ActiveMQMapMessage received = new ActiveMQMapMessage();
    received.setContent(sent.getContent());

    assertThat(new String(JsonBodyWriter.map(received, MAX), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"order\":{\"lines\":[\"a\",{\"name\":\"\u00e9\u20ac\"},\""
                + "b".repeat(40_000)
                + "\"]}}");
  }

  @Test
  void shouldRefuseOtherTypes() {
    for (Object value :
        List.of(
            new BigDecimal("1.5"), new Object(), GapReason.OVERLOAD, Map.of(1, "x"), List.class)) {
      assertRefused(GapReason.UNSUPPORTED, () -> json(value));
      assertRefused(GapReason.UNSUPPORTED, () -> json(List.of(value)));
    }
  }

  @Test
  void shouldRefuseNamesWithUnpairedSurrogates() throws Exception {
    ActiveMQMapMessage message = new ActiveMQMapMessage();
    message.setString("\ud800", "1");
    message.setString("\ud801", "2");

    assertRefused(GapReason.UNSUPPORTED, () -> JsonBodyWriter.map(message, MAX));
    assertRefused(GapReason.UNSUPPORTED, () -> json(Map.of("\udc00", 1)));
  }

  @Test
  void shouldRefuseValuesThatContainThemselves() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    Map<String, Object> map = new HashMap<>();
    map.put("self", map);

    assertRefused(GapReason.UNSUPPORTED, () -> json(list));
    assertRefused(GapReason.UNSUPPORTED, () -> json(map));
  }

  @Test
  void shouldConvertUpToTheDepthLimit() throws Exception {
    Object value = "x";
    for (int i = 1; i < JsonBodyWriter.MAX_DEPTH; i++) {
      value = List.of(value);
    }
    Object deepest = value;

    assertThat(json(deepest)).contains("x");
    assertRefused(GapReason.UNSUPPORTED, () -> json(List.of(deepest)));
  }

  @Test
  void shouldRefuseJsonAboveTheLimit() throws Exception {
    ActiveMQMapMessage fits = new ActiveMQMapMessage();
    fits.setString("a", "\u0001".repeat(10)); // 6 bytes each
    assertThat(JsonBodyWriter.map(fits, 68)).hasSize(68);
    assertRefused(GapReason.TOO_LARGE, () -> JsonBodyWriter.map(fits, 67));

    ActiveMQStreamMessage bytes = new ActiveMQStreamMessage();
    for (int i = 0; i < 100; i++) {
      bytes.writeBytes(new byte[3_000]); // 4,000 characters each
    }
    bytes.reset();
    assertRefused(GapReason.TOO_LARGE, () -> JsonBodyWriter.stream(bytes, 310_000));
  }
}
