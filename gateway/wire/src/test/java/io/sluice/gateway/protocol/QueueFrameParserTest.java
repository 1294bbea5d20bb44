package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Client frames of queues: docs/PROTOCOL.md, section 3. */
final class QueueFrameParserTest {
  private static final long MAX = (1L << 53) - 1;
  private static final ConsumerSource ORDERS = ConsumerSource.queue("orders");

  private final ClientFrameParser parser = new ClientFrameParser();

  private ClientFrame parse(String text) {
    return parser.parseText(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private ClientFrame golden(String name) {
    return parse(Golden.text("clientQueues", name));
  }

  @Test
  void shouldReadGoldenFrames() {
    String where = "region = 'EU'";
    assertThat(golden("consume")).isEqualTo(new ClientFrame.Consume(7, ORDERS, null, 1));
    assertThat(golden("consume with credit and selector"))
        .isEqualTo(new ClientFrame.Consume(7, ORDERS, where, 20));
    assertThat(golden("ack")).isEqualTo(settle(ClientFrame.NO_REF, 12, false, Settlement.ACK));
    assertThat(golden("ack up to a tag")).isEqualTo(settle(8, 12, true, Settlement.ACK));
    assertThat(golden("release"))
        .isEqualTo(settle(ClientFrame.NO_REF, 13, false, Settlement.RELEASE));
    assertThat(golden("release up to a tag")).isEqualTo(settle(8, 13, true, Settlement.RELEASE));
    assertThat(golden("reject"))
        .isEqualTo(settle(ClientFrame.NO_REF, 14, false, Settlement.REJECT));
    assertThat(golden("reject up to a tag")).isEqualTo(settle(9, 14, true, Settlement.REJECT));
    assertThat(golden("credit")).isEqualTo(new ClientFrame.Credit(10, 7, 50));
    assertThat(golden("browse")).isEqualTo(new ClientFrame.Browse(9, "orders", null, 100));
    assertThat(golden("browse with a selector"))
        .isEqualTo(new ClientFrame.Browse(9, "orders", where, 50));
    assertThat(golden("unsubscribe from a queue"))
        .isEqualTo(new ClientFrame.Unsubscribe(9, null, 7));
  }

  @Test
  void shouldReadGoldenFramesOfSubscriptions() {
    ConsumerSource desk = ConsumerSource.durable("orders.eu", "desk-1");
    assertThat(durables("consume from a durable subscription"))
        .isEqualTo(new ClientFrame.Consume(7, desk, null, 1));
    assertThat(durables("consume from a durable subscription with credit and selector"))
        .isEqualTo(new ClientFrame.Consume(7, desk, "region = 'EU'", 20));
    assertThat(durables("consume from a shared subscription of a pattern"))
        .isEqualTo(
            new ClientFrame.Consume(7, ConsumerSource.shared("orders.>", "workers"), null, 20));
    assertThat(durables("list")).isEqualTo(new ClientFrame.ListDurables(5));
    assertThat(durables("delete"))
        .isEqualTo(new ClientFrame.DeleteDurable(6, "orders.eu", "desk-1"));
  }

  private ClientFrame durables(String name) {
    return parse(Golden.text("clientDurables", name));
  }

  @Test
  void shouldAcceptTheLongestNameOfASubscription() {
    String longest = "Aa0-_".repeat(13).substring(0, 64);
    String consume = "{\"type\":\"consume\",\"ref\":7,\"topic\":\"t\",\"shared\":\"%s\"}";
    assertThat(parse(consume.formatted(longest)))
        .isEqualTo(new ClientFrame.Consume(7, ConsumerSource.shared("t", longest), null, 1));
    assertThat(((ClientFrame.Malformed) parse(consume.formatted(longest + "a"))).message())
        .isEqualTo(
            "\"shared\" is \""
                + longest
                + "\u2026\"; a name has 1 to 64 letters (A-Z), digits, - and _");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'type':'consume','ref':1,'topic':'t' | 'durable' or 'shared' is missing",
        "'type':'consume','ref':1,'durable':'d' | 'topic' or 'queue' is missing",
        "'type':'consume','ref':1,'topic':'t','durable':'d','shared':'s' | 'durable' and 'shared'"
            + " exclude each other",
        "'type':'consume','ref':1,'topic':'t','queue':'q','durable':'d' | 'topic' and 'queue'"
            + " exclude each other",
        "'type':'consume','ref':1,'queue':'q','durable':'d' | 'durable' requires 'topic' instead of"
            + " 'queue'",
        "'type':'consume','ref':1,'queue':'q','shared':'d' | 'shared' requires 'topic' instead of"
            + " 'queue'",
        "'type':'consume','topic':'t','durable':'d' | 'ref' of a consumer or a browse must be from"
            + " 0 to 2^32-1",
        "'type':'consume','ref':1,'topic':'t','durable':7 | 'durable' must be a string",
        "'type':'consume','ref':1,'topic':'t','shared':null | 'shared' must be a string",
        "'type':'consume','ref':1,'topic':'t','durable':'' | 'durable' is ''; a name has 1 to 64"
            + " letters (A-Z), digits, - and _",
        "'type':'consume','ref':1,'topic':'t','shared':'a.b' | 'shared' is 'a.b'; a name has 1 to"
            + " 64 letters (A-Z), digits, - and _",
        "'type':'consume','ref':1,'topic':'t','durable':'é' | 'durable' is 'é'; a name has 1 to 64"
            + " letters (A-Z), digits, - and _",
        "'type':'consume','ref':1,'topic':'t','durable':'a\\n' | 'durable' is 'a?'; a name has 1"
            + " to 64 letters (A-Z), digits, - and _",
        "'type':'list' | 'ref' of a list is missing",
        "'type':'delete','topic':'t','durable':'d' | 'ref' of a delete is missing",
        "'type':'delete','ref':1,'durable':'d' | 'topic' is missing",
        "'type':'delete','ref':1,'topic':'t' | 'durable' is missing",
        "'type':'delete','ref':1,'topic':'t','shared':'s' | 'durable' is missing",
        "'type':'delete','ref':1,'topic':'t','durable':'a b' | 'durable' is 'a b'; a name has 1 to"
            + " 64 letters (A-Z), digits, - and _",
      })
  void shouldNameWhatIsWrongWithASubscription(String frame, String why) {
    shouldNameTheMemberThatIsWrong(frame, why);
  }

  @Test
  void shouldReturnTheTopicOfABadFrame() {
    ClientFrame.Malformed bad =
        (ClientFrame.Malformed)
            parse("{\"type\":\"delete\",\"ref\":3,\"topic\":\"t\",\"durable\":\"\"}");
    assertThat(bad.ref()).isEqualTo(3);
    assertThat(bad.destination()).isEqualTo(Destination.topic("t"));
  }

  private static ClientFrame settle(long ref, long tag, boolean upTo, Settlement how) {
    return new ClientFrame.Settle(ref, 7, tag, upTo, how);
  }

  @Test
  void shouldAcceptTheLargestNumbers() {
    assertThat(parse("{\"type\":\"ack\",\"subscription\":" + MAX + ",\"tag\":" + MAX + "}"))
        .isEqualTo(new ClientFrame.Settle(ClientFrame.NO_REF, MAX, MAX, false, Settlement.ACK));
    assertThat(
            parse("{\"type\":\"consume\",\"ref\":4294967295,\"queue\":\"\",\"credit\":2147483647}"))
        .isEqualTo(
            new ClientFrame.Consume(
                0xFFFF_FFFFL, ConsumerSource.queue(""), null, Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'type':'ack','subscription':7,'tag':0 | 'tag' must be a whole number from 1 to 2^53-1",
        "'type':'ack','subscription':7,'tag':-1 | 'tag' must be a whole number from 1 to 2^53-1",
        "'type':'ack','subscription':7,'tag':9007199254740992 | 'tag' must be a whole number from 1"
            + " to 2^53-1",
        "'type':'ack','subscription':7,'tag':1.5 | 'tag' must be a whole number from 1 to 2^53-1",
        "'type':'ack','subscription':7,'tag':'1' | 'tag' must be a whole number from 1 to 2^53-1",
        "'type':'ack','subscription':7 | 'tag' is missing",
        "'type':'release','tag':1 | 'subscription' is missing",
        "'type':'reject','subscription':7,'tag':1,'upTo':1 | 'upTo' must be true or false",
        "'type':'credit','subscription':7 | 'credit' is missing",
        "'type':'credit','credit':1 | 'subscription' is missing",
        "'type':'credit','subscription':7,'credit':-1 | 'credit' must be a whole number from 0 to"
            + " 2147483647",
        "'type':'credit','subscription':7,'credit':2147483648 | 'credit' must be a whole number"
            + " from 0 to 2147483647",
        "'type':'consume','ref':1 | 'topic' or 'queue' is missing",
        "'type':'consume','queue':'q' | 'ref' of a consumer or a browse must be from 0 to 2^32-1",
        "'type':'consume','ref':4294967296,'queue':'q' | 'ref' of a consumer or a browse must be"
            + " from 0 to 2^32-1",
        "'type':'consume','ref':1,'queue':7 | 'queue' must be a string",
        "'type':'consume','ref':1,'queue':'q','where':' ' | 'where' must be a string that is not"
            + " blank",
        "'type':'browse','ref':1,'queue':'q','max':0 | 'max' must be a whole number from 1 to"
            + " 2147483647",
        "'type':'browse','queue':'q' | 'ref' of a consumer or a browse must be from 0 to 2^32-1",
      })
  void shouldNameTheMemberThatIsWrong(String frame, String why) {
    ClientFrame.Malformed bad = (ClientFrame.Malformed) parse("{" + frame.replace('\'', '"') + "}");
    assertThat(bad.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(bad.message()).isEqualTo(why.replace('\'', '"'));
  }

  @Test
  void shouldReturnTheQueueOfABadFrame() {
    ClientFrame.Malformed bad =
        (ClientFrame.Malformed)
            parse("{\"type\":\"consume\",\"ref\":3,\"queue\":\"q\",\"credit\":true}");
    assertThat(bad.ref()).isEqualTo(3);
    assertThat(bad.destination()).isEqualTo(Destination.queue("q"));
  }
}
