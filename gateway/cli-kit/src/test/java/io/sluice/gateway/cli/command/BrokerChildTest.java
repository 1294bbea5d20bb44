package io.sluice.gateway.cli.command;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class BrokerChildTest {
  @Test
  void shouldReportTheReasonOfAFailedStart() {
    assertThatThrownBy(() -> start("echo BROKER FAILED the port is in use; exit 1"))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the broker did not start: the port is in use");
  }

  @Test
  void shouldReportTheExitCodeOfAFailureWithoutAReason() {
    assertThatThrownBy(() -> start("exit 3"))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the broker did not start: its process ended with exit code 3");
  }

  @Tag("full")
  @Test
  void shouldReportStartThatExceedsItsTimeout() {
    assertThatThrownBy(() -> start("exec sleep 600", Duration.ofMillis(300)))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the broker was not ready within 0 s (--start-timeout)");
  }

  private static void start(String script) {
    start(script, Duration.ZERO);
  }

  private static void start(String script, Duration limit) {
    BrokerChild.start(List.of("/bin/sh", "-c", script), limit).close();
  }
}
