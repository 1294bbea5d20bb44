package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebSocketHandshakeTest {
  @Test
  void shouldWriteRequestAsSpecified() {
    assertThat(request(handshake("sluice.v1.json", false)))
        .startsWith("GET /ws?a=b HTTP/1.1\r\nHost: localhost:8080\r\n")
        .contains("\r\nUpgrade: websocket\r\n", "\r\nConnection: Upgrade\r\n")
        .contains("\r\nSec-WebSocket-Version: 13\r\n")
        .contains("\r\nSec-WebSocket-Protocol: sluice.v1.json\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void shouldUseRandomKeyPerHandshake() {
    String key = key(request(handshake("sluice.v1.bin", false)));

    assertThat(Base64.getDecoder().decode(key)).hasSize(16);
    assertThat(key(request(handshake("sluice.v1.bin", false)))).isNotEqualTo(key);
  }

  @Test
  void shouldReadFragmentedResponseAndLeaveFollowingBytes() throws Exception {
    WebSocketHandshake handshake = handshake("sluice.v1.bin", false);
    ByteBuf response = response(accept(handshake), "sluice.v1.bin", "");
    ByteBuf first = response.readSlice(40);
    response.writeByte(0x82);

    assertThat(handshake.read(first)).isFalse();
    assertThat(handshake.read(response)).isTrue();
    assertThat(response.readableBytes()).isEqualTo(1);
    assertThat(handshake.fault(response)).isNull();
  }

  @Test
  void shouldRejectInvalidResponse() throws Exception {
    WebSocketHandshake handshake = handshake("sluice.v1.bin", false);
    String accept = accept(handshake);
    String wrong = Base64.getEncoder().encodeToString(new byte[20]);

    assertThat(fault(handshake, response(wrong, "sluice.v1.bin", "")))
        .isEqualTo("the handshake response has a wrong Sec-WebSocket-Accept");
    handshake = handshake("sluice.v1.bin", false);
    assertThat(fault(handshake, response(accept(handshake), "sluice.v1.json", "")))
        .isEqualTo(
            "the handshake response selects subprotocol 'sluice.v1.json' instead of sluice.v1.bin");
    handshake = handshake("sluice.v1.bin", false);
    String extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    assertThat(fault(handshake, response(accept(handshake), "sluice.v1.bin", extension)))
        .contains("extension");
    assertThat(accept).isNotEqualTo(wrong);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 503 Service Unavailable | the node is full |"
            + " the handshake was rejected with HTTP 503: the node is full",
        "HTTP/1.1 404 Not Found | '' | the handshake was rejected with HTTP 404: Not Found",
        "HTTP/1.1 500 | '' | the handshake was rejected with HTTP 500",
        "SSH-2.0-x | '' | the handshake response is not HTTP: SSH-2.0-x"
      })
  void shouldReportReasonOfRejection(String status, String body, String fault) {
    String response = status + "\r\nContent-Length: 20\r\n\r\n" + body + "\n<html>";

    assertThat(
            fault(handshake("sluice.v1.bin", false), Unpooled.copiedBuffer(response, ISO_8859_1)))
        .isEqualTo(fault);
  }

  @Test
  void shouldRequireRequestedCompression() throws Exception {
    WebSocketHandshake handshake = handshake("sluice.v1.bin", true);
    assertThat(fault(handshake, response(accept(handshake), "sluice.v1.bin", "")))
        .isEqualTo("the gateway declines permessage-deflate");
    handshake = handshake("sluice.v1.bin", true);
    String agreed = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    assertThat(fault(handshake, response(accept(handshake), "sluice.v1.bin", agreed))).isNull();
    assertThat(handshake.isTakeover()).isTrue();
    handshake = handshake("sluice.v1.bin", true);
    agreed = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n";
    assertThat(fault(handshake, response(accept(handshake), "sluice.v1.bin", agreed))).isNull();
    assertThat(handshake.isTakeover()).isFalse();
  }

  @Test
  void shouldLimitLengthOfHead() {
    WebSocketHandshake handshake = handshake("sluice.v1.bin", false);

    assertThat(handshake.read(Unpooled.wrappedBuffer(new byte[100_000]))).isTrue();
    assertThat(handshake.fault(Unpooled.EMPTY_BUFFER)).contains("not HTTP");
  }

  private static WebSocketHandshake handshake(String subprotocol, boolean inflate) {
    DialectOptions options = new DialectOptions("localhost:8080", "/ws?a=b", null, inflate, false);
    return new WebSocketHandshake(subprotocol, options);
  }

  private static String fault(WebSocketHandshake handshake, ByteBuf response) {
    assertThat(handshake.read(response)).isTrue();
    return handshake.fault(response);
  }

  private static ByteBuf response(String accept, String subprotocol, String more) {
    return Unpooled.copiedBuffer(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: Upgrade\r\n"
            + ("sec-websocket-accept: " + accept + "\r\n")
            + ("sec-websocket-protocol: " + subprotocol + "\r\n" + more + "\r\n"),
        ISO_8859_1);
  }

  private static String request(WebSocketHandshake handshake) {
    ByteBuf out = Unpooled.buffer();
    handshake.writeRequest(out);
    return out.toString(ISO_8859_1);
  }

  private static String key(String request) {
    String before = "Sec-WebSocket-Key: ";
    int start = request.indexOf(before) + before.length();
    return request.substring(start, request.indexOf('\r', start));
  }

  private static String accept(WebSocketHandshake handshake) throws Exception {
    String text = key(request(handshake)) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(ISO_8859_1));
    return Base64.getEncoder().encodeToString(digest);
  }
}
