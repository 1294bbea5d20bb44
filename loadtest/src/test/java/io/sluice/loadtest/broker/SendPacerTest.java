package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SendPacerTest {
  @Test
  void messagesAreDueAtTheirTimesHoweverLateTheyAreSent() {
    TrialPhase ended = new TrialPhase();
    ended.end(); // so that nobody waits
    SendPacer pace = new SendPacer(100);

    long first = pace.awaitNext(ended);
    pace.awaitNext(ended);
    long third = pace.awaitNext(ended);

    assertThat(third - first).isEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void nobodySendsBeforeAMessageIsDue() {
    SendPacer pace = new SendPacer(1_000);
    TrialPhase stage = new TrialPhase();
    pace.awaitNext(stage);

    long due = pace.awaitNext(stage);

    assertThat(System.nanoTime()).isGreaterThanOrEqualTo(due);
  }
}
