package io.sluice.loadtest.broker.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.broker.price.PriceFiles;
import org.junit.jupiter.api.Test;

class BrokerWorkloadTest {
  @Test
  void shouldCountReceiversPerTopic() {
    BrokerWorkload workload = workload(Mode.TOPIC, 3, 3, 7, 0);

    assertThat(workload.receiversOf(0)).isEqualTo(3);
    assertThat(workload.receiversOf(1)).isEqualTo(2);
    assertThat(workload.receiversOf(2)).isEqualTo(2);
  }

  @Test
  void shouldCountOneReceiverPerQueue() {
    assertThat(workload(Mode.QUEUE, 1, 1, 7, 0).receiversOf(0)).isEqualTo(1);
  }

  @Test
  void shouldCountSessions() {
    assertThat(workload(Mode.QUEUE, 1, 1, 7, 0).sessionsFor(7)).isEqualTo(7);
    assertThat(workload(Mode.QUEUE, 1, 1, 7, 2).sessionsFor(7)).isEqualTo(2);
    assertThat(workload(Mode.QUEUE, 1, 1, 7, 20).sessionsFor(7)).isEqualTo(7);
  }

  @Test
  void shouldDescribeItself() {
    assertThat(workload(Mode.QUEUE, 1, 2, 7, 0).described().name()).isEqualTo("queue 2-7");
    assertThat(workload(Mode.TOPIC, 3, 3, 7, 0).described().name()).isEqualTo("3 topics 3-7");
  }

  private static BrokerWorkload workload(
      Mode mode, int destinations, int producers, int consumers, int sessions) {
    return new BrokerWorkload(
        "test",
        mode,
        1,
        sessions,
        destinations,
        producers,
        consumers,
        0,
        4,
        MessageType.TEXT,
        100,
        0,
        false,
        Acknowledge.AUTO,
        "",
        false,
        PriceFiles.NONE);
  }
}
