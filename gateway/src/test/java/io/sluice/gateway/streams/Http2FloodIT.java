package io.sluice.gateway.streams;

import static io.sluice.gateway.streams.Http2Bytes.CONTINUATION;
import static io.sluice.gateway.streams.Http2Bytes.END_HEADERS;
import static io.sluice.gateway.streams.Http2Bytes.END_STREAM;
import static io.sluice.gateway.streams.Http2Bytes.HEADERS;
import static io.sluice.gateway.streams.Http2Bytes.PING;
import static io.sluice.gateway.streams.Http2Bytes.RST_STREAM;
import static io.sluice.gateway.streams.Http2Bytes.SETTINGS;
import static io.sluice.gateway.streams.Http2Bytes.events;
import static io.sluice.gateway.streams.Http2Bytes.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import io.sluice.testkit.TestPublisher;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Floods of frames of HTTP/2, beside the stream of another client. */
@Timeout(180)
final class Http2FloodIT {
  /** Open requests of a connection. */
  private static final int MAX_STREAMS = 100;

  @TempDir private static Path folder;
  private static TestCertificate certificate;
  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    certificate = TestCertificate.create(folder, "flood", "EC");
    broker = TestBroker.start("artemis");
    node =
        TestCluster.start(
            TestNode.unlimited(TestNode.config("artemis", broker.url()))
                .with(ServerSettings.EVENT_LOOPS, 1)
                .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
                .with(ServerSettings.TLS_KEY, certificate.key().toString()));
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static EventClient other() {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .sslContext(certificate.trust())
            .build();
    return EventClient.open(http, "https://localhost:" + node.gateway().port() + "/topics/calm");
  }

  private static void assertServed(EventClient other, String text) throws Exception {
    publisher.text("calm", text);
    assertThat(other.messages(1)).containsExactly(text);
  }

  /** Flood whose connection the node ends. */
  private enum Flood {
    RAPID_RESET(10_000) {
      @Override
      byte[] frames(int number) {
        int stream = 2 * number + 1;
        return join(
            frame(HEADERS, END_STREAM | END_HEADERS, stream, events("/topics/calm")),
            frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
      }
    },
    SETTINGS_UNREAD(2_000_000) {
      @Override
      byte[] frames(int number) {
        return frame(SETTINGS, 0, 0, new byte[0]);
      }
    },
    PINGS_UNREAD(2_000_000) {
      @Override
      byte[] frames(int number) {
        return frame(PING, 0, 0, new byte[8]);
      }
    },
    CONTINUATIONS(10_000) {
      @Override
      byte[] frames(int number) {
        return number == 0
            ? frame(HEADERS, END_STREAM, 1, events("/topics/calm"))
            : frame(CONTINUATION, 0, 1, new byte[] {0x0f, 0x04, 1, 'x'});
      }
    };

    final int count;

    Flood(int count) {
      this.count = count;
    }

    abstract byte[] frames(int number);
  }

  private static byte[] join(byte[]... all) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] each : all) {
      joined.writeBytes(each);
    }
    return joined.toByteArray();
  }

  /** Returns false if the node has ended the connection meanwhile. */
  private static boolean send(Http2Bytes connection, Flood flood) {
    try {
      for (int i = 0; i < flood.count; ) {
        ByteArrayOutputStream some = new ByteArrayOutputStream();
        for (int end = Math.min(flood.count, i + 500); i < end; i++) {
          some.writeBytes(flood.frames(i));
        }
        connection.write(some.toByteArray());
      }
      return true;
    } catch (IOException ended) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndAFlood(Flood flood) throws Exception {
    try (EventClient other = other();
        Http2Bytes connection = Http2Bytes.open(certificate, node.gateway().port())) {
      assertServed(other, "before");
      boolean isOpen = send(connection, flood);
      assertServed(other, "beside");
      assertThat(isOpen && !connection.readTo(Http2Bytes.GOAWAY)).as("still open").isFalse();
      assertServed(other, "behind");
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(node.metric("sluice_connections")).as("clients left").isZero());
  }

  @Test
  void shouldBoundTheStreamsOfAConnection() throws Exception {
    try (EventClient other = other();
        Http2Bytes connection = Http2Bytes.open(certificate, node.gateway().port())) {
      for (int i = 0; i < 10_000; i++) {
        try {
          connection.write(
              frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 1, events("/topics/calm")));
        } catch (IOException ended) {
          break;
        }
      }
      assertServed(other, "beside");
      assertThat(node.metric("sluice_connections")).isLessThanOrEqualTo(MAX_STREAMS + 1);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(node.metric("sluice_connections")).as("clients left").isZero());
  }
}
