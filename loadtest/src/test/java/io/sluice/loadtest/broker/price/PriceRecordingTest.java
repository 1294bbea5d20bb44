package io.sluice.loadtest.broker.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PriceRecordingTest {
  private static final PriceUpdate UPDATE =
      new PriceUpdate(
          "SLUICE",
          1_700_000_000_000L,
          List.of(new PriceLevel(1_000_000, 5), new PriceLevel(999_900, Long.MAX_VALUE)),
          List.of(new PriceLevel(-7, 0)));

  @TempDir private Path folder;

  @Test
  void shouldDecodeEncodedUpdate() {
    byte[] bytes = PriceCodec.encode(UPDATE, 3);

    assertThat(bytes).hasSize(3 + PriceCodec.size(6, 3));
    assertThat(PriceCodec.decode(bytes, 3)).isEqualTo(UPDATE);
  }

  @Test
  void shouldRejectIncompleteAndLongerUpdates() {
    byte[] bytes = PriceCodec.encode(UPDATE, 0);

    for (int length = 0; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> PriceCodec.decode(part, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(length + " bytes are no price update");
    }
    assertThatThrownBy(() -> PriceCodec.decode(Arrays.copyOf(bytes, bytes.length + 1), 0))
        .hasMessageContaining("are no price update");
  }

  @Test
  void shouldRejectTooLongSymbol() {
    PriceUpdate update = new PriceUpdate("x".repeat(256), 0, List.of(), List.of());

    assertThatThrownBy(() -> PriceCodec.encode(update, 0))
        .hasMessageContaining("symbol of 256 characters");
  }

  @Test
  void shouldGenerateUpdatesOfGivenSize() {
    GeneratedPrices prices = new GeneratedPrices(1, 208);
    prices.next();

    assertThat(PriceCodec.encode(prices.update(), 0)).hasSizeBetween(193, 208);
    assertThat(prices.update().bids().get(0).price())
        .isLessThan(prices.update().offers().get(0).price());
  }

  @Test
  void shouldReplayUpdatesWithTheirTimes() throws Exception {
    Path file = folder.resolve("prices");
    GeneratedPrices large = new GeneratedPrices(1, 1 << 17); // exceeds the buffer
    large.next();
    try (PriceRecorder recorder = PriceRecorder.open(file, false)) {
      recorder.append(UPDATE, 1_000);
      recorder.append(large.update(), 1_250);
      recorder.append(UPDATE, 9_000);
    }

    try (ReplayedPrices replay = ReplayedPrices.open(file)) {
      assertThat(replay.next()).isTrue();
      assertThat(replay.update()).isEqualTo(UPDATE);
      assertThat(replay.offsetNanos()).isZero();
      assertThat(replay.next()).isTrue();
      assertThat(replay.update()).isEqualTo(large.update());
      assertThat(replay.offsetNanos()).isEqualTo(250);
      assertThat(replay.next()).isTrue();
      assertThat(replay.offsetNanos()).isEqualTo(8_000);
      assertThat(replay.next()).isFalse();
    }
  }

  @Test
  void shouldWriteEachUpdateAtOnceIfSynced() throws Exception {
    Path file = folder.resolve("prices");
    try (PriceRecorder recorder = PriceRecorder.open(file, true)) {
      recorder.append(UPDATE, 0);

      assertThat(file).hasSize(8L + PriceRecorder.HEADER_BYTES + PriceCodec.size(6, 3));
    }
  }

  @Test
  void shouldNamePlaceOfInvalidUpdate() throws Exception {
    Path file = folder.resolve("prices");
    try (PriceRecorder recorder = PriceRecorder.open(file, false)) {
      recorder.append(UPDATE, 0);
      recorder.append(UPDATE, 1);
    }
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));

    try (ReplayedPrices replay = ReplayedPrices.open(file)) {
      assertThat(replay.next()).isTrue();
      assertThatThrownBy(replay::next)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("prices: the update at byte 87 is invalid: incomplete");
    }
  }

  @Test
  void shouldRejectOtherFiles() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "some other text");
    Path empty = Files.writeString(folder.resolve("empty"), "");

    assertThatThrownBy(() -> ReplayedPrices.open(file)).hasMessageContaining("text: expected a");
    assertThatThrownBy(() -> ReplayedPrices.open(empty)).hasMessageContaining("empty: expected a");
  }
}
