package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the records of roots that read the same stream. */
final class NodeInterestTest {
  private static final int STREAM = 9;

  private final Received received = new Received();
  private final NodeInterest interest =
      new NodeInterest(1, InterestKey.ofName("t"), received, closed -> {});

  private static final class Received implements TopicListener {
    private final List<Long> ids = new ArrayList<>();

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      ids.add(message.identity());
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      ids.add(-1L);
    }

    @Override
    public void onActive(boolean again) {}

    @Override
    public void onRefused(ErrorCode code, String why) {}
  }

  /** A link whose root reads nothing. */
  private static final class Channel implements LinkChannel {
    @Override
    public String peer() {
      return "";
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void later(Runnable task, long delayMs) {}

    @Override
    public boolean isFull() {
      return false;
    }

    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public void send(LinkRecord sent) {}

    @Override
    public void close(String why) {}
  }

  /** Receives entries of a log whose ids are a few lower than its offsets. */
  private void receive(int first, int last, int difference) {
    for (int id = first; id <= last; id++) {
      Message message = new Message("t", id, 0, PayloadKind.TEXT, new byte[0], null, "t");
      interest.onEntry(new LinkRecord.Entry(1, id + difference, message));
    }
  }

  private static StreamPlace place(long id) {
    return new StreamPlace(STREAM, new long[] {id});
  }

  @Test
  void shouldRepeatNothingWhenTheLinkIsLostDuringARepetition() {
    interest.open(new Channel());
    interest.onBegin(new LinkRecord.Begin(1, 100, 0, place(0)));
    receive(1, 6, 0);
    interest.open(new Channel());
    interest.onBegin(new LinkRecord.Begin(1, 200, 10, place(0)));
    receive(1, 3, 10);
    interest.open(new Channel());
    interest.onBegin(new LinkRecord.Begin(1, 200, 13, null));
    receive(4, 7, 10);
    assertThat(received.ids).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }
}
