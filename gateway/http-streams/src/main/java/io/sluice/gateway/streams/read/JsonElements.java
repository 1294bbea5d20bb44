package io.sluice.gateway.streams.read;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.value.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Splitter of JSON bodies into messages. Stateless, for any thread. */
final class JsonElements {
  private JsonElements() {}

  /**
   * Returns the elements of an array, or the only value, as they are in the body, in UTF-8.
   *
   * @param max largest number of elements
   * @throws IOException if the body is not one JSON value, or has too many elements
   */
  static List<byte[]> of(String body, int max) throws IOException {
    List<byte[]> elements = new ArrayList<>();
    try (JsonParser parser = JsonReader.parser(body)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new IOException("the body is empty");
      }
      if (first == JsonToken.START_ARRAY) {
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          if (elements.size() == max) {
            throw new IOException("the array has more than " + max + " elements");
          }
          elements.add(element(parser, body));
        }
      } else {
        elements.add(element(parser, body));
      }
      if (parser.nextToken() != null) {
        throw new IOException("data follows the JSON value");
      }
    }
    return elements;
  }

  private static byte[] element(JsonParser parser, String body) throws IOException {
    int start = (int) parser.currentTokenLocation().getCharOffset();
    parser.skipChildren();
    parser.finishToken();
    int end = (int) parser.currentLocation().getCharOffset();
    return body.substring(start, end).getBytes(StandardCharsets.UTF_8);
  }
}
