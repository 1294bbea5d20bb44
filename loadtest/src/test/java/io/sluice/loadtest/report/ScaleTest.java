package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.report.Scale.Tick;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ScaleTest {
  @Test
  void aLinearScaleBeginsAt0AndHasRoomAboveTheMost() {
    Scale scale = LinearScale.to(20_000);

    assertThat(labels(scale)).containsExactly("0", "5,000", "10,000", "15,000", "20,000", "25,000");
    assertThat(scale.share(0)).isZero();
    assertThat(scale.share(12_500)).isEqualTo(0.5);
  }

  @Test
  void aLinearScaleNamesSmallSteps() {
    assertThat(labels(LinearScale.to(0.12))).contains("0.05", "0.10").last().isEqualTo("0.15");
    assertThat(labels(LinearScale.to(0))).containsExactly("0", "1");
  }

  @Test
  void aScaleOfTimeEndsWithIt() {
    Scale scale = LinearScale.until(70);

    assertThat(scale.share(70)).isEqualTo(1);
    assertThat(labels(scale)).containsExactly("0", "20", "40", "60");
  }

  @Test
  void aLogarithmicScaleHoldsAllValuesBetweenRoundNumbers() {
    Scale scale = LogScale.of(DoubleStream.of(0.7, 0, 30));

    assertThat(labels(scale)).containsExactly("0.5", "1", "2", "5", "10", "20", "50");
    assertThat(scale.share(0)).isZero();
    assertThat(scale.share(5)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void aLogarithmicScaleOfNothingIsAScaleAllTheSame() {
    assertThat(labels(LogScale.of(DoubleStream.empty()))).containsExactly("1", "2", "5");
  }

  @Test
  void eachNineOfATailTakesTheSameRoom() {
    Scale scale = TailScale.of(10_000);

    assertThat(labels(scale)).containsExactly("0", "90", "99", "99.9", "99.99");
    assertThat(scale.share(0)).isZero();
    assertThat(scale.share(90)).isCloseTo(0.25, within(1e-9));
    assertThat(scale.share(99.9)).isCloseTo(0.75, within(1e-9));
    assertThat(scale.share(100)).isEqualTo(1);
  }

  private static List<String> labels(Scale scale) {
    return scale.ticks().stream().map(Tick::label).toList();
  }
}
