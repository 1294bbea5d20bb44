package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.http.RequestBody.Added;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  private static final int MOST = 20;

  private final ByteBudget budget = new ByteBudget(30);
  private final RequestBody body = new RequestBody(MOST, budget);

  private Added add(String text) {
    return body.add(text.getBytes(UTF_8));
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (ByteBuf line = body.nextLine(); line != null; line = body.nextLine()) {
      lines.add(line.toString(UTF_8));
      line.skipBytes(line.readableBytes());
    }
    return lines;
  }

  @Test
  void shouldTellLinesApartHoweverTheyCome() {
    for (String part : List.of("{1", "}\n{2}", "\n", "{ü", "}")) {
      assertThat(add(part)).isEqualTo(Added.KEPT);
    }
    assertThat(body.isText()).isTrue();
    assertThat(lines()).containsExactly("{1}", "{2}", "{ü}");
    assertThat(body.nextLine()).isNull();
  }

  @Test
  void shouldLeaveOutBlankLines() {
    add("\r\n{1}\r\n \t\n\n{2}\n");
    assertThat(body.isBlank()).isFalse();
    assertThat(lines()).containsExactly("{1}\r", "{2}");
  }

  @Test
  void shouldSayWhenItSaysNothing() {
    assertThat(body.isBlank()).isTrue();
    add(" \r\n");
    add("\t");
    assertThat(body.isBlank()).isTrue();
    assertThat(body.nextLine()).isNull();
  }

  @Test
  void shouldTakeAsMuchAsItMayAndNoMore() {
    assertThat(add("x".repeat(MOST))).isEqualTo(Added.KEPT);
    assertThat(add("x")).isEqualTo(Added.TOO_LONG);
  }

  @Test
  void shouldKnowATextWhoseCharactersComeInPieces() {
    byte[] euro = "€".getBytes(UTF_8);
    body.add(new byte[] {euro[0]});
    assertThat(body.isText()).isFalse();
    body.add(new byte[] {euro[1], euro[2]});
    assertThat(body.isText()).isTrue();
  }

  @Test
  void shouldRefuseWhatIsNoTextAtOnce() {
    assertThat(body.add(new byte[] {'a', (byte) 0xFF})).isEqualTo(Added.NOT_TEXT);
  }

  @Test
  void shouldShareTheBudgetOfItsLoopAndGiveItBackOnce() {
    RequestBody other = new RequestBody(MOST, budget);
    assertThat(other.add(new byte[16])).isEqualTo(Added.KEPT);
    assertThat(add("x".repeat(15))).isEqualTo(Added.NO_ROOM);
    other.close();
    other.close();
    assertThat(add("x".repeat(15))).isEqualTo(Added.KEPT);
    assertThat(budget.take(16)).as("no more than there is").isFalse();
    assertThat(budget.take(15)).isTrue();
  }

  @Test
  void shouldHaveNoLineWhenItIsClosed() {
    add("{1}\n{2}");
    body.nextLine();
    body.close();
    assertThat(body.nextLine()).isNull();
  }
}
