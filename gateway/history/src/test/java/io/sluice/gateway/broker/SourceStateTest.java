package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

final class SourceStateTest {
  private final SourceState state = new SourceState();

  @Test
  void shouldNameTheCauseOfTheLastFailedAttempt() {
    state.onUnreachable(new IOException("Unable to validate\nuser: sluice"));
    assertThat(state).hasToString("not connected: Unable to validate user: sluice");
    state.onUnreachable(new UnknownHostException("broker.invalid"));
    assertThat(state).hasToString("not connected: UnknownHostException broker.invalid");
    state.onUnreachable(new IOException());
    assertThat(state).hasToString("not connected: IOException");
  }

  @Test
  void shouldMaskSecretsAndLimitTheLength() {
    state.onUnreachable(new IOException("no way to tcp://me:secret@broker:1?password=secret"));
    assertThat(state.toString()).contains("tcp://***@broker:1").doesNotContain("secret");
    state.onUnreachable(new IOException("x ".repeat(10_000)));
    assertThat(state.toString()).hasSizeLessThan(400);
  }

  @Test
  void shouldCountActiveTopics() {
    state.onOpening(3, 17);
    assertThat(state).hasToString("connected, 3 of 17 topics active");
    state.onLost();
    assertThat(state).hasToString("not connected: the connection was lost");
  }
}
