package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.testkit.LoggedEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RefusedHandshakesTest {
  private static final int AUDIT_RATE = 30;
  private static final String REFUSED = "client.refused";
  private static final String ORIGIN_REFUSED = "client.origin-refused";

  private final Exposition exposition = new Exposition("refused-handshakes-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final AtomicLong nowNs = new AtomicLong();
  private final List<String> told = new ArrayList<>();
  private final RefusedHandshakes refused =
      new RefusedHandshakes(
          new RefusalLog(metrics, nowNs::get), new Told(), AUDIT_RATE, nowNs::get);

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** Records refusals in a short form. */
  private final class Told implements AuditLog {
    @Override
    public boolean isRecorded(AuditEvent event) {
      return event == AuditEvent.REFUSED;
    }

    @Override
    public void refused(AuditLog.Client peer, String what, AuditLog.Resource resource, String why) {
      told.add(peer.address() + " " + what + " " + why);
    }
  }

  @Test
  void shouldLogTheAddressAndStatus() {
    refused.add("192.0.2.1", Refusal.origin(), "https://a.example");
    refused.add("192.0.2.2", Refusal.tooMany("too many"), null);

    assertThat(told).containsExactly("192.0.2.1 handshake 403", "192.0.2.2 handshake 429");
  }

  @Test
  void shouldNotLogChallenges() {
    refused.add("192.0.2.1", Refusal.unauthorized(), null);

    assertThat(told).isEmpty();
    assertThat(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8))
        .contains("cause=\"401\"");
  }

  @Test
  void shouldLogOneRefusedOriginPerMinute() {
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class)) {
      for (int i = 1; i <= 3; i++) {
        refused.add("192.0.2." + i, Refusal.origin(), "https://app" + i + ".example");
      }
      assertThat(logged.names()).containsExactly(ORIGIN_REFUSED);
      assertThat(logged.pairs(ORIGIN_REFUSED))
          .containsExactly(
              "origin=\"https://app1.example\"",
              "address=\"192.0.2.1\"",
              "key=\"server.allowed-origins\"",
              "times=\"1\"");

      nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
      refused.add("192.0.2.4", Refusal.origin(), "null");
      assertThat(logged.names()).hasSize(2);
      assertThat(logged.pairs(ORIGIN_REFUSED)).contains("origin=\"null\"", "times=\"3\"");
    }
  }

  @Test
  void shouldLogOnlyThePrintableBeginningOfAnOrigin() {
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class)) {
      String page = "https://\u00e4 \u0007";
      refused.add("192.0.2.1", Refusal.origin(), page + "a".repeat(100_000));

      assertThat(logged.pairs(ORIGIN_REFUSED).get(0))
          .startsWith("origin=\"https://???aaa")
          .hasSizeLessThan(300);
    }
  }

  @Test
  void shouldLogOneRefusalOfEachCausePerMinute() {
    try (LoggedEvents logged = LoggedEvents.of(RefusalLog.class, Level.INFO)) {
      for (int i = 1; i <= 3; i++) {
        refused.add("192.0.2." + i, Refusal.tooMany("too many"), "https://app.example");
        refused.add("192.0.2." + i, Refusal.unavailable("draining", "it drains"), null);
        refused.addPage(404, "192.0.2." + i, "/a\u0007b");
      }
      assertThat(logged.names()).containsExactly(REFUSED, REFUSED, REFUSED);
      assertThat(logged.pairs(REFUSED))
          .containsExactly(
              "cause=\"not-found\"", "address=\"192.0.2.1\"", "path=\"/a?b\"", "times=\"1\"");
      assertThat(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8))
          .contains("cause=\"429\"} 3", "cause=\"503\"} 3", "cause=\"404\"} 3");

      nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
      refused.add("192.0.2.4", Refusal.tooMany("too many"), null);
      assertThat(logged.pairs(REFUSED))
          .containsExactly(
              "cause=\"too-many\"", "address=\"192.0.2.4\"", "reason=\"too many\"", "times=\"3\"");
    }
  }

  @Test
  void shouldUseAPartOfTheAuditLogsRateOnly() {
    for (int i = 0; i < AUDIT_RATE; i++) {
      refused.add("192.0.2.1", Refusal.tooMany("too many"), null);
    }
    assertThat(told).hasSize(AUDIT_RATE / 10);

    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
    refused.add("192.0.2.1", Refusal.tooMany("too many"), null);
    assertThat(told).hasSize(AUDIT_RATE / 10 + 1);
  }
}
