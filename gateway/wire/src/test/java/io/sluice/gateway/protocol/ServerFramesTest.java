package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServerFramesTest {
  private static final int STREAM = 7;
  private static final long EPOCH = 0x1f0a6c2b9d3e4f58L;
  private static final long TIME = 1763700000000L;

  private final ServerFrames frames = new ServerFrames(UnpooledByteBufAllocator.DEFAULT);

  private static ServerFrames.Hello hello(String session, String subject, long expiresMs) {
    return new ServerFrames.Hello(
        "gw-1",
        "0.1.0",
        session,
        subject,
        expiresMs,
        1763700000000L,
        true,
        "verified",
        ServerFrames.NodeLimits.of(
            25000, 65536, 1000, 255, 16, 100, 4096, List.of("delay", "publish-id")));
  }

  @Test
  void shouldWriteGoldenFrames() {
    Channel own = new Channel(12, "stocks.7", null);
    Channel throughPattern = new Channel(17, "stocks.3", "stocks.>");
    check("hello", frames.hello(hello("gw-1-1763700000-7", "", Long.MAX_VALUE)));
    check("hello with an expiry", frames.hello(hello("gw-1-1763700000-8", "ann", 1763700600000L)));
    check("refreshed", frames.refreshed(5, 1763701200000L));
    check("refreshed without an expiry", frames.refreshed(5, Long.MAX_VALUE));
    SubscriptionStart plain =
        new SubscriptionStart(null, EPOCH, Site.UNNAMED, 41, null, 0, null, TIME, own, STREAM);
    check("subscribed in JSON", frames.subscribed(1, "stocks.7", plain, false, false, false));
    check("subscribed in binary", frames.subscribed(1, "stocks.7", plain, true, false, false));
    check("subscribed and tagged", frames.subscribed(4, "stocks.7", plain, true, true, false));
    check("subscribed and tagged", frames.subscribed(4, "stocks.7", plain, true, true, true));
    check("subscribed with a stream", frames.subscribed(1, "stocks.7", plain, true, false, true));
    long[] latest = {0x29, 0x1_0000_0000_000cL};
    check(
        "subscribed of a source with offsets",
        subscribed(
            new SubscriptionStart(
                null, EPOCH, Site.UNNAMED, 4_294_967_337L, latest, 0, null, TIME, own, STREAM)));
    check(
        "subscribed of a source with offsets and no messages",
        subscribed(
            new SubscriptionStart(
                null,
                EPOCH,
                Site.UNNAMED,
                4_294_967_296L,
                new long[0],
                0,
                null,
                TIME,
                own,
                STREAM)));
    check(
        "subscribed with a snapshot",
        subscribed(
            new SubscriptionStart(
                null, EPOCH, Site.UNNAMED, 41, null, 3, null, TIME, own, STREAM)));
    check(
        "subscribed and recovered",
        subscribed(
            new SubscriptionStart(null, EPOCH, Site.UNNAMED, 41, null, 3, true, 0, own, STREAM)));
    check(
        "subscribed at one of several sources",
        subscribed(
            new SubscriptionStart(
                "kafka", EPOCH, Site.UNNAMED, 41, null, 0, null, TIME, own, STREAM)));
    check(
        "subscribed at a named site",
        subscribed(
            new SubscriptionStart(
                null, EPOCH, Site.of("paris"), 41, null, 0, null, TIME, own, STREAM)));
    check(
        "subscribed and not recovered",
        subscribed(
            new SubscriptionStart(
                null, EPOCH, Site.UNNAMED, 41, null, 0, false, TIME, own, STREAM)));
    check("caught-up", frames.caughtUp(TIME));
    check("channel", frames.channel(throughPattern));
    check("unsubscribed", frames.unsubscribed(2, "stocks.7", ClientFrame.NO_REF));
    check("unsubscribed and tagged", frames.unsubscribed(9, "stocks.7", 4));
    check("published", frames.published(3));
    check("pong", frames.pong(4, 1763700000000L));
    check("stale", frames.stale(List.of()));
    check("stale of some sources", frames.stale(List.of("kafka", "nats")));
    check("live", frames.live());
    check("gap", frames.gap("stocks.7", GapReason.BROKER_LOST, 57, TIME, null));
    ByteBuf gap = frames.gap("stocks.7", GapReason.BROKER_LOST, 57, TIME, null);
    check("gap of a tagged subscription", frames.gap(gap, 4));
    gap.release();
    BegunStream begun = new BegunStream(EPOCH, Site.UNNAMED, latest);
    check(
        "gap before another stream",
        frames.gap("stocks.7", GapReason.BROKER_LOST, 57, TIME, begun));
    check("draining", frames.draining(1763700010000L, null));
    String elsewhere = "wss://gw-2.example.com/ws";
    check("draining with a URL", frames.draining(1763700010000L, elsewhere));
    check("redirect", frames.redirect(elsewhere));
    check(
        "error",
        frames.error(
            1,
            ErrorCode.INVALID_TOPIC,
            "level 2 of \"stocks..7\" is empty",
            Destination.topic("stocks..7")));
    check(
        "error without ref or topic",
        frames.error(ClientFrame.NO_REF, ErrorCode.BAD_JSON, "not a JSON object", null));
  }

  @Test
  void shouldPadTheEpochTo16Digits() {
    assertThat(
            text(
                subscribed(
                    new SubscriptionStart(
                        null, 255, Site.UNNAMED, 0, null, 0, null, 0, null, STREAM))))
        .contains("\"epoch\":\"00000000000000ff\"");
  }

  private ByteBuf subscribed(SubscriptionStart admission) {
    return frames.subscribed(1, "stocks.7", admission, false, false, false);
  }

  private static void check(String name, ByteBuf frame) {
    assertThat(text(frame)).isEqualTo(Golden.text("server", name));
  }

  private static String text(ByteBuf frame) {
    assertThat(frame.getByte(frame.readerIndex())).as("FIN, text").isEqualTo((byte) 0x81);
    frame.skipBytes(frame.getByte(frame.readerIndex() + 1) < 126 ? 2 : 4);
    String text = frame.toString(StandardCharsets.UTF_8);
    frame.release();
    return text;
  }
}
