package io.sluice.gateway.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.limits.QuotaLimits;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.testkit.PrometheusText;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
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

  private PendingHandshakes loop(int most) {
    return new PendingHandshakes(
        metrics, 10_000, most, null, null, places(Config.defaults(), metrics));
  }

  static HandshakeQuota places(Config config, GatewayMetrics metrics) {
    return new HandshakeQuota(
        new ClientAddresses(ClientAddresses.Options.of(config)),
        QuotaLimits.ofAddress(config).connections(),
        metrics);
  }

  private HandshakeQuota places(Config config) {
    return places(config.with(LimitSettings.ADDRESS_CONNECTIONS, 2), metrics);
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
  void shouldCutTheOldestOfAnAddressThatHasTooManyOverAllLoops() {
    HandshakeQuota places = places(Config.defaults());
    PendingHandshakes one = loop(places);
    PendingHandshakes another = loop(places);
    List<From> silent = new ArrayList<>();
    silent.add(added(one, "192.0.2.1"));
    silent.add(added(one, "192.0.2.1"));
    From other = added(one, "192.0.2.2");
    silent.add(added(another, "192.0.2.1"));
    silent.add(added(one, "192.0.2.1"));
    assertThat(silent.stream().map(From::isOpen)).containsExactly(false, false, true, true);
    assertThat(other.isOpen()).isTrue();
    assertThat(refused("too-many")).isEqualTo(2);
    assertThat(reached()).isEqualTo(2);
    one.cutOverdue(Long.MAX_VALUE);
    another.cutOverdue(Long.MAX_VALUE);
    assertThat(places.size()).isZero();
  }

  @Test
  void shouldMakeRoomAtTheAddressThatHasTheMost() {
    PendingHandshakes handshakes = loop(4);
    From early = added(handshakes, "192.0.2.9");
    List<From> silent = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      silent.add(added(handshakes, "192.0.2.1"));
    }
    assertThat(early.isOpen()).isTrue();
    assertThat(silent.stream().filter(From::isOpen)).hasSize(3);
    assertThat(silent.get(1_099).isOpen()).isTrue();
    From newcomer = added(handshakes, "192.0.2.2");
    assertThat(newcomer.isOpen()).isTrue();
    assertThat(silent.get(1_097).isOpen()).as("the oldest of three").isFalse();
    assertThat(refused("too-many")).isEqualTo(1_098);
  }

  @Test
  void shouldCutTheOldestOfAllWhereNoAddressHasMoreThanOne() {
    PendingHandshakes handshakes = loop(2);
    From first = added(handshakes, "192.0.2.1");
    From second = added(handshakes, "192.0.2.2");
    assertThat(added(handshakes, "192.0.2.3").isOpen()).isTrue();
    assertThat(first.isOpen()).isFalse();
    assertThat(second.isOpen()).isTrue();
  }

  @Test
  void shouldCountThePrefixOfAnIpv6AddressAsOne() {
    PendingHandshakes handshakes = loop(3);
    From other = added(handshakes, "2001:db8:2::1");
    From first = added(handshakes, "2001:db8:1::1");
    added(handshakes, "2001:db8:1::2");
    assertThat(added(handshakes, "2001:db8:3::1").isOpen()).isTrue();
    assertThat(first.isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
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
    HandshakeQuota places =
        places(Config.defaults().with(LimitSettings.ADDRESS_CONNECTIONS, 0), metrics);
    assertThat(added(loop(places), "192.0.2.1").isOpen()).isTrue();
    assertThat(places.size()).isZero();
  }

  @Test
  void shouldCloseAConnectionThatHasNoOtherEndAnyMore() {
    List<AddressRange> anybody = AddressRange.parse("0.0.0.0/0").stream().toList();
    for (List<AddressRange> proxies : List.of(List.<AddressRange>of(), anybody)) {
      PendingHandshakes handshakes =
          new PendingHandshakes(
              metrics, 10_000, 10_000, proxies, null, places(Config.defaults(), metrics));
      Gone channel = new Gone();
      handshakes.add(channel, 0);
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
