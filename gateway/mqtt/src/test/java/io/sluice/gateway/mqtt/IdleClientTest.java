package io.sluice.gateway.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the memory that a client takes in addition to its session and its connection. */
final class IdleClientTest {
  private static final int HEADER_BYTES = 12;
  private static final int REFERENCE_BYTES = 4;

  private static final String NAME = "stocks/0007";

  /** Strings that other clients use. */
  private static final Set<String> INTERNED = Set.of(NAME, "stocks.0007");

  /** Most of the 512 bytes by which a client may exceed one of our protocol. */
  private static final int MAX_BYTES = 416;

  private static final MqttOptions OPTIONS = new MqttOptions(65_536, List.of(), 10, List.of(), "");

  @Test
  void shouldTakeLessThanHalfAKibibyte() throws MqttFault {
    RecordingSession session = new RecordingSession();
    PacketWriter writer = new PacketWriter(PooledByteBufAllocator.DEFAULT, MqttVersion.V5, true);
    MqttSubscriptions subscriptions =
        new MqttSubscriptions(session, writer, OPTIONS, null, MqttSubscriptions.FIRST_REF);
    String name = new String(NAME.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    MqttPacket.Filter filter = new MqttPacket.Filter(name, 0, false, false, 0, 0);
    subscriptions.onSubscribe(new MqttPacket.Subscribe(1, List.of(filter)));
    JsonObject answer = new JsonObject().put("offset", 7).put("epoch", "0123456789abcdef");
    subscriptions.onSubscribed(session.frames.get(0).ref(), answer);
    MqttClient client = new MqttClient(new MqttNode(OPTIONS), null, null, true, null);

    Map<String, Integer> bytes = new TreeMap<>();
    add(client, Set.of(MqttNode.class), bytes);
    add(
        subscriptions,
        Set.of(RecordingSession.class, PacketWriter.class, MqttOptions.class),
        bytes);
    int sum = bytes.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(sum).as("bytes by class: %s", bytes).isLessThanOrEqualTo(MAX_BYTES);
  }

  /** Adds the objects that can be reached, without those that clients share. */
  private static void add(Object root, Set<Class<?>> shared, Map<String, Integer> bytes) {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      Object next = open.poll();
      if (next instanceof Enum || shared.contains(next.getClass()) || !seen.add(next)) {
        continue;
      }
      bytes.merge(next.getClass().getSimpleName(), size(next, open), Integer::sum);
    }
  }

  private static int size(Object object, Deque<Object> referenced) {
    if (object instanceof String text) {
      boolean shared = INTERNED.stream().anyMatch(each -> each == text);
      return shared ? 0 : 24 + rounded(16 + text.length());
    }
    if (object instanceof Map<?, ?> map && !isOurs(object)) { // of at most one entry, else larger
      referenced.addAll(map.values());
      return map.isEmpty() ? 0 : map.getClass() == Map.of(1, 2).getClass() ? 32 : 112;
    }
    int bytes = HEADER_BYTES;
    for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          bytes += size(object, field, referenced);
        }
      }
    }
    return rounded(bytes);
  }

  private static boolean isOurs(Object object) {
    return object.getClass().getName().startsWith("io.sluice");
  }

  private static int size(Object object, Field field, Deque<Object> referenced) {
    Class<?> type = field.getType();
    if (type.isPrimitive()) {
      boolean isLong = type == long.class || type == double.class;
      return isLong ? 8 : type == boolean.class || type == byte.class ? 1 : 4;
    }
    try {
      field.setAccessible(true);
      Object value = field.get(object);
      if (value != null) {
        referenced.add(value);
      }
      return REFERENCE_BYTES;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static int rounded(int bytes) {
    return (bytes + 7) / 8 * 8;
  }
}
