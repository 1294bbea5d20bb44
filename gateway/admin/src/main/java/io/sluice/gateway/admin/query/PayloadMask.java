package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Mask of messages that operators see in a tail. Immutable, for any thread. */
final class PayloadMask {
  /** Maximum bytes of a shown payload. */
  static final int MAX_BYTES = 4_096;

  private static final String MASK = "***";

  private final TailOptions options;

  PayloadMask(TailOptions options) {
    this.options = options;
  }

  /**
   * Returns the payload that may be shown, or null. With names of masked members, only JSON is
   * shown, because the mask does not apply to other text.
   */
  Object shown(Message message) {
    byte[] payload = message.payload();
    boolean isText = message.kind() == PayloadKind.TEXT || message.kind() == PayloadKind.JSON;
    if (!options.payload() || !isText || payload.length > MAX_BYTES) {
      return null;
    }
    String text = new String(payload, StandardCharsets.UTF_8);
    return options.masked().isEmpty() ? text : masked(text);
  }

  private Object masked(String text) {
    try {
      Object value = Json.decodeValue(text);
      boolean isJson = value instanceof JsonObject || value instanceof JsonArray;
      return isJson ? masked(value) : null;
    } catch (DecodeException notJson) {
      return null;
    }
  }

  private Object masked(Object value) {
    if (value instanceof JsonObject object) {
      for (String name : List.copyOf(object.fieldNames())) {
        boolean hidden = options.masked().contains(name);
        object.put(name, hidden ? MASK : masked(object.getValue(name)));
      }
    } else if (value instanceof JsonArray array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, masked(array.getValue(i)));
      }
    }
    return value;
  }
}
