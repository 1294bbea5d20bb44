package io.sluice.loadtest.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.chart.Chart.Axis;
import io.sluice.loadtest.chart.Chart.Point;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ChartTest {
  @Test
  void shouldEndALogarithmicAxisAtRoundNumbers() {
    Axis axis = Axis.log("ms", DoubleStream.of(0.7, 0, 30));

    assertThat(axis.options()).containsEntry("min", 0.5).containsEntry("max", 50.0);
    assertThat(Axis.log("ms", DoubleStream.of(0.02, 0.05)).options())
        .containsEntry("min", 0.02)
        .containsEntry("max", 0.1);
    assertThat(Axis.log("ms", DoubleStream.empty()).options())
        .containsEntry("min", 1.0)
        .containsEntry("max", 5.0);
  }

  @Test
  void shouldLabelPercentileAxis() {
    assertThat(Axis.tail("%", 10_000).options())
        .containsEntry("max", 10_000.0)
        .containsEntry(
            "labels", Map.of("1", "0", "10", "90", "100", "99", "1000", "99.9", "10000", "99.99"));
  }

  @Test
  void shouldClipIntervalToAxis() {
    Chart chart = new Chart("title", Axis.linear("1/s"), Axis.log("ms", DoubleStream.of(1, 10)));

    chart.interval(0, new Point(5, -3), new Point(5, 4), new Point(5, 11), "4 ± 7");

    Markup page = new Markup();
    chart.write(page);
    assertThat(page.toString()).contains("[5.0,1.0]", "[5.0,4.0]", "[5.0,10.0]");
  }

  @Test
  void shouldDrawALonePointAndInterruptALineAtNaN() {
    Chart chart = new Chart("title", Axis.until("s", 10), Axis.log("ms", DoubleStream.of(1, 10)));

    chart.line(
        7,
        "name",
        List.of(new Point(0, 0.1), new Point(1, Double.NaN), new Point(2, 3), new Point(3, 4.5)));

    Markup page = new Markup();
    chart.write(page);
    assertThat(page.toString())
        .contains(
            "\"data\":[{\"symbol\":\"circle\",\"value\":[0.0,1.0]},[1.0,null],[2.0,3.0],[3.0,4.5]]")
        .contains("\"color\":\"var(--s1)\",\"type\":[6,2.5],\"width\":3.2");
  }
}
