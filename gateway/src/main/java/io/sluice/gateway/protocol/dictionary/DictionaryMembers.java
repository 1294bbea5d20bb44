package io.sluice.gateway.protocol.dictionary;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Parser of the hashes of trained dictionaries in client frames. Stateless, for any thread. */
public final class DictionaryMembers {
  /** Maximum number of dictionaries that a client may have when it connects. */
  public static final int MAX_HASHES = 16;

  private DictionaryMembers() {}

  /** Returns the hashes of {@code connect}. */
  public static List<String> hashes(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw new BadFrame("\"dictionaries\" must be an array of hashes");
    }
    List<String> hashes = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (hashes.size() == MAX_HASHES) {
        throw new BadFrame("\"dictionaries\" has more than " + MAX_HASHES + " elements");
      }
      hashes.add(hash(parser, "dictionaries"));
    }
    return List.copyOf(hashes);
  }

  /** Returns a hash. */
  public static String hash(JsonParser parser, String name) throws IOException {
    String hash = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
    if (!Dictionary.isHash(hash)) {
      throw new BadFrame(
          "\"" + name + "\" has a hash that is not 32 lower-case hexadecimal digits");
    }
    return hash;
  }
}
