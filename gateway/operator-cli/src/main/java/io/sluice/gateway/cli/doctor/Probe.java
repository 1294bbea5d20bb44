package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.admin.AdminClient;
import io.sluice.gateway.cli.command.CommandFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Client that subscribes to one topic. Called by the threads of one WebSocket. */
final class Probe implements WebSocket.Listener {
  private static final int MAX_QUOTE = 60;

  private final JsonObject connect = new JsonObject().put("type", "connect");
  private final JsonObject subscribe = new JsonObject().put("type", "subscribe").put("ref", 1);
  private final StringBuilder text = new StringBuilder();
  private final CompletableFuture<String> node = new CompletableFuture<>();

  /** The node's hello frame, for messages. */
  private JsonObject hello = new JsonObject();

  /**
   * @param token null for none
   */
  Probe(String topic, String token) {
    connect.put("client", "sluice-probe");
    if (token != null) {
      connect.put("token", token);
    }
    subscribe.put("topic", topic);
  }

  /** Returns the name of the node after the subscription; fails with a {@link CommandFailure}. */
  CompletableFuture<String> node() {
    return node;
  }

  /** Returns the state of the exchange, for the message of a timeout. */
  synchronized String progress() {
    if (hello.isEmpty()) {
      return "no frame hello received";
    }
    String name = hello.getString("node");
    boolean down = "down".equals(hello.getString("broker"));
    return "node "
        + name
        + " has not confirmed the subscription"
        + (down ? ", because it is not connected to its broker" : "");
  }

  @Override
  public void onOpen(WebSocket socket) {
    socket.request(1);
    socket
        .sendText(connect.encode(), true)
        .thenCompose(sent -> sent.sendText(subscribe.encode(), true))
        .exceptionally(
            e -> {
              onError(socket, e);
              return null;
            });
  }

  @Override
  public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
    text.append(part);
    if (last) {
      onFrame(text.toString());
      text.setLength(0);
    }
    socket.request(1);
    return null;
  }

  private void onFrame(String frame) {
    try {
      onFrame(new JsonObject(frame));
    } catch (DecodeException | ClassCastException e) {
      fail(
          "received "
              + quoted(frame)
              + ", which is not a frame of the Sluice protocol; expected"
              + " the WebSocket endpoint of a node, such as wss://host/ws",
          e);
    }
  }

  /** Returns the begin of a text from the server, for a message of one line. */
  private static String quoted(String text) {
    String begin = text.length() <= MAX_QUOTE ? text : text.substring(0, MAX_QUOTE) + "…";
    return '"' + AdminClient.printable(begin) + '"';
  }

  private void onFrame(JsonObject frame) {
    switch (String.valueOf(frame.getString("type"))) {
      case "hello" -> onHello(frame);
      case "subscribed" -> node.complete(hello.getString("node"));
      case "error" ->
          fail(
              "the node sent error "
                  + frame.getString("code")
                  + ": "
                  + AdminClient.printable(String.valueOf(frame.getString("message"))),
              null);
      default -> {
        // Messages of the topic may precede the answer.
      }
    }
  }

  private synchronized void onHello(JsonObject frame) {
    hello = frame;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
    fail(
        "the server closed the connection with code "
            + code
            + (reason.isEmpty() ? "" : " (" + AdminClient.printable(reason) + ")"),
        null);
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    fail("the connection failed: " + error, error);
  }

  private void fail(String why, Throwable cause) {
    node.completeExceptionally(new CommandFailure(why, cause));
  }
}
