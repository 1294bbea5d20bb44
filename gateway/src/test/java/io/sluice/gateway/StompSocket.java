package io.sluice.gateway;

import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** STOMP client on a plain socket, whose frames are written by hand. */
record StompSocket(RawWebSocket socket, List<StompSocket.Frame> kept) implements AutoCloseable {
  /** Frame of the node. */
  record Frame(String command, Map<String, String> headers, String body) {
    String header(String name) {
      return headers.get(name);
    }
  }

  StompSocket(RawWebSocket socket) {
    this(socket, new ArrayList<>());
  }

  /** Connects with STOMP 1.2. */
  static StompSocket open(TestNode node) {
    return open(node, "1.2", "");
  }

  /**
   * Connects and reads the answer, which must be CONNECTED.
   *
   * @param headers further headers of CONNECT, complete lines
   */
  static StompSocket open(TestNode node, String version, String headers) {
    StompSocket client = new StompSocket(node.request().subprotocols("v12.stomp").open());
    client.send("CONNECT\naccept-version:" + version + "\nhost:/\n" + headers + "\n");
    client.await("CONNECTED");
    return client;
  }

  /** Sends a frame without its NUL. */
  void send(String frame) {
    socket.text(frame + "\0");
  }

  /** Sends a frame with a receipt, and waits for it. */
  Frame request(String frame) {
    int firstLine = frame.indexOf('\n') + 1;
    send(frame.substring(0, firstLine) + "receipt:r\n" + frame.substring(firstLine));
    return await("RECEIPT");
  }

  Frame next() {
    ServerFrame message = socket.readMessage();
    while (message.payload().length == 1) {
      message = socket.readMessage(); // heart-beat
    }
    return parse(new String(message.payload(), StandardCharsets.UTF_8));
  }

  static Frame parse(String text) {
    int end = text.indexOf("\n\n");
    String[] lines = text.substring(0, end).split("\n");
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers.putIfAbsent(lines[i].substring(0, colon), lines[i].substring(colon + 1));
    }
    return new Frame(lines[0], headers, text.substring(end + 2, text.length() - 1));
  }

  /** Returns the next frame of a type; the others are kept for later. */
  Frame await(String command) {
    for (Frame frame : kept) {
      if (frame.command.equals(command)) {
        kept.remove(frame);
        return frame;
      }
    }
    Frame frame = next();
    while (!frame.command.equals(command)) {
      if (frame.command.equals("ERROR")) {
        throw new AssertionError("waiting for " + command + ", received " + frame);
      }
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
