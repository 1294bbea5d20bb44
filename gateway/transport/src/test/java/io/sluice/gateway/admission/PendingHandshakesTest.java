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
import io.sluice.gateway.socket.AcceptedChannel;
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

  /** Channel of NIO whose client disconnected before the event loop accepted it. */
  private static final class Disconnected extends EmbeddedChannel {
    @Override
    protected SocketAddress remoteAddress0() {
      return null;
    }
  }

  /** Channel with a remote address. */
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

  private PendingHandshakes loop(HandshakeQuota quota) {
    return new PendingHandshakes(
        new RefusalLog(metrics, System::nanoTime), 10_000, 10_000, null, null, quota);
  }

  private PendingHandshakes loop(int maxPending) {
    return new PendingHandshakes(
        new RefusalLog(metrics, System::nanoTime),
        10_000,
        maxPending,
        null,
        null,
        quota(Config.defaults(), metrics));
  }

  static HandshakeQuota quota(Config config, GatewayMetrics metrics) {
    return new HandshakeQuota(
        new ClientAddresses(ClientAddresses.Options.of(config)),
        QuotaLimits.ofAddress(config).connections(),
        metrics);
  }

  private HandshakeQuota quota(Config config) {
    return quota(config.with(LimitSettings.ADDRESS_CONNECTIONS, 2), metrics);
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
    handshakes.add(AcceptedChannel.of(channel), 0);
    return channel;
  }

  @Test
  void shouldCloseTheOldestOfAnAddressPastItsQuotaOnAllLoops() {
    HandshakeQuota quota = quota(Config.defaults());
    PendingHandshakes one = loop(quota);
    PendingHandshakes another = loop(quota);
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
    one.closeExpired(Long.MAX_VALUE);
    another.closeExpired(Long.MAX_VALUE);
    assertThat(quota.size()).isZero();
  }

  @Test
  void shouldEndAConnectionWithARequestInTheSecondHalfOfItsTimeout() {
    PendingHandshakes handshakes = loop(quota(Config.defaults()));
    From served = added(handshakes, "192.0.2.1");
    From silent = added(handshakes, "192.0.2.2");
    assertThat(handshakes.isLastRequest(AcceptedChannel.of(served), 5_000)).isFalse();
    assertThat(handshakes.isLastRequest(AcceptedChannel.of(served), 5_001)).isTrue();
    assertThat(handshakes.isLastRequest(AcceptedChannel.of(served), 9_000)).isTrue();
    handshakes.closeExpired(15_000);
    assertThat(silent.isOpen()).isFalse();
    assertThat(served.isOpen()).as("while its response may be in progress").isTrue();
    handshakes.closeExpired(15_001);
    assertThat(served.isOpen()).as("after the timeout of its last request").isFalse();
  }

  @Test
  void shouldCloseTheOldestOfTheAddressWithTheMost() {
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
  void shouldCloseTheOldestIfEachAddressHasOne() {
    PendingHandshakes handshakes = loop(2);
    From first = added(handshakes, "192.0.2.1");
    From second = added(handshakes, "192.0.2.2");
    assertThat(added(handshakes, "192.0.2.3").isOpen()).isTrue();
    assertThat(first.isOpen()).isFalse();
    assertThat(second.isOpen()).isTrue();
  }

  @Test
  void shouldGroupIpv6AddressesByPrefix() {
    PendingHandshakes handshakes = loop(3);
    From other = added(handshakes, "2001:db8:2::1");
    From first = added(handshakes, "2001:db8:1::1");
    added(handshakes, "2001:db8:1::2");
    assertThat(added(handshakes, "2001:db8:3::1").isOpen()).isTrue();
    assertThat(first.isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
  }

  @Test
  void shouldReleaseTheSlotOnEveryEndOfAConnection() {
    HandshakeQuota quota = quota(Config.defaults());
    PendingHandshakes handshakes = loop(quota);
    for (int round = 0; round < 2; round++) {
      From rejected = added(handshakes, "192.0.2.1");
      From gone = added(handshakes, "192.0.2.1");
      handshakes.reject(AcceptedChannel.of(rejected), "unread");
      handshakes.remove(AcceptedChannel.of(gone));
      handshakes.remove(AcceptedChannel.of(gone));
      From failed = added(handshakes, "192.0.2.1");
      From expired = added(handshakes, "192.0.2.1");
      handshakes.onTlsFailed(AcceptedChannel.of(failed));
      handshakes.onAdmitted(AcceptedChannel.of(expired));
      assertThat(quota.size()).isZero();
      assertThat(expired.isOpen()).isTrue();
      handshakes.closeExpired(Long.MAX_VALUE);
      assertThat(expired.isOpen()).isFalse();
      assertThat(quota.size()).isZero();
    }
    assertThat(reached()).isZero();
  }

  @Test
  void shouldNotCountATrustedProxy() {
    HandshakeQuota quota =
        quota(Config.defaults().with(ServerSettings.TRUSTED_PROXIES, List.of("192.0.2.1")));
    PendingHandshakes handshakes = loop(quota);
    for (int i = 0; i < 5; i++) {
      assertThat(added(handshakes, "192.0.2.1").isOpen()).isTrue();
    }
    assertThat(quota.size()).isZero();
  }

  @Test
  void shouldStoreNoAddressWithoutALimit() {
    HandshakeQuota quota =
        quota(Config.defaults().with(LimitSettings.ADDRESS_CONNECTIONS, 0), metrics);
    assertThat(added(loop(quota), "192.0.2.1").isOpen()).isTrue();
    assertThat(quota.size()).isZero();
  }

  @Test
  void shouldCloseAConnectionWhoseClientHasDisconnected() {
    List<AddressRange> anyAddress = AddressRange.parse("0.0.0.0/0").stream().toList();
    for (List<AddressRange> proxies : List.of(List.<AddressRange>of(), anyAddress)) {
      PendingHandshakes handshakes =
          new PendingHandshakes(
              new RefusalLog(metrics, System::nanoTime),
              10_000,
              10_000,
              proxies,
              null,
              quota(Config.defaults(), metrics));
      Disconnected channel = new Disconnected();
      handshakes.add(AcceptedChannel.of(channel), 0);
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
