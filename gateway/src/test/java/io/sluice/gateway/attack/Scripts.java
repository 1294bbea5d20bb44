package io.sluice.gateway.attack;

import io.sluice.testkit.ClientFrame;
import java.util.Arrays;

/** Scripts of the attacks. Stateless. */
final class Scripts {
  private static final int HEADER_BYTES = 64 * 1024;
  private static final int JUNK_BYTES = 512;
  private static final int LINES = 60_000;
  private static final int BOMB_BYTES = 16 * 1024 * 1024;
  private static final int COLLISIONS = 1200;
  private static final int COLLISION_BITS = 11;
  private static final int BEAT_MS = 50;
  private static final int BURST_MS = 3000;
  private static final byte[] NOTHING = {};

  private Scripts() {}

  static Script halfOpen() {
    byte[] half = Bytes.halfHandshake();
    return Script.of(number -> number % 2 == 0 ? half : NOTHING);
  }

  static Script silence() {
    return Script.of(NOTHING);
  }

  static Script burst() {
    return Script.of(Bytes.halfHandshake())
        .then(Bytes.ascii("\r\n"), BURST_MS)
        .leaving(Script.End.ANSWERED);
  }

  static Script slowHandshake() {
    return Script.of(Bytes.ascii("GET /ws HTTP/1.1\r\nX-Slow: ")).then(Bytes.ascii("x"), 1000);
  }

  static Script slowBody() {
    return Script.of(Bytes.streamRequest(100_000)).then(Bytes.ascii("x"), 1000);
  }

  static Script churn() {
    return Script.of(Bytes.handshake()).leaving(Script.End.ANSWERED);
  }

  static Script wrongOrigin() {
    return Script.of(Bytes.handshake("Origin: https://evil.example")).leaving(Script.End.ANSWERED);
  }

  static Script hugeHeaders() {
    return Script.of(Bytes.handshake(Bytes.longHeader(HEADER_BYTES))).leaving(Script.End.ANSWERED);
  }

  static Script junk() {
    return Script.of(number -> Bytes.junk(number, JUNK_BYTES)).leaving(Script.End.ANSWERED);
  }

  static Script pipeline() {
    byte[] request = Bytes.ascii("GET / HTTP/1.1\r\nHost: node\r\n\r\n");
    return Script.of(request).then(Bytes.repeat(request, 200), BEAT_MS).mute();
  }

  static Script neverReading() {
    return Script.of(Bytes.join(Bytes.handshake(), Bytes.subscribe(1, "bulk.0"))).mute();
  }

  static Script pings() {
    byte[] ping = ClientFrame.ping("x".repeat(125)).bytes();
    return Script.of(Bytes.handshake()).then(Bytes.repeat(ping, 200), BEAT_MS);
  }

  static Script fragments() {
    byte[] first = ClientFrame.text("{").notLast().bytes();
    byte[] more = ClientFrame.continuation("").notLast().bytes();
    return Script.of(Bytes.join(Bytes.handshake(), first)).then(Bytes.repeat(more, 1000), BEAT_MS);
  }

  static Script lines() {
    byte[] body = Bytes.repeat(Bytes.ascii("{\"type\":\"ping\"}\n"), LINES);
    return Script.of(Bytes.join(Bytes.streamRequest(body.length), body));
  }

  static Script bomb() {
    byte[] bomb =
        Bytes.join(
            Bytes.handshake("Sec-WebSocket-Extensions: permessage-deflate"),
            Bytes.bomb(BOMB_BYTES));
    return Script.of(bomb);
  }

  // It leaves when the node has answered all of them, and comes again.
  static Script collisions() {
    byte[][] all = new byte[COLLISIONS + 2][];
    all[0] = Bytes.handshake();
    for (int i = 1; i <= COLLISIONS; i++) {
      all[i] = Bytes.subscribe(i, "probe." + Bytes.collision(i, COLLISION_BITS));
    }
    all[COLLISIONS + 1] = ClientFrame.close(1000, "").bytes();
    return Script.of(Bytes.join(all));
  }

  static Script subscribes() {
    byte[][] beats = new byte[50][];
    for (int i = 0; i < beats.length; i++) {
      String topic = "probe.flood" + i;
      beats[i] = Bytes.join(Bytes.subscribe(i, topic), Bytes.unsubscribe(i, topic));
    }
    return Script.of(Bytes.handshake()).then(Bytes.join(beats), BEAT_MS);
  }

  static Script publishes() {
    return Script.of(Bytes.handshake())
        .then(Bytes.repeat(Bytes.publish(1, "chat.1"), 100), BEAT_MS);
  }

  static Script badToken(Tokens tokens) {
    return Script.of(Bytes.join(Bytes.handshake(), Bytes.connect(tokens.of(Tokens.BAD))));
  }

  static Script halfOpenTls() {
    byte[] hello = Bytes.clientHello();
    byte[] part = Arrays.copyOf(hello, hello.length / 2);
    return Script.of(number -> number % 6 == 0 ? hello : number % 2 == 0 ? part : NOTHING).bare();
  }

  static Script tlsHandshakes() {
    return Script.of(NOTHING).leaving(Script.End.CONNECTED);
  }
}
