package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
  @Test
  void messagesAreDueAtTheirTimesHoweverLateTheyAreSent() {
    Stage ended = new Stage();
    ended.end(); // so that nobody waits
    Pace pace = new Pace(100);

    long first = pace.awaitNext(ended);
    pace.awaitNext(ended);
    long third = pace.awaitNext(ended);

    assertThat(third - first).isEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void nobodySendsBeforeAMessageIsDue() {
    Pace pace = new Pace(1_000);
    Stage stage = new Stage();
    pace.awaitNext(stage);

    long due = pace.awaitNext(stage);

    assertThat(System.nanoTime()).isGreaterThanOrEqualTo(due);
  }
}
