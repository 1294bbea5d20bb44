package io.sluice.loadtest.broker.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownTableTest {
  @Test
  void shouldAlignColumns() {
    MarkdownTable table = new MarkdownTable("what", "n");
    table.row(List.of("a", "1000"));

    assertThat(table.toText())
        .isEqualTo(
            """
            | what |    n |
            |:-----|-----:|
            | a    | 1000 |
            """);
  }

  @Test
  void shouldRejectRowWithOtherNumberOfCells() {
    assertThatThrownBy(() -> new MarkdownTable("what").row(List.of("a", "b")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldShowStudentsIntervalOverRuns() {
    // t for 2 degrees of freedom is 4.303, the standard error of 1, 2, 3 is 1/sqrt(3); no figure is
    // below 0.
    assertThat(MarkdownTable.figure(new double[] {1, 2, 3}, 2)).isEqualTo("2.00 (0.00 to 4.48)");
  }

  @Test
  void shouldShowNoIntervalForSingleRun() {
    assertThat(MarkdownTable.figure(new double[] {1.25}, 2)).isEqualTo("1.25");
  }

  @Test
  void shouldShowDashForMissingFigure() {
    assertThat(MarkdownTable.figure(new double[] {1, Double.NaN}, 2)).isEqualTo("–");
  }
}
