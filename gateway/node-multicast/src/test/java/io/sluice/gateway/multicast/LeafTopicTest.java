package io.sluice.gateway.multicast;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.link.LinkGroup.LeafLog;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of entries that arrive by the group in any order. */
final class LeafTopicTest {
  private static final int CHANNEL = 3;
  private static final int REPAIR = -1;

  private final Log log = new Log();
  private final LeafTopic topic = new LeafTopic(1, CHANNEL, 5);

  /** A log that has the entries up to 10. */
  private static final class Log implements LeafLog {
    private final List<Long> received = new ArrayList<>();
    private long offset = 10;
    private boolean full;

    @Override
    public int ref() {
      return 1;
    }

    @Override
    public long epoch() {
      return 5;
    }

    @Override
    public long offset() {
      return offset;
    }

    @Override
    public boolean isFull() {
      return full;
    }

    @Override
    public void onGroupEntry(LinkRecord.Entry entry) {
      received.add(entry.offset());
      offset = entry.offset();
    }
  }

  private int entry(long offset) {
    return entry(offset, 10);
  }

  private int entry(long offset, int bytes) {
    Message message = new Message("t", offset, 0, PayloadKind.TEXT, new byte[bytes], null, "t");
    return topic.onEntry(new LinkRecord.Entry(CHANNEL, offset, message), log);
  }

  @Test
  void shouldPassEachEntryOnce() {
    assertThat(entry(10)).isZero();
    assertThat(entry(11)).isOne();
    assertThat(entry(11)).isZero();
    assertThat(entry(12)).isOne();
    assertThat(log.received).containsExactly(11L, 12L);
  }

  @Test
  void shouldHoldEntriesUntilTheLinkHasPassedTheMissingOnes() {
    assertThat(entry(13)).isZero();
    assertThat(entry(14)).isZero();
    assertThat(topic.passHeld(log)).isZero();
    log.offset = 12; // over the link
    assertThat(topic.passHeld(log)).isEqualTo(2);
    assertThat(log.received).containsExactly(13L, 14L);
  }

  @Test
  void shouldNotPassAHeldEntryThatTheLinkHasPassed() {
    entry(12);
    entry(13);
    log.offset = 12;
    assertThat(topic.passHeld(log)).isOne();
    assertThat(log.received).containsExactly(13L);
  }

  @Test
  void shouldRequestARepairOnceIfEntriesAreMissingForATick() {
    entry(13);
    assertThat(topic.onTick(log)).isFalse();
    assertThat(topic.onTick(log)).isTrue();
    assertThat(topic.onTick(log)).isFalse();
    assertThat(topic.onTick(log)).isFalse();
  }

  @Test
  void shouldRequestARepairIfTheLastEntriesAreMissing() {
    topic.onSent(12);
    entry(11);
    assertThat(topic.onTick(log)).isFalse();
    assertThat(topic.onTick(log)).isTrue();
  }

  @Test
  void shouldRequestNoRepairIfTheyArriveMeanwhile() {
    topic.onSent(11);
    assertThat(topic.onTick(log)).isFalse();
    entry(11);
    assertThat(topic.onTick(log)).isFalse();
    assertThat(topic.onTick(log)).isFalse();
  }

  @Test
  void shouldUseTheLinkWhileTooManyMessagesWait() {
    log.full = true;
    assertThat(entry(11)).isEqualTo(REPAIR);
    assertThat(entry(12)).isZero();
    assertThat(log.received).isEmpty();
    topic.onSent(12); // the group has the log again
    assertThat(entry(13)).isEqualTo(REPAIR);
  }

  @Test
  void shouldHoldABoundedNumberOfEntriesAndKeepTheLatest() {
    int repairs = 0;
    for (int offset = 20; offset < 10_020; offset++) {
      repairs += entry(offset) == REPAIR ? 1 : 0;
    }
    assertThat(repairs).isOne();
    log.offset = 10_018;
    assertThat(topic.passHeld(log)).isOne();
    assertThat(log.received).containsExactly(10_019L);
  }

  @Test
  void shouldHoldABoundedNumberOfBytes() {
    int repairs = 0;
    for (int offset = 20; offset < 40; offset++) {
      repairs += entry(offset, 100_000) == REPAIR ? 1 : 0;
    }
    assertThat(repairs).isOne();
    log.offset = 20;
    assertThat(topic.passHeld(log)).isZero();
  }

  @Test
  void shouldHoldNoEntriesAcrossAnotherGap() {
    entry(12);
    entry(15);
    log.offset = 11;
    assertThat(topic.passHeld(log)).isZero();
    log.offset = 14;
    assertThat(topic.passHeld(log)).isOne();
  }
}
