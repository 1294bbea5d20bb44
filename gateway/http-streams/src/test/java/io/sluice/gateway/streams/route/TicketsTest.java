package io.sluice.gateway.streams.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Credential;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests when a ticket is valid. */
final class TicketsTest {
  private static final Ticket TICKET =
      new Ticket(new Credential.Token("secret token"), List.of("a.*", "b"));

  private final AtomicLong clock = new AtomicLong(1_763_700_000_000L);
  private final Tickets first = new Tickets("a secret of the cluster", clock::get);
  private final Tickets second = new Tickets("a secret of the cluster", clock::get);

  @Test
  void shouldBeRedeemedOnceByAnyNodeOfTheCluster() {
    first.join(second::onMessage);
    first.onView(List.of("second"));
    second.join(first::onMessage);
    second.onView(List.of("first"));
    String text = first.issue(TICKET);
    assertThat(text).doesNotContain("secret").matches("[A-Za-z0-9_-]+");
    assertThat(second.redeem(text)).isEqualTo(TICKET);
    assertThat(second.redeem(text)).as("again").isNull();
    assertThat(first.redeem(text)).as("at another node").isNull();
    assertThat(first.redeem(first.issue(TICKET))).as("another ticket").isEqualTo(TICKET);
  }

  @Test
  void shouldExpire() {
    String text = first.issue(TICKET);
    clock.addAndGet(Tickets.LIFETIME.toMillis());
    assertThat(first.redeem(text)).isNull();
  }

  @Test
  void shouldRefuseWhatTheClusterHasNotSealed() {
    String text = new Tickets("", clock::get).issue(TICKET);
    assertThat(first.redeem(text)).as("of another key").isNull();
    assertThat(first.redeem("")).isNull();
    assertThat(first.redeem("%")).isNull();
    assertThat(first.redeem("AAAA")).isNull();
    String own = first.issue(TICKET);
    char last = own.charAt(own.length() / 2);
    String forged =
        own.substring(0, own.length() / 2)
            + (last == 'A' ? 'B' : 'A')
            + own.substring(own.length() / 2 + 1);
    assertThat(first.redeem(forged)).as("changed").isNull();
    assertThat(first.redeem(own)).isEqualTo(TICKET);
  }

  @Test
  void shouldIgnoreOtherMessagesOfNodes() {
    first.onMessage("second", new byte[0]);
    first.onMessage("second", new byte[] {Tickets.CHANNEL, 1});
    assertThat(first.redeem(first.issue(TICKET))).isEqualTo(TICKET);
  }

  @Test
  void shouldBeBoundToTopics() {
    assertThat(TICKET.uncovered(List.of("b", "a.1", "a.*"))).isNull();
    assertThat(TICKET.uncovered(List.of("b", "a.>"))).isEqualTo("a.>");
    assertThat(TICKET.uncovered(List.of("c"))).isEqualTo("c");
  }
}
