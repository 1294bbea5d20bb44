package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import okio.ByteString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every close code of a node or a proxy, also those that RFC 6455 reserves. */
final class CloseCodesTest {
  private static final Set<Integer> FINAL = Set.of(4200, 4201, 4203, 4204, 4205);
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final String KEY = "sec-websocket-key: ";
  private static final int TIMEOUT_MS = 20_000;

  static IntStream codes() {
    return Stream.of(
            IntStream.rangeClosed(1000, 1015),
            IntStream.of(999, 2000, 3000, 3999, 4099, 4100, 4101, 4199, 4299, 4999, 65_535),
            IntStream.rangeClosed(4000, 4006),
            IntStream.rangeClosed(4200, 4206))
        .flatMapToInt(each -> each);
  }

  @ParameterizedTest
  @MethodSource("codes")
  void shouldReconnectUnlessTheCodeIsFinal(int code) throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SluiceClient client =
            SluiceClient.builder("ws://127.0.0.1:" + server.getLocalPort() + "/ws")
                .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
                .onState(state -> count(state, closed))
                .build()) {
      server.setSoTimeout(TIMEOUT_MS);
      try (Socket session = server.accept()) {
        greet(session);
        session
            .getOutputStream()
            .write(new byte[] {(byte) 0x88, 2, (byte) (code >> 8), (byte) code});
        if (FINAL.contains(code)) {
          assertThat(closed.await(TIMEOUT_MS, TimeUnit.MILLISECONDS)).isTrue();
        } else {
          server.accept().close();
          assertThat(client.state()).isNotEqualTo(ConnectionState.CLOSED);
        }
      }
    }
  }

  private static void count(ConnectionState state, CountDownLatch closed) {
    if (state == ConnectionState.CLOSED) {
      closed.countDown();
    }
  }

  private static void greet(Socket session) throws IOException {
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(session.getInputStream(), StandardCharsets.ISO_8859_1));
    String key = "";
    for (String line = reader.readLine(); !line.isEmpty(); line = reader.readLine()) {
      if (line.regionMatches(true, 0, KEY, 0, KEY.length())) {
        key = line.substring(KEY.length());
      }
    }
    String accept = ByteString.encodeUtf8(key + GUID).sha1().base64();
    OutputStream out = session.getOutputStream();
    String answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: "
            + accept
            + "\r\n\r\n";
    out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
    byte[] hello = ScriptedNode.HELLO.formatted("").getBytes(StandardCharsets.UTF_8);
    out.write(new byte[] {(byte) 0x81, 126, (byte) (hello.length >> 8), (byte) hello.length});
    out.write(hello);
  }
}
