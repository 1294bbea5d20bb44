package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The frame transaction: docs/PROTOCOL.md, section 3. */
final class TransactionParserTest {
  private static final String ACK = "{\"subscription\":7,\"tag\":1}";
  private static final String PUBLISH = "{\"topic\":\"a\",\"payload\":\"\"}";

  private final ClientFrameParser parser = new ClientFrameParser(3);

  private ClientFrame parse(String text) {
    return parser.parseText(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private ClientFrame.Transaction golden(String name) {
    return (ClientFrame.Transaction) parse(Golden.text("clientTransactions", name));
  }

  @Test
  void shouldReadGoldenFrames() {
    ClientFrame.Transaction both = golden("transaction");
    assertThat(both.ref()).isEqualTo(9);
    assertThat(both.publishes())
        .extracting(ClientFrame.Publish::destination)
        .containsExactly(Destination.queue("fills"), Destination.topic("audit.fills"));
    assertThat(both.publishes().get(0).payload()).asString().isEqualTo("7@101.25");
    assertThat(both.acks()).containsExactly(ack(12, true));

    ClientFrame.Publish publish = golden("transaction without acknowledgements").publishes().get(0);
    assertThat(publish.ref()).isEqualTo(ClientFrame.NO_REF);
    assertThat(publish.kind()).isEqualTo(PayloadKind.BYTES);
    assertThat(publish.payload()).containsExactly(0, 0xFF, 0x10);
    assertThat(publish.properties()).containsEntry("a", 1);
    assertThat(publish.headers().priority()).isEqualTo(9);

    assertThat(golden("transaction without publishes"))
        .isEqualTo(
            new ClientFrame.Transaction(9, List.of(), List.of(ack(12, false), ack(14, false))));
  }

  private static ClientFrame.Settle ack(long tag, boolean upTo) {
    return new ClientFrame.Settle(ClientFrame.NO_REF, 7, tag, upTo, Settlement.ACK);
  }

  @Test
  void shouldIgnoreUnknownMembersOfParts() {
    ClientFrame.Transaction frame =
        (ClientFrame.Transaction)
            parse(
                "{\"ref\":1,\"publish\":[{\"x\":[{}],\"queue\":\"q\",\"payload\":\"\"}],"
                    + "\"ack\":[{\"where\":{},\"subscription\":7,\"tag\":1}],"
                    + "\"type\":\"transaction\"}");
    assertThat(frame.publishes().get(0).headers()).isEqualTo(PublishHeaders.DEFAULT);
    assertThat(frame.acks()).containsExactly(ack(1, false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'ref':1 | 'publish' and 'ack' are missing or empty",
        "'ref':1,'publish':[],'ack':[] | 'publish' and 'ack' are missing or empty",
        "'ref':1,'publish':{} | 'publish' must be a list of objects",
        "'ref':1,'ack':null | 'ack' must be a list of objects",
        "'publish':[P] | 'ref' of a transaction is missing",
        "'ref':1,'publish':[P,7] | publish 2: not an object",
        "'ref':1,'ack':[[]] | ack 1: not an object",
        "'ref':1,'publish':[P,{'topic':'b'}] | publish 2: 'payload' is missing",
        "'ref':1,'publish':[{'payload':''}] | publish 1: 'topic' or 'queue' is missing",
        "'ref':1,'publish':[{'topic':'b','queue':'b','payload':''}] | publish 1: 'topic' and"
            + " 'queue' exclude each other",
        "'ref':1,'publish':[{'topic':1,'payload':''}] | publish 1: 'topic' must be a string",
        "'ref':1,'publish':[{'topic':'b','payload':'','priority':10}] | publish 1: 'priority' must"
            + " be a whole number from 0 to 9",
        "'ref':1,'publish':[{'id':'x','topic':'b','payload':''}] | publish 1: 'id' is not allowed"
            + " in a transaction",
        "'ref':1,'publish':[P,{'ref':2}] | publish 2: 'ref' is not allowed in a transaction",
        "'ref':1,'ack':[{'type':'ack'}] | ack 1: 'type' is not allowed in a transaction",
        "'ref':1,'ack':[A,{'subscription':7}] | ack 2: 'tag' is missing",
        "'ref':1,'ack':[{'tag':1}] | ack 1: 'subscription' is missing",
        "'ref':1,'ack':[A,{'subscription':8,'tag':1}] | ack 2: 'subscription' is 8; all"
            + " acknowledgements belong to one consumer, here 7",
        "'ref':1,'publish':[P,P],'ack':[A,A] | ack 2: a transaction has more than"
            + " limits.transaction (3) parts",
        "'ref':1,'publish':[P,P,P,{'never': | publish 4: a transaction has more than"
            + " limits.transaction (3) parts",
      })
  void shouldNameThePartThatIsWrong(String members, String why) {
    String text =
        members.replace('\'', '"').replace("[P", "[" + PUBLISH).replace(",P", "," + PUBLISH);
    text = text.replace("[A", "[" + ACK).replace(",A", "," + ACK);
    ClientFrame.Malformed bad =
        (ClientFrame.Malformed) parse("{\"type\":\"transaction\"," + text + "}");
    assertThat(bad.message()).isEqualTo(why.replace('\'', '"'));
    assertThat(bad.code()).isEqualTo(ErrorCode.BAD_FRAME);
    assertThat(bad.ref()).isEqualTo(members.startsWith("'ref'") ? 1 : ClientFrame.NO_REF);
  }

  @Test
  void shouldRefuseATransactionThatEndsEarly() {
    for (String end : List.of("[", "[{", "[" + PUBLISH, "[" + PUBLISH + ",")) {
      ClientFrame.Malformed bad =
          (ClientFrame.Malformed) parse("{\"type\":\"transaction\",\"ref\":1,\"publish\":" + end);
      assertThat(bad.code()).isEqualTo(ErrorCode.BAD_JSON);
    }
  }

  @Test
  void shouldAcceptAsManyPartsAsAllowed() {
    ClientFrame.Transaction frame =
        (ClientFrame.Transaction)
            parse(
                "{\"type\":\"transaction\",\"ref\":1,\"publish\":[%s,%s],\"ack\":[%s]}"
                    .formatted(PUBLISH, PUBLISH, ACK));
    assertThat(frame.publishes()).hasSize(2);
    assertThat(frame.acks()).hasSize(1);
  }
}
