package io.sluice.loadtest.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RunTableTest {
  private static final String HEAD =
      "use,series,mode,topics,rate,bytes,clients,frames_per_s,node_cores";
  private static final String ROW = "fit,one,tls,100,10,512,1000,10000,0.2";

  @Test
  void shouldReadRuns() {
    assertThat(RecordedRun.of(table(HEAD, ROW, "")))
        .containsExactly(
            new RecordedRun(false, "one", TransportMode.TLS, 100, 10, 512, 1000, 10_000, 0.2));
  }

  @Test
  void shouldDeriveMessages() {
    RecordedRun run = RecordedRun.of(table(HEAD, ROW)).get(0);

    assertThat(run.load().messages()).isEqualTo(1000);
  }

  @Test
  void shouldNamePlaceOfInvalidValue() {
    assertInvalid("runs.csv:2: use 'fits': expected fit or held-out", "fit", "fits");
    assertInvalid("runs.csv:2: mode 'tsl': expected plain or tls", "tls", "tsl");
    assertInvalid("runs.csv:2: node_cores 'many' is not a number", "0.2", "many");
    assertInvalid("runs.csv:2: node_cores 0: must be above 0", "0.2", "0");
    assertInvalid("runs.csv:2: rate -1: must be at least 0", ",10,", ",-1,");
    assertInvalid("runs.csv:2: 10 columns; expected 9", "one,tls", "one,tls,tls");
  }

  @Test
  void shouldRejectOtherColumns() {
    assertThatThrownBy(() -> RecordedRun.of(table("use,mode", ROW)))
        .hasMessageStartingWith("runs.csv:1: expected the column names use,series,mode");
    assertThatThrownBy(() -> RecordedRun.of(table()))
        .hasMessageStartingWith("runs.csv:1: expected the column names");
  }

  private static void assertInvalid(String message, String from, String to) {
    assertThatThrownBy(() -> RecordedRun.of(table(HEAD, ROW.replaceFirst(from, to))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static RunTable table(String... lines) {
    return new RunTable("runs.csv", List.of(lines));
  }
}
