package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.RawWebSocket;
import java.util.ArrayList;
import java.util.List;

/** Client that reads frames of one type after the other; the others are kept for later. */
record FrameClient(RawWebSocket socket, List<JsonNode> kept) implements AutoCloseable {
  FrameClient(RawWebSocket socket) {
    this(socket, new ArrayList<>());
  }

  /** Sends a frame without its braces and with single quotation marks. */
  void send(String members) {
    socket.text("{" + members.replace('\'', '"') + "}");
  }

  JsonNode next() {
    return socket.readJson();
  }

  JsonNode await(String type) {
    for (JsonNode frame : kept) {
      if (frame.get("type").asText().equals(type)) {
        kept.remove(frame);
        return frame;
      }
    }
    JsonNode frame = next();
    while (!frame.get("type").asText().equals(type)) {
      kept.add(frame);
      frame = next();
    }
    return frame;
  }

  @Override
  public void close() {
    socket.close();
  }
}
