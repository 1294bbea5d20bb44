package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClientTableTest {
  @Test
  void readsColumnsByName() {
    ClientTable table = parse("client, mean_ms", "1, 2.5", "", "2, 3");

    assertThat(table.names()).containsExactly("client", "mean_ms");
    assertThat(table.column("mean_ms")).containsExactly(2.5, 3);
  }

  @Test
  void namesWhatIsMissing() {
    assertThatThrownBy(() -> parse("client,mean_ms", "1,2").column("p99_ms"))
        .hasMessage("t.csv: no column p99_ms, only client, mean_ms");
    assertThatThrownBy(() -> parse("client,mean_ms", "1,2", "2"))
        .hasMessage("t.csv:3: 1 columns instead of 2");
    assertThatThrownBy(() -> parse("client,mean_ms"))
        .hasMessage("t.csv: no line of names with rows below it");
    assertThatThrownBy(() -> parse("a,a", "1,2"))
        .hasMessage("t.csv:1: column 2 has no name of its own");
  }

  @Test
  void refusesWhatIsNoLatency() {
    assertThatThrownBy(() -> parse("mean_ms", "fast"))
        .hasMessage("t.csv:2: mean_ms is no number: fast");
    assertThatThrownBy(() -> parse("mean_ms", "-1"))
        .hasMessage("t.csv:2: mean_ms should be 0 or more, not -1");
    assertThatThrownBy(() -> parse("mean_ms", "NaN"))
        .hasMessage("t.csv:2: mean_ms should be 0 or more, not NaN");
  }

  private static ClientTable parse(String... lines) {
    return ClientTable.parse("t.csv", List.of(lines));
  }
}
