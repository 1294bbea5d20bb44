package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.IdentityState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IdentityCheckTest {
  private final List<IdentityState> states = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final IdentityCheck check = newCheck("");

  private IdentityCheck newCheck(String property) {
    return new IdentityCheck(
        property,
        (state, reason) -> {
          states.add(state);
          reasons.add(reason);
        });
  }

  private static void pass(IdentityCheck check, long number, String sent, String one, String two) {
    check.onReceived(1, number, two);
    check.onSent(number, sent);
    check.onReceived(0, number, one);
  }

  private void pass(long from, long to) {
    for (long number = from; number <= to; number++) {
      pass(check, number, "ID:" + number, "ID:" + number, "ID:" + number);
    }
  }

  @Test
  void shouldVerifyEqualIds() {
    pass(1, IdentityCheck.ENOUGH - 1);
    assertThat(states).isEmpty();
    assertThat(check.missing()).isEqualTo(1);
    pass(IdentityCheck.ENOUGH, IdentityCheck.ENOUGH);
    assertThat(states).containsExactly(IdentityState.VERIFIED);
    assertThat(check.missing()).isZero();
  }

  @Test
  void shouldCountACanaryOnce() {
    for (int i = 0; i < 2 * IdentityCheck.ENOUGH; i++) {
      pass(1, 1);
    }
    assertThat(states).isEmpty();
  }

  @Test
  void shouldIgnoreACanaryThatOneConsumerMisses() {
    for (long number = 1; number < 1_000; number++) {
      check.onSent(number, "ID:" + number);
      check.onReceived(0, number, "ID:" + number);
    }
    assertThat(states).isEmpty();
  }

  @Test
  void shouldRefuteIdsThatDifferBetweenConsumers() {
    pass(check, 1, "ID:1", "ID:1", "ID:2");
    assertThat(states).containsExactly(IdentityState.REFUTED);
    assertThat(reasons.get(0)).contains("two consumers");
  }

  @Test
  void shouldRefuteIdsThatThePublisherDoesNotHave() {
    pass(check, 1, "ID:1", "ID:2", "ID:2");
    assertThat(states).containsExactly(IdentityState.REFUTED);
  }

  @Test
  void shouldAcceptAPublisherThatDoesNotKnowTheId() {
    for (long number = 1; number <= IdentityCheck.ENOUGH; number++) {
      pass(check, number, null, "ID:" + number, "ID:" + number);
    }
    assertThat(states).containsExactly(IdentityState.VERIFIED);
  }

  @Test
  void shouldRefuteRepeatedIds() {
    pass(1, 3);
    pass(check, 4, "ID:2", "ID:2", "ID:2");
    assertThat(states).containsExactly(IdentityState.REFUTED);
    assertThat(reasons.get(0)).contains("repeats");
  }

  @Test
  void shouldRefuteMissingIds() {
    pass(1, IdentityCheck.ENOUGH);
    check.onReceived(1, 100, null);
    assertThat(states).containsExactly(IdentityState.VERIFIED, IdentityState.REFUTED);
  }

  @Test
  void shouldRefuteAnIdThatChangesWithARedelivery() {
    check.onReceived(0, 1, "ID:1");
    check.onReceived(0, 1, "ID:2");
    assertThat(states).containsExactly(IdentityState.REFUTED);
  }

  @Test
  void shouldRemainRefuted() {
    pass(check, 1, "ID:1", "ID:1", "ID:2");
    pass(2, 2 + 2 * IdentityCheck.ENOUGH);
    assertThat(states).containsExactly(IdentityState.REFUTED);
    assertThat(check.isUnknown()).isFalse();
  }

  @Test
  void shouldVerifyRefutedIdsAgainAfterAReconnect() {
    pass(1, IdentityCheck.ENOUGH);
    pass(check, 100, "ID:100", "ID:100", "ID:other");
    assertThat(check.missing()).isZero();
    check.onConnected();
    assertThat(check.missing()).isEqualTo(IdentityCheck.ENOUGH);
    pass(200, 198 + IdentityCheck.ENOUGH);
    check.onConnected(); // counts on without a contradiction
    assertThat(states).endsWith(IdentityState.REFUTED);
    pass(300, 300);
    assertThat(states)
        .containsExactly(IdentityState.VERIFIED, IdentityState.REFUTED, IdentityState.VERIFIED);
  }

  @Test
  void shouldOnlyRefuteAProperty() {
    IdentityCheck property = newCheck("uid");
    for (long number = 1; number <= 2 * IdentityCheck.ENOUGH; number++) {
      pass(property, number, "" + number, "" + number, "" + number);
    }
    assertThat(states).isEmpty();
    property.onReceived(0, 100, null);
    assertThat(states).containsExactly(IdentityState.REFUTED);
    assertThat(reasons.get(0)).contains("uid");
    property.onConnected();
    for (long number = 200; number < 200 + IdentityCheck.ENOUGH; number++) {
      pass(property, number, "" + number, "" + number, "" + number);
    }
    assertThat(states).containsExactly(IdentityState.REFUTED, IdentityState.PROPERTY);
  }
}
