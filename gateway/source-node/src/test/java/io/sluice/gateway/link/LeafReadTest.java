package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.LogLimits;
import io.sluice.gateway.history.LogMemory;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of messages that a root reads back for a leaf. */
final class LeafReadTest {
  private static final int STREAM = 9;
  private static final Channel CHANNEL = new Channel(1, "t", null);

  private final Exposition exposition = new Exposition("leaf-read-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final TopicLog log =
      new TopicLog(1, null, LogLimits.of(Config.defaults()), new LogMemory(1 << 20, metrics));
  private final List<Set<Long>> requests = new ArrayList<>();

  @AfterEach
  void close() {
    log.close();
    metrics.close();
    exposition.close();
  }

  private static long id(long offset) {
    return StreamPlace.id(0, offset);
  }

  private static StreamPlace place(int stream, long offset) {
    return new StreamPlace(stream, new long[] {id(offset)});
  }

  private static Message message(long offset) {
    return new Message("t", id(offset), 0, PayloadKind.TEXT, new byte[10], null, null);
  }

  private static LogEntry entry(long offset) {
    return LogEntry.message(message(offset), CHANNEL, offset, 0);
  }

  private LeafRead read(int stream, long after, long upTo, int maxMessages, long maxBytes) {
    return new LeafRead(
        new LinkRecord.Read(
            1,
            2,
            place(stream, after),
            place(stream, upTo),
            place(stream, after),
            maxMessages,
            maxBytes));
  }

  private boolean isAnswered(LeafRead read) {
    return read.isAnswered(log, log.epoch(), (after, claimed) -> requests.add(claimed));
  }

  private static List<Long> sent(LeafRead read) {
    List<Long> offsets = new ArrayList<>();
    for (Message next = read.next(); next != null; next = read.next()) {
      offsets.add(StreamPlace.offset(next.identity()));
    }
    return offsets;
  }

  private static String problem(LeafRead read) {
    return ((LinkRecord.Confirmed) read.end()).problem();
  }

  private void logMessages(long first, long last) {
    LongStream.rangeClosed(first, last).forEach(offset -> log.append(message(offset), CHANNEL, 0));
  }

  @Test
  void shouldSendWhatTheLogHas() {
    log.beginStream(place(STREAM, 10), 1);
    logMessages(11, 20);
    LeafRead read = read(STREAM, 12, 15, 3, 30);
    assertThat(isAnswered(read)).isTrue();
    assertThat(sent(read)).containsExactly(13L, 14L, 15L);
    assertThat(problem(read)).isNull();
    assertThat(requests).isEmpty();
  }

  @Test
  void shouldSendNothingBehindThePlaceOfTheLeaf() {
    log.beginStream(place(STREAM, 10), 1);
    LeafRead read = read(STREAM, 3, 6, 100, 1_000);
    assertThat(isAnswered(read)).isFalse();
    assertThat(requests).containsExactly(Set.of(id(3)));
    read.onAnswer(LongStream.rangeClosed(4, 12).mapToObj(LeafReadTest::entry).toList(), false);
    assertThat(isAnswered(read)).isTrue();
    assertThat(sent(read)).containsExactly(4L, 5L, 6L);
    assertThat(problem(read)).isNull();
  }

  @Test
  void shouldSendNothingBeyondTheLimitsOfTheLeaf() {
    log.beginStream(place(STREAM, 10), 1);
    logMessages(11, 20);
    for (LeafRead read : List.of(read(STREAM, 12, 15, 2, 30), read(STREAM, 12, 15, 3, 29))) {
      assertThat(isAnswered(read)).isTrue();
      assertThat(sent(read)).isEmpty();
      assertThat(problem(read)).contains("limits");
    }
  }

  @Test
  void shouldReportWhatTheSourceHasLost() {
    log.beginStream(place(STREAM, 10), 1);
    LeafRead lost = read(STREAM, 3, 6, 100, 1_000);
    assertThat(isAnswered(lost)).isFalse();
    lost.onAnswer(null, true);
    assertThat(problem(lost)).isEqualTo(ReadBack.REFUTED);
    assertThat(sent(lost)).isEmpty();

    LeafRead late = read(STREAM, 3, 6, 100, 1_000);
    assertThat(isAnswered(late)).isFalse();
    late.expire();
    late.onAnswer(LongStream.rangeClosed(4, 12).mapToObj(LeafReadTest::entry).toList(), false);
    assertThat(sent(late)).isEmpty();
    assertThat(problem(late)).isNotNull();
  }

  @Test
  void shouldReadTheLogOfASourceWithoutOffsets() {
    logMessages(1, 9);
    int stream = PlaceClaims.stream(log.epoch());
    LeafRead read = read(stream, 2, 5, 3, 30);
    assertThat(isAnswered(read)).isTrue();
    assertThat(sent(read)).containsExactly(3L, 4L, 5L);
    for (LeafRead other : List.of(read(stream + 1, 2, 5, 3, 30), read(stream, 2, 10, 99, 999))) {
      assertThat(isAnswered(other)).isTrue();
      assertThat(sent(other)).isEmpty();
      assertThat(problem(other)).isNotNull();
    }
    assertThat(requests).isEmpty();
  }
}
