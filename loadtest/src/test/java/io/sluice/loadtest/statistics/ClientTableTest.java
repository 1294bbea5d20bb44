package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClientTableTest {
  @Test
  void shouldReadColumnsByName() {
    ClientTable table = parse("client, mean_ms", "1, 2.5", "", "2, 3");

    assertThat(table.names()).containsExactly("client", "mean_ms");
    assertThat(table.column("mean_ms")).containsExactly(2.5, 3);
  }

  @Test
  void shouldNameMissingColumns() {
    assertThatThrownBy(() -> parse("client,mean_ms", "1,2").column("p99_ms"))
        .hasMessage("t.csv: no column p99_ms; columns are client, mean_ms");
    assertThatThrownBy(() -> parse("client,mean_ms", "1,2", "2"))
        .hasMessage("t.csv:3: 1 columns; expected 2");
    assertThatThrownBy(() -> parse("client,mean_ms"))
        .hasMessage("t.csv: expected a line of column names and at least one row");
    assertThatThrownBy(() -> parse("a,a", "1,2"))
        .hasMessage("t.csv:1: the name of column 2 is empty or a duplicate");
  }

  @Test
  void shouldRejectInvalidNumbers() {
    assertThatThrownBy(() -> parse("mean_ms", "fast"))
        .hasMessage("t.csv:2: mean_ms is not a number: fast");
    assertThatThrownBy(() -> parse("mean_ms", "-1"))
        .hasMessage("t.csv:2: mean_ms must be at least 0: -1");
    assertThatThrownBy(() -> parse("mean_ms", "NaN"))
        .hasMessage("t.csv:2: mean_ms must be at least 0: NaN");
  }

  private static ClientTable parse(String... lines) {
    return ClientTable.parse("t.csv", List.of(lines));
  }
}
