package io.sluice.gateway.handshake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UpgradeHeadTest {
  private static final int MAX_BYTES = 4096;
  private static final String REQUEST =
      "GET /ws?a=b HTTP/1.1\r\nHost: localhost:8080\r\nUpgrade: websocket\r\n"
          + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sluice.v1.json\r\n"
          + "sec-websocket-protocol:sluice.v1.bin \t\r\nOrigin: http://localhost:8080\r\n\r\n";

  /** Parts of requests that mutations insert. */
  private static final String[] PARTS = {
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    "\0",
    "\u00e9",
    "%",
    "?",
    "#",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Expect: 100-continue\r\n",
    "Host: y\r\n",
    "X: y\r\n z\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    " HTTP/1.1",
    "\r\n\r\n",
    "a: b\r\n"
  };

  private static UpgradeHead parse(String text, int maxBytes) {
    ByteBuf received = Unpooled.copiedBuffer(text, ISO_8859_1);
    UpgradeHead head = UpgradeHead.parse(received, maxBytes);
    assertThat(received.readerIndex()).isZero();
    return head;
  }

  private static UpgradeHead parse(String text) {
    return parse(text, MAX_BYTES);
  }

  @Test
  void shouldReadTargetAndHeaders() {
    UpgradeHead head = parse(REQUEST + "frame");
    assertThat(head.length()).isEqualTo(REQUEST.length());
    assertThat(head.hasPath("/ws")).isTrue();
    assertThat(head.hasPath("/w")).isFalse();
    assertThat(head.hasPath("/wss")).isFalse();
    assertThat(head.query()).isEqualTo("a=b");
    assertThat(head.headers("host")).containsExactly("localhost:8080");
    assertThat(head.headers("Sec-WebSocket-Protocol"))
        .containsExactly("sluice.v1.json", "sluice.v1.bin");
    assertThat(head.headers("Cookie")).isEmpty();
  }

  @Test
  void shouldReadATargetWithoutAQuery() {
    UpgradeHead head = parse("GET /ws HTTP/1.1\r\na: b?c\r\n\r\n");
    assertThat(head.hasPath("/ws")).isTrue();
    assertThat(head.query()).isNull();
    assertThat(parse("GET /ws? HTTP/1.1\r\n\r\n").query()).isEmpty();
  }

  @Test
  void shouldRejectEveryIncompleteRequest() {
    for (int length = 0; length < REQUEST.length(); length++) {
      assertThat(parse(REQUEST.substring(0, length))).as("%d bytes", length).isNull();
    }
  }

  @Test
  void shouldRejectARequestPastTheMaximumSize() {
    assertThat(parse(REQUEST, REQUEST.length())).isNotNull();
    assertThat(parse(REQUEST, REQUEST.length() - 1)).isNull();
  }

  @Test
  void shouldRejectARequestPastTheMaximumNumberOfLines() {
    assertThat(parse("GET /ws HTTP/1.1\r\n" + "a: b\r\n".repeat(32) + "\r\n")).isNotNull();
    assertThat(parse("GET /ws HTTP/1.1\r\n" + "a: b\r\n".repeat(33) + "\r\n")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /ws HTTP/1.1\r\n\r\n",
        "get /ws HTTP/1.1\r\n\r\n",
        "GET  /ws HTTP/1.1\r\n\r\n",
        "GET ws HTTP/1.1\r\n\r\n",
        "GET http://x/ws HTTP/1.1\r\n\r\n",
        "GET /ws HTTP/1.0\r\n\r\n",
        "GET /ws HTTP/1.1 \r\n\r\n",
        "GET /ws HTTP/1.1\n\r\n",
        "GET /ws#a HTTP/1.1\r\n\r\n",
        "GET /w\u00e9 HTTP/1.1\r\n\r\n",
        "\r\nGET /ws HTTP/1.1\r\n\r\n",
        "GET /ws HTTP/1.1\r\na b: c\r\n\r\n",
        "GET /ws HTTP/1.1\r\na : c\r\n\r\n",
        "GET /ws HTTP/1.1\r\n: c\r\n\r\n",
        "GET /ws HTTP/1.1\r\na\r\n\r\n",
        "GET /ws HTTP/1.1\r\na: b\r\n c\r\n\r\n",
        "GET /ws HTTP/1.1\r\na: b\n\r\n",
        "GET /ws HTTP/1.1\r\na: \0\r\n\r\n",
        "GET /ws HTTP/1.1\r\na: \u00e9\r\n\r\n",
        "GET /ws HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
        "GET /ws HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET /ws HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
        "GET /ws HTTP/1.1\r\nConnection: upgrade, Close\r\n\r\n",
      })
  void shouldRejectOtherRequests(String request) {
    assertThat(parse(request)).isNull();
  }

  @Test
  void shouldReadMutatedRequestsLikeNetty() {
    Random random = new Random(26);
    int read = 0;
    for (int i = 0; i < 100_000; i++) {
      String request = mutated(random);
      UpgradeHead head = parse(request);
      if (head != null) {
        read++;
        compareWithNetty(request, head);
      }
    }
    assertThat(read).isGreaterThan(10_000);
  }

  private static String mutated(Random random) {
    StringBuilder text = new StringBuilder(REQUEST);
    for (int changes = random.nextInt(4); changes > 0; changes--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.setCharAt(at, (char) random.nextInt(256));
        case 1 -> text.deleteCharAt(at);
        case 2 -> text.insert(at, PARTS[random.nextInt(PARTS.length)]);
        default -> text.setCharAt(at, (char) (' ' + random.nextInt(95)));
      }
    }
    return text.toString();
  }

  private static void compareWithNetty(String request, UpgradeHead head) {
    EmbeddedChannel decoder = new EmbeddedChannel(new HttpRequestDecoder());
    decoder.writeInbound(Unpooled.copiedBuffer(request.substring(0, head.length()), ISO_8859_1));
    HttpRequest expected = decoder.readInbound();
    assertThat(expected.decoderResult().isSuccess()).as(request).isTrue();
    assertThat(expected.method().name()).isEqualTo(UpgradeHead.METHOD);
    assertThat(expected.protocolVersion().text()).isEqualTo(UpgradeHead.VERSION);
    String path = expected.uri().split("\\?", 2)[0];
    assertThat(head.hasPath(path)).as(request).isTrue();
    for (String name : expected.headers().names()) {
      assertThat(head.headers(name)).as(request).isEqualTo(expected.headers().getAll(name));
    }
    Object end = decoder.readInbound();
    assertThat(end).as(request).isInstanceOf(LastHttpContent.class);
    assertThat(decoder.<Object>readInbound()).as(request).isNull();
    decoder.finishAndReleaseAll();
  }
}
