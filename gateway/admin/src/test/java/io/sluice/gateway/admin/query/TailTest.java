package io.sluice.gateway.admin.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.query.LogReader;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TailTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final TailOptions OPEN = new TailOptions(true, Set.of());

  private static final class Log implements LogReader {
    private final List<Message> messages = new ArrayList<>();

    @Override
    public long last() {
      return messages.size();
    }

    @Override
    public Message at(long offset) {
      return messages.get((int) offset - 1);
    }

    @Override
    public boolean isSameAs(LogReader other) {
      return other == this;
    }
  }

  private static Message message(String topic, String payload) {
    return new Message(topic, 1, 2, PayloadKind.TEXT, payload.getBytes(UTF_8), null);
  }

  private static List<JsonObject> events(Tail tail, long nowNs) {
    return tail.step(nowNs)
        .toString()
        .lines()
        .filter(line -> !line.isEmpty())
        .map(line -> new JsonObject(line.substring("data: ".length())))
        .toList();
  }

  @Test
  void shouldSendNewMessagesOfTheTopicOnly() {
    Log log = new Log();
    log.messages.add(message("a.b", "before"));
    Tail tail = new Tail("a.b", log, OPEN, 0);
    log.messages.add(message("a.b", "x"));
    log.messages.add(message("a.c", "other"));
    JsonObject event = events(tail, 0).get(0);
    assertThat(event.getLong("offset")).isEqualTo(2);
    assertThat(event.getString("payload")).isEqualTo("x");
    assertThat(event.getInteger("bytes")).isEqualTo(1);
    assertThat(event.getLong("skipped")).isZero();
    assertThat(events(tail, 0)).isEmpty();
  }

  @Test
  void shouldCountMessagesAboveTheRateAndGaps() {
    Log log = new Log();
    Tail tail = new Tail("a", log, OPEN, 0);
    for (int i = 0; i < Tail.RATE + 3; i++) {
      log.messages.add(message("a", "x"));
    }
    log.messages.add(null);
    assertThat(events(tail, 0)).hasSize(Tail.RATE);
    log.messages.add(message("a", "x"));
    List<JsonObject> later = events(tail, SECOND_NS);
    assertThat(later).hasSize(1);
    assertThat(later.get(0).getLong("skipped")).isEqualTo(4);
  }

  @Test
  void shouldContinueWithAnotherLogFromItsStart() {
    Log log = new Log();
    Tail tail = new Tail("a", log, OPEN, 0);
    log.messages.add(message("a", "1"));
    assertThat(events(tail, 0)).hasSize(1);
    tail.continueWith(log);
    assertThat(events(tail, 0)).isEmpty();
    Log next = new Log();
    next.messages.add(message("a", "2"));
    tail.continueWith(next);
    assertThat(events(tail, 0).get(0).getString("payload")).isEqualTo("2");
  }

  @Test
  void shouldHidePayloadsByDefault() {
    PayloadMask closed = new PayloadMask(new TailOptions(false, Set.of()));
    assertThat(closed.shown(message("a", "{}"))).isNull();
  }

  @Test
  void shouldMaskMembersAtAnyDepthAndHideOtherText() {
    PayloadMask mask = new PayloadMask(new TailOptions(true, Set.of("iban")));
    assertThat(mask.shown(message("a", "{\"x\":[{\"iban\":{\"y\":1}}],\"z\":2}")))
        .hasToString("{\"x\":[{\"iban\":\"***\"}],\"z\":2}");
    assertThat(mask.shown(message("a", "iban=1"))).isNull();
    assertThat(mask.shown(message("a", "\"iban\""))).isNull();
  }

  @Test
  void shouldHideLargePayloads() {
    PayloadMask mask = new PayloadMask(OPEN);
    assertThat(mask.shown(message("a", "x".repeat(PayloadMask.MAX_BYTES)))).isNotNull();
    assertThat(mask.shown(message("a", "x".repeat(PayloadMask.MAX_BYTES + 1)))).isNull();
  }
}
