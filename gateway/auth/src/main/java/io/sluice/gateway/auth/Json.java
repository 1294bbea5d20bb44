package io.sluice.gateway.auth;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.value.JsonReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jose4j.lang.JoseException;

/**
 * Parser of untrusted JSON into plain values, used instead of jose4j's, which accepts input that is
 * not JSON. Stateless, for any thread.
 */
final class Json {
  private Json() {}

  /**
   * Reads an object. Members that are null count as absent.
   *
   * @return strings, numbers, booleans, lists and maps of these
   * @throws JoseException if it is not an object, has a duplicate member, or is nested too deep
   */
  static Map<String, Object> object(String text) throws JoseException {
    try (JsonParser parser = JsonReader.parser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new JoseException("not a JSON object");
      }
      Map<String, Object> object = map(parser);
      if (parser.nextToken() != null) {
        throw new JoseException("something follows the JSON object");
      }
      return object;
    } catch (JsonProcessingException e) {
      throw new JoseException("not a JSON object: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new JoseException("not a JSON object", e);
    }
  }

  private static Map<String, Object> map(JsonParser parser) throws IOException {
    Map<String, Object> map = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      Object value = value(parser.nextToken(), parser);
      if (value != null) {
        map.put(name, value);
      }
    }
    return Map.copyOf(map);
  }

  private static List<Object> list(JsonParser parser) throws IOException {
    List<Object> list = new ArrayList<>();
    for (JsonToken next = parser.nextToken();
        next != JsonToken.END_ARRAY;
        next = parser.nextToken()) {
      Object value = value(next, parser);
      if (value != null) {
        list.add(value);
      }
    }
    return List.copyOf(list);
  }

  private static Object value(JsonToken token, JsonParser parser) throws IOException {
    return switch (token) {
      case START_OBJECT -> map(parser);
      case START_ARRAY -> list(parser);
      case VALUE_STRING -> parser.getText();
      case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getNumberValue());
      default -> null;
    };
  }

  private static Number number(Number number) {
    return number instanceof Integer ? Long.valueOf(number.longValue()) : number;
  }
}
