package io.sluice.gateway.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PositionTextTest {
  private static final Site SITE = Site.of("north");

  @Test
  void shouldBeParsedAsWritten() {
    Channel channel = new Channel(1, "stocks.7", null, false, 0, new LogEpoch(-2, SITE));
    Message message =
        new Message(
            "stocks.7", 0x9e, 1_763_700_000_000L, PayloadKind.TEXT, "a".getBytes(UTF_8), null);

    Start.Position position = PositionText.parse(PositionText.of(channel, 57, message));

    assertThat(position.epoch()).isEqualTo(-2);
    assertThat(position.site()).isEqualTo(SITE);
    assertThat(position.offset()).isEqualTo(57);
    assertThat(position.ids()).containsExactly(0x9e);
    assertThat(position.sinceMs()).isEqualTo(1_763_699_940_000L);
    assertThat(position.timeMs()).isZero();
  }

  @Test
  void shouldHaveNoIdentityBeforeTheFirstMessage() {
    Start.Position position = PositionText.parse(PositionText.of("00000000000000ff", 3));

    assertThat(position.ids()).isEmpty();
    assertThat(position.offset()).isEqualTo(3);
  }

  @Test
  void shouldContainTheProofOfDelivery() {
    Start.Position position =
        PositionText.parse(PositionText.of("00000000000000ff", 3, 1000, 2000));

    assertThat(position.offset()).isEqualTo(3);
    assertThat(position.sinceMs()).isEqualTo(1000);
    assertThat(position.timeMs()).isEqualTo(2000);
  }

  @Test
  void shouldBeOrderedLikeTheOffsets() {
    assertThat(PositionText.of("00000000000000ff", 9))
        .isLessThan(PositionText.of("00000000000000ff", 16));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "57",
        "00000000000000ff",
        "00000000000000FF-0000000000000003",
        "00000000000000ff-0000000000000003-0000000000000001",
        "00000000000000ff.1-0000000000000003",
        "00000000000000ff-0000000000000003\n"
      })
  void shouldNotBeAnotherText(String text) {
    assertThat(PositionText.parse(text)).isNull();
  }
}
