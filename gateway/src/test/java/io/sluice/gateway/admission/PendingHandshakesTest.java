package io.sluice.gateway.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.PrometheusText;
import io.sluice.gateway.metrics.ScrapeFormat;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PendingHandshakesTest {
  private final Exposition exposition = new Exposition("handshakes-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** As a channel of NIO whose client went before the event loop had its turn. */
  private static final class Gone extends EmbeddedChannel {
    @Override
    protected SocketAddress remoteAddress0() {
      return null;
    }
  }

  /** Comes from an address. */
  private static final class From extends EmbeddedChannel {
    private final String address;

    From(String address) {
      this.address = address;
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(address, 1000);
    }
  }

  private PendingHandshakes loop(HandshakeQuota places) {
    return new PendingHandshakes(metrics, 10_000, 10_000, null, null, places);
  }

  private HandshakeQuota places(Config config) {
    return new HandshakeQuota(config.with(LimitSettings.ADDRESS_CONNECTIONS, 2), metrics);
  }

  private double refused(String cause) {
    return sample("sluice_handshakes_refused_total", "cause", cause);
  }

  private double reached() {
    return sample("sluice_limits_reached_total", "limit", LimitSettings.ADDRESS_CONNECTIONS.key());
  }

  private double sample(String name, String tag, String value) {
    String text = new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8);
    String key = "%s{%s=\"%s\"}".formatted(name, tag, value);
    return Optional.ofNullable(PrometheusText.read(text).get(name))
        .map(family -> family.samples().get(key))
        .orElse(0.0);
  }

  private static From added(PendingHandshakes handshakes, String address) {
    From channel = new From(address);
    handshakes.add(channel, 0);
    return channel;
  }

  @Test
  void shouldCutWhatAnAddressHasTooManyOfOverAllLoops() {
    HandshakeQuota places = places(Config.defaults());
    PendingHandshakes one = loop(places);
    PendingHandshakes another = loop(places);
    assertThat(added(one, "192.0.2.1").isOpen()).isTrue();
    assertThat(added(another, "192.0.2.1").isOpen()).isTrue();
    assertThat(added(one, "192.0.2.1").isOpen()).isFalse();
    assertThat(added(another, "192.0.2.1").isOpen()).isFalse();
    assertThat(added(one, "192.0.2.2").isOpen()).isTrue();
    assertThat(refused("too-many")).isEqualTo(2);
    assertThat(reached()).isEqualTo(2);
  }

  @Test
  void shouldGiveThePlacesOfAnAddressBackHoweverItsConnectionsEnd() {
    HandshakeQuota places = places(Config.defaults());
    PendingHandshakes handshakes = loop(places);
    for (int round = 0; round < 2; round++) {
      From cut = added(handshakes, "192.0.2.1");
      From gone = added(handshakes, "192.0.2.1");
      handshakes.cut(cut, "unread");
      handshakes.remove(gone);
      handshakes.remove(gone);
      From failed = added(handshakes, "192.0.2.1");
      From overdue = added(handshakes, "192.0.2.1");
      handshakes.fail(failed);
      handshakes.onAdmitted(overdue);
      assertThat(places.size()).isZero();
      assertThat(overdue.isOpen()).isTrue();
      handshakes.cutOverdue(Long.MAX_VALUE);
      assertThat(overdue.isOpen()).isFalse();
      assertThat(places.size()).isZero();
    }
    assertThat(reached()).isZero();
  }

  @Test
  void shouldNotCountATrustedProxy() {
    HandshakeQuota places =
        places(Config.defaults().with(ServerSettings.TRUSTED_PROXIES, List.of("192.0.2.1")));
    PendingHandshakes handshakes = loop(places);
    for (int i = 0; i < 5; i++) {
      assertThat(added(handshakes, "192.0.2.1").isOpen()).isTrue();
    }
    assertThat(places.size()).isZero();
  }

  @Test
  void shouldRememberNoAddressWithoutALimit() {
    HandshakeQuota places = new HandshakeQuota(Config.defaults(), metrics);
    assertThat(added(loop(places), "192.0.2.1").isOpen()).isTrue();
    assertThat(places.size()).isZero();
  }

  @Test
  void shouldCloseAConnectionThatHasNoOtherEndAnyMore() {
    List<AddressRange> anybody = AddressRange.parse("0.0.0.0/0").stream().toList();
    for (List<AddressRange> proxies : List.of(List.<AddressRange>of(), anybody)) {
      PendingHandshakes handshakes =
          new PendingHandshakes(
              metrics,
              10_000,
              10_000,
              proxies,
              null,
              new HandshakeQuota(Config.defaults(), metrics));
      Gone channel = new Gone();
      handshakes.add(channel, 0);
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
