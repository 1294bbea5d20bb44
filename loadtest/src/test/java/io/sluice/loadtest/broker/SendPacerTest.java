package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SendPacerTest {
  @Test
  void shouldScheduleMessagesIndependentOfSendTime() {
    TrialPhase ended = new TrialPhase();
    ended.end(); // ends the wait
    SendPacer pace = new SendPacer(100);

    long first = pace.awaitNext(ended);
    pace.awaitNext(ended);
    long third = pace.awaitNext(ended);

    assertThat(third - first).isEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void shouldKeepRecordedIntervals() {
    TrialPhase ended = new TrialPhase();
    ended.end(); // ends the wait
    SendPacer pace = new SendPacer(0);

    long first = pace.awaitOffset(5_000, ended);
    long second = pace.awaitOffset(12_000, ended);

    assertThat(second - first).isEqualTo(7_000);
  }

  @Test
  void shouldNotSendBeforeDueTime() {
    SendPacer pace = new SendPacer(1_000);
    TrialPhase phase = new TrialPhase();
    pace.awaitNext(phase);

    long due = pace.awaitNext(phase);

    assertThat(System.nanoTime()).isGreaterThanOrEqualTo(due);
  }
}
