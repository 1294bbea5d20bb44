package io.sluice.gateway.protocol.presence;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.io.StringWriter;

/** Members of the frame {@code presence} that were read so far. Used by one parser. */
public final class PresenceMembers {
  /** Maximum number of characters of a key. */
  private static final int MAX_KEY = 128;

  private boolean enter;
  private boolean watch;
  private boolean members;
  private String key;
  private String info;

  /** Reads the member at which the parser is. */
  public void read(String name, JsonParser parser) throws IOException {
    switch (name) {
      case "enter" -> enter = BadFrame.flag(parser, name);
      case "watch" -> watch = BadFrame.flag(parser, name);
      case "members" -> members = BadFrame.flag(parser, name);
      case "key" -> key = key(parser, name);
      default -> info = json(parser);
    }
  }

  private static String key(JsonParser parser, String name) throws IOException {
    String key = BadFrame.string(parser, name);
    if (key.isEmpty() || key.length() > MAX_KEY) {
      throw new BadFrame("\"" + name + "\" must have 1 to " + MAX_KEY + " characters");
    }
    return key;
  }

  /** Returns a value as JSON without white space. */
  private static String json(JsonParser parser) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JsonText.generator(text)) {
      BadFrame.copy(parser, "info", out);
    }
    return text.toString();
  }

  /** Returns the frame; the topic is present. */
  public ClientFrame frame(long ref, String topic) throws BadFrame {
    if (ref == ClientFrame.NO_REF) {
      throw new BadFrame("\"ref\" of presence is missing");
    }
    if (!enter && (key != null || info != null)) {
      String member = key == null ? "info" : "key";
      throw new BadFrame("\"" + member + "\" requires \"enter\":true");
    }
    return new ClientFrame.Presence(ref, topic, enter, watch, members, key, info);
  }
}
