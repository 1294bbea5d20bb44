package io.sluice.gatling;

import static io.sluice.gatling.SluiceDsl.sluice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gatling.engine.NodeAddress;
import io.sluice.gatling.engine.SluiceProtocol;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SluiceProtocolBuilderTest {
  @Test
  void shouldRetainEverySetting() {
    SluiceProtocol protocol =
        (SluiceProtocol)
            sluice
                .url("ws://a/ws", "wss://b:9443/#{path}")
                .token("#{token}")
                .header("Origin", "https://example.com")
                .encoding(SluiceProtocolBuilder.Encoding.JSON)
                .compression()
                .acceptAnyCertificate()
                .connectTimeout(Duration.ofSeconds(1))
                .answerTimeout(Duration.ofSeconds(2))
                .maxMessageBytes(1)
                .maxLoggedPerSecond(0)
                .protocol();

    assertThat(protocol.urls()).hasSize(2);
    assertThat(protocol.token()).hasToString("#{token}");
    assertThat(protocol.headers()).containsOnlyKeys("Origin");
    assertThat(protocol.isBinary()).isFalse();
    assertThat(protocol.isCompressed()).isTrue();
    assertThat(protocol.acceptsAnyCertificate()).isTrue();
    assertThat(protocol.connectTimeout()).hasSeconds(1);
    assertThat(protocol.answerTimeout()).hasSeconds(2);
    assertThat(protocol.maxMessageBytes()).isEqualTo(1);
    assertThat(protocol.maxLoggedPerSecond()).isZero();
  }

  @Test
  void shouldRefuseInvalidSettings() {
    assertThatThrownBy(sluice::protocol).hasMessageContaining("has no address");
    assertThatThrownBy(() -> sluice.url()).hasMessage("url requires at least one address");
    assertThatThrownBy(() -> sluice.url("http://a/ws"))
        .hasMessageContaining("must be like wss://example.com/ws")
        .hasMessageContaining("not \"http://a/ws\"");
    assertThatThrownBy(() -> sluice.connectTimeout(Duration.ZERO))
        .hasMessage("connectTimeout must be positive, not PT0S");
    assertThatThrownBy(() -> sluice.answerTimeout(Duration.ofMillis(-1)))
        .hasMessage("answerTimeout must be positive, not PT-0.001S");
    assertThatThrownBy(() -> sluice.maxMessageBytes(0))
        .hasMessage("maxMessageBytes must be at least 1, not 0");
    assertThatThrownBy(() -> sluice.maxLoggedPerSecond(-1))
        .hasMessage("maxLoggedPerSecond must be at least 0, not -1");
  }

  @Test
  void shouldRefuseInvalidOptionsOfActions() {
    SluiceRequest request = sluice("quotes");

    assertThatThrownBy(() -> request.subscribe("a").last(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> request.subscribe("a").last(1_000_001))
        .hasMessage("last must be 1 to 1,000,000, not 1000001");
    assertThatThrownBy(() -> request.subscribe("a").rate(1_000.1))
        .hasMessage("rate must be 0.001 to 1,000, not 1000.1");
    assertThatThrownBy(() -> request.subscribe("a").rate(0.0009)).hasMessageContaining("9.0E-4");
    assertThatThrownBy(() -> request.consume("a").credit(-1))
        .hasMessage("credit must be at least 0, not -1");
    assertThatThrownBy(() -> request.publish("a").priority(10))
        .hasMessage("priority must be 0 to 9, not 10");
    assertThatThrownBy(() -> request.publish("a").ttl(Duration.ofNanos(999_999)))
        .hasMessage("ttl in ms must be at least 1, not 0");
    assertThatThrownBy(() -> request.await(0)).hasMessage("await must be at least 1, not 0");
    assertThatThrownBy(() -> request.awaitFor(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> request.request("a").check(SluiceDsl.count().is(1)))
        .hasMessage("seq, age and count do not apply to a reply");
  }

  @Test
  void shouldReadAddresses() {
    assertThat(NodeAddress.parse("ws://a")).isEqualTo(new NodeAddress(false, "a", 80, "/"));
    assertThat(NodeAddress.parse("wss://a/ws?auth=x"))
        .isEqualTo(new NodeAddress(true, "a", 443, "/ws?auth=x"));
    assertThatThrownBy(() -> NodeAddress.parse("ws://a/ws#part")).hasMessageContaining("fragment");
    assertThatThrownBy(() -> NodeAddress.parse("ws:// a")).hasMessageContaining("\"ws:// a\"");
  }
}
