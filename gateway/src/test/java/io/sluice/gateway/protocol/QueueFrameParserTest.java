package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.queue.Settlement;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Client frames of queues: docs/PROTOCOL.md, section 3. */
final class QueueFrameParserTest {
  private static final long MAX = (1L << 53) - 1;

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
    assertThat(golden("consume")).isEqualTo(new ClientFrame.Consume(7, "orders", null, 1));
    assertThat(golden("consume with credit and selector"))
        .isEqualTo(new ClientFrame.Consume(7, "orders", where, 20));
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

  private static ClientFrame settle(long ref, long tag, boolean upTo, Settlement how) {
    return new ClientFrame.Settle(ref, 7, tag, upTo, how);
  }

  @Test
  void shouldAcceptTheLargestNumbers() {
    assertThat(parse("{\"type\":\"ack\",\"subscription\":" + MAX + ",\"tag\":" + MAX + "}"))
        .isEqualTo(new ClientFrame.Settle(ClientFrame.NO_REF, MAX, MAX, false, Settlement.ACK));
    assertThat(
            parse("{\"type\":\"consume\",\"ref\":4294967295,\"queue\":\"\",\"credit\":2147483647}"))
        .isEqualTo(new ClientFrame.Consume(0xFFFF_FFFFL, "", null, Integer.MAX_VALUE));
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
        "'type':'consume','ref':1 | 'queue' is missing",
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
