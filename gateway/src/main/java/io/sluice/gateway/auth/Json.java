package io.sluice.gateway.auth;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jose4j.json.JsonUtil;
import org.jose4j.lang.JoseException;

/** JSON of others, as plain values. Stateless. */
final class Json {
  /** Lists and maps inside each other; what is deeper was made to break something. */
  private static final int DEEPEST = 32;

  private Json() {}

  /**
   * Reads an object. Members that are null count as absent.
   *
   * @return strings, numbers, booleans, lists and maps of these
   * @throws JoseException if it is none, has a member twice, or is nested too deep
   */
  static Map<String, Object> object(String text) throws JoseException {
    return plain(JsonUtil.parseJson(text), DEEPEST);
  }

  private static Map<String, Object> plain(Map<?, ?> map, int deeper) throws JoseException {
    Map<String, Object> plain = new LinkedHashMap<>();
    for (Map.Entry<?, ?> each : map.entrySet()) {
      if (each.getValue() != null) {
        plain.put(each.getKey().toString(), value(each.getValue(), deeper - 1));
      }
    }
    return Map.copyOf(plain);
  }

  private static Object value(Object value, int deeper) throws JoseException {
    if (!(value instanceof Map) && !(value instanceof List)) {
      return value;
    }
    if (deeper == 0) {
      throw new JoseException("nested deeper than " + DEEPEST);
    }
    return value instanceof Map<?, ?> map ? plain(map, deeper) : plain((List<?>) value, deeper);
  }

  private static List<Object> plain(List<?> list, int deeper) throws JoseException {
    List<Object> plain = new ArrayList<>(list.size());
    for (Object each : list) {
      if (each != null) {
        plain.add(value(each, deeper - 1));
      }
    }
    return List.copyOf(plain);
  }
}
