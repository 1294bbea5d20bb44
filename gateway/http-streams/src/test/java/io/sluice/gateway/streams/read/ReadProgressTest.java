package io.sluice.gateway.streams.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.streams.route.UrlQuery;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadProgressTest {
  private static final String EPOCH = "0000000000000000";
  private static final Channel CHANNEL = new Channel(1, "t", null);

  private HttpAnswer answer;

  private ReadProgress read(String query, String... knownTags) throws BadFrame {
    answer = null;
    return new ReadProgress(
        ReadQuery.of(UrlQuery.of(query)),
        Start.NOW,
        new MessagePage(PayloadView.JSON, 3, 1_000),
        new PageCache(1_000),
        true,
        List.of(knownTags),
        () -> 7,
        given -> {
          assertThat(answer).as("only one answer").isNull();
          answer = given;
        });
  }

  private static void frame(ReadProgress read, String json) {
    JsonObject frame = new JsonObject(json.replace('\'', '"'));
    read.onFrame(frame.getString("type"), frame);
  }

  private static void subscribed(ReadProgress read, int offset, int replay) {
    frame(
        read,
        "{'type':'subscribed','epoch':'%s','offset':%d,'replay':%d}"
            .formatted(EPOCH, offset, replay));
  }

  private static Message message(int offset) {
    return new Message("t", offset, 1_000, PayloadKind.TEXT, ("" + offset).getBytes(UTF_8), null);
  }

  private static String position(int offset) {
    return PositionText.of(CHANNEL, offset, message(offset));
  }

  /** Passes messages in one buffer, as a replay does. */
  private static void messages(ReadProgress read, int... offsets) {
    ByteBuf all = Unpooled.buffer();
    for (int offset : offsets) {
      ByteBuf one =
          RecordFormat.INSTANCE.encode(
              message(offset), CHANNEL, offset, UnpooledByteBufAllocator.DEFAULT);
      all.writeBytes(one);
      one.release();
    }
    read.onRecords(all);
  }

  private String header(String name) {
    return answer.headers().get(name);
  }

  @Test
  void shouldEndAFullPageBehindItsLastMessage() throws Exception {
    ReadProgress read = read("offset=" + position(1));
    subscribed(read, 6, 5);
    messages(read, 2, 3, 4, 5);
    assertThat(answer.body()).hasToString("[2,3,4]");
    assertThat(header("Stream-Next-Offset")).isEqualTo(position(4));
    assertThat(header("Stream-Up-To-Date")).isNull();
    assertThat(header("Cache-Control")).startsWith("public, max-age=60");
  }

  @Test
  void shouldNotCacheTheEndOfTheTopic() throws Exception {
    ReadProgress read = read("offset=" + position(1));
    subscribed(read, 4, 3);
    messages(read, 2);
    assertThat(answer).isNull();
    messages(read, 3, 4);
    assertThat(answer.body()).hasToString("[2,3,4]");
    assertThat(header("Stream-Up-To-Date")).isEqualTo("true");
    assertThat(header("Cache-Control")).isEqualTo("public, no-cache");
  }

  @Test
  void shouldNotAnswerTheSameTagAfterAnotherMessage() throws Exception {
    ReadProgress first = read("offset=-1");
    subscribed(first, 1, 1);
    messages(first, 1);
    String tag = header("ETag");
    ReadProgress same = read("offset=-1", tag);
    subscribed(same, 1, 1);
    messages(same, 1);
    assertThat(answer.status()).isEqualTo(304);
    ReadProgress more = read("offset=-1", tag);
    subscribed(more, 2, 2);
    messages(more, 1, 2);
    assertThat(answer.status()).isEqualTo(200);
    ReadProgress evicted = read("offset=-1", header("ETag"));
    subscribed(evicted, 2, 1);
    messages(evicted, 2);
    assertThat(answer.status()).isEqualTo(200);
  }

  @Test
  void shouldBeginBehindTheLatestMessage() throws Exception {
    ReadProgress read = read("offset=now");
    subscribed(read, 9, 1);
    messages(read, 9);
    assertThat(answer.body()).hasToString("[]");
    assertThat(header("Stream-Next-Offset")).isEqualTo(position(9));
    assertThat(header("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void shouldEndWithAGap() throws Exception {
    ReadProgress read = read("offset=-1&live=long-poll");
    subscribed(read, 2, 2);
    messages(read, 1);
    frame(read, "{'type':'gap','topic':'t','reason':'overload','offset':5,'time':1}");
    assertThat(answer.body())
        .hasToString(
            "[1,{\"type\":\"gap\",\"topic\":\"t\",\"reason\":\"overload\",\"offset\":5,\"time\":1}]");
    assertThat(header("Sluice-Gap")).isEqualTo("overload");
    assertThat(header("Stream-Next-Offset")).isEqualTo(PositionText.of(EPOCH, 5));
    assertThat(header("Cache-Control")).endsWith("no-cache");
  }

  @Test
  void shouldWaitForAMessage() throws Exception {
    ReadProgress read = read("offset=" + position(3) + "&live=long-poll");
    subscribed(read, 3, 0);
    assertThat(answer).isNull();
    messages(read, 4, 5);
    assertThat(answer.body()).hasToString("[4,5]");
    assertThat(header("Stream-Cursor")).isEqualTo("7");
    ReadProgress idle = read("offset=" + position(3) + "&live=long-poll");
    subscribed(idle, 3, 0);
    idle.onTimeout();
    assertThat(answer.status()).isEqualTo(204);
    assertThat(header("Stream-Next-Offset")).isEqualTo(position(3));
  }

  @Test
  void shouldAnswerOnceWhenTheSessionEnds() throws Exception {
    ReadProgress read = read("offset=" + position(3));
    frame(read, "{'type':'subscribed','epoch':'%s','offset':9,'recovered':false}".formatted(EPOCH));
    assertThat(answer.status()).isEqualTo(410);
    read.onClosing(CloseCode.NORMAL);
    ReadProgress ended = read("offset=-1");
    ended.onClosing(CloseCode.REVOKED);
    assertThat(answer.status()).isEqualTo(403);
    ReadProgress silent = read("offset=-1");
    silent.onTimeout();
    assertThat(answer.status()).isEqualTo(503);
  }
}
