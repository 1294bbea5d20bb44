package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.util.List;
import javax.net.SocketFactory;

/** Kind of client in a training run: encoding, compression and transport. Immutable. */
enum TrainingKind {
  JSON("sluice.v1.json", "", ""),
  BINARY("sluice.v1.bin", "", ""),
  DEFLATE("sluice.v1.json", "permessage-deflate; client_max_window_bits", ""),
  DEFLATE_ALONE("sluice.v1.bin", "permessage-deflate; server_no_context_takeover", ""),
  COMPRESSED_FRAMES("sluice.v1.bin", "", ",\"compressed\":true"),
  STREAM("sluice.v1.json", "", "");

  private static final String CONNECT = "{\"type\":\"connect\",\"client\":\"aot-cache\"%s}";
  private static final String SUBSCRIBE = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\"%s}";

  /** Frequent kinds are repeated. */
  private static final List<TrainingKind> MIX =
      List.of(
          JSON,
          BINARY,
          DEFLATE,
          JSON,
          BINARY,
          DEFLATE_ALONE,
          BINARY,
          COMPRESSED_FRAMES,
          JSON,
          BINARY,
          JSON,
          STREAM);

  private final String subprotocol;
  private final String extension;
  private final String connectMembers;

  TrainingKind(String subprotocol, String extension, String connectMembers) {
    this.subprotocol = subprotocol;
    this.extension = extension;
    this.connectMembers = connectMembers;
  }

  /** Returns the kind of the client with a number. */
  static TrainingKind of(int number) {
    return MIX.get(number % MIX.size());
  }

  /**
   * Opens a client and returns once it is subscribed to a topic.
   *
   * @param members further members of the subscription
   */
  TrainingClient open(int port, String topic, String members) throws IOException {
    String connect = CONNECT.formatted(connectMembers);
    String subscribe = SUBSCRIBE.formatted(topic, members);
    SocketFactory sockets = SocketFactory.getDefault();
    TrainingClient client;
    if (this == STREAM) {
      client = TrainingClient.open(sockets, port, streamRequest(connect, subscribe), 200);
    } else {
      client = TrainingClient.open(sockets, port, upgradeRequest(), 101);
      client.send(connect, subscribe);
    }
    client.await("\"subscribed\"");
    return client;
  }

  /** Returns a request with the headers of a browser. */
  private String upgradeRequest() {
    String extensions =
        extension.isEmpty() ? "" : "Sec-WebSocket-Extensions: " + extension + "\r\n";
    return "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "User-Agent: Mozilla/5.0\r\nAccept-Encoding: gzip, deflate\r\nAccept-Language: en\r\n"
        + "Cache-Control: no-cache\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + ("Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
        + (extensions + "\r\n");
  }

  private static String streamRequest(String connect, String subscribe) {
    String body = connect + "\n" + subscribe + "\n";
    return "POST /stream?protocol=sluice.v1.json HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: text/plain\r\nContent-Length: "
        + (body.length() + "\r\n\r\n" + body);
  }
}
