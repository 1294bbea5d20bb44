package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
    interest.open(new SentRecords());
    interest.onBegin(new LinkRecord.Begin(1, 100, 0, place(0), false));
    receive(1, 6, 0);
    interest.open(new SentRecords());
    interest.onBegin(new LinkRecord.Begin(1, 200, 10, place(0), true));
    receive(1, 3, 10);
    interest.open(new SentRecords());
    interest.onBegin(new LinkRecord.Begin(1, 200, 13, null, true));
    receive(4, 7, 10);
    assertThat(received.ids).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  private ReadBack request(int maxMessages, CompletableFuture<List<Message>> answer) {
    return new ReadBack(
        interest.key(),
        place(1),
        Set.of(),
        place(9),
        maxMessages,
        1_000,
        1,
        (messages, problem) -> {
          if (problem == null) {
            answer.complete(messages);
          } else {
            answer.completeExceptionally(new IOException(problem));
          }
        });
  }

  private void answer(LinkRecord.Read to, int messages) {
    for (int id = 2; id < 2 + messages; id++) {
      Message message = new Message("t", id, 0, PayloadKind.TEXT, new byte[0], null, "t");
      interest.onStored(new LinkRecord.Stored(1, to.number(), message));
    }
    interest.onConfirmed(new LinkRecord.Confirmed(1, to.number(), null));
  }

  @Test
  void shouldReadBackAtMostWhatItHasRequested() {
    SentRecords root = new SentRecords();
    interest.open(root);
    CompletableFuture<List<Message>> answer = new CompletableFuture<>();
    interest.read(request(3, answer), place(1));
    answer(root.last(LinkRecord.Read.class), 3);
    assertThat(answer.join()).extracting(Message::identity).containsExactly(2L, 3L, 4L);

    CompletableFuture<List<Message>> refused = new CompletableFuture<>();
    interest.read(request(3, refused), place(1));
    answer(root.last(LinkRecord.Read.class), 4);
    assertThat(refused).failsWithin(Duration.ZERO);
  }

  @Test
  void shouldEndAReadWhenTheLinkIsLost() {
    interest.open(new SentRecords());
    CompletableFuture<List<Message>> answer = new CompletableFuture<>();
    interest.read(request(3, answer), place(1));
    interest.retire();
    assertThat(answer).failsWithin(Duration.ZERO);
  }

  @Test
  void shouldPassEachEntryOnceWhicheverWayIsFaster() {
    interest.open(new SentRecords());
    interest.onBegin(new LinkRecord.Begin(1, 100, 0, place(0), false));
    receive(1, 2, 0);
    for (int id = 3; id <= 5; id++) {
      Message message = new Message("t", id, 0, PayloadKind.TEXT, new byte[0], null, "t");
      interest.onGroupEntry(new LinkRecord.Entry(9, id, message));
    }
    receive(3, 6, 0); // the link continues where the leaf has confirmed
    interest.onGap(new LinkRecord.Gap(1, 6, 6, GapReason.OVERLOAD));
    interest.onGap(new LinkRecord.Gap(1, 8, 8, GapReason.OVERLOAD));
    receive(7, 9, 0);
    assertThat(received.ids).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, -1L, 9L);
  }
}
