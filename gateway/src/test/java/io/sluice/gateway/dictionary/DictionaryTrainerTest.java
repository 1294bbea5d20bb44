package io.sluice.gateway.dictionary;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.protocol.CompressionPayloads;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DictionaryTrainerTest {
  private static final int MESSAGES = 1_000;
  private static final int SIZE = 2048;

  static Stream<String> dataSets() {
    return CompressionPayloads.names().stream();
  }

  private static List<byte[]> payloads(String dataSet) {
    return CompressionPayloads.of(dataSet)
        .limit(MESSAGES)
        .map(text -> text.getBytes(UTF_8))
        .toList();
  }

  private static DictionaryTrainer.Trained train(List<byte[]> payloads, int size) {
    return new DictionaryTrainer(payloads).train(size);
  }

  @ParameterizedTest
  @MethodSource("dataSets")
  void shouldSaveAThirdOfMessagesCompressedAlone(String dataSet) {
    DictionaryTrainer.Trained trained = train(payloads(dataSet), SIZE);
    assertThat(trained.bytes()).hasSizeBetween(64, SIZE);
    assertThat(trained.trainedBytes()).isLessThan(trained.aloneBytes() * 2 / 3);
  }

  @ParameterizedTest
  @MethodSource("dataSets")
  void shouldBeDeterministic(String dataSet) {
    assertThat(train(payloads(dataSet), SIZE).bytes())
        .isEqualTo(train(payloads(dataSet), SIZE).bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 65, 170, 4096, Dictionary.MAX_BYTES})
  void shouldNotExceedTheSize(int size) {
    Random random = new Random(7);
    List<byte[]> payloads =
        Stream.generate(() -> random.ints(40, 0, 90).mapToObj(Integer::toString).toList())
            .limit(MESSAGES)
            .map(words -> String.join(" word ", words).getBytes(UTF_8))
            .toList();
    assertThat(train(payloads, size).bytes()).hasSizeLessThanOrEqualTo(size);
  }

  /** Only sequences of several messages are worth a place. */
  @Test
  void shouldContainNoSequenceOfOneMessage() {
    List<byte[]> payloads = payloads("quotes");
    byte[] odd = "a unique secret of one message".getBytes(UTF_8);
    List<byte[]> all = Stream.concat(Stream.of(odd), payloads.stream()).toList();
    assertThat(new String(train(all, Dictionary.MAX_BYTES).bytes(), UTF_8))
        .doesNotContain("unique secret");
  }

  @Test
  void shouldAcceptMessagesWithoutCommonParts() {
    List<byte[]> payloads = Stream.generate(() -> new byte[] {1, 2}).limit(8).toList();
    assertThat(train(payloads, 64).trainedBytes()).isPositive();
  }

  @Test
  void shouldRejectTooFewMessages() {
    List<byte[]> seven = Stream.generate(() -> new byte[10]).limit(7).toList();
    assertThatThrownBy(() -> new DictionaryTrainer(seven))
        .hasMessage("7 messages are too few; expected 8 or more");
  }

  @Test
  void shouldReadLines() throws IOException {
    MessageLines lines = lines("a\n\nb\r\nlast", 1_000);
    assertThat(lines.payloads()).map(String::new).containsExactly("a", "b", "last");
    assertThat(lines.isCut()).isFalse();
  }

  @Test
  void shouldReadUpToTheLimit() throws IOException {
    assertThat(lines("abc\ndef\n", 8).isCut()).isFalse();
    MessageLines cut = lines("abc\ndef\n", 7);
    assertThat(cut.isCut()).isTrue();
    assertThat(cut.payloads()).map(String::new).containsExactly("abc");
  }

  @Test
  void shouldIgnoreLongLines() throws IOException {
    String most = "x".repeat(Dictionary.MAX_BYTES);
    MessageLines lines = lines(most + "\n" + most + "x\n" + most + "yz", 1 << 20);
    assertThat(lines.payloads()).map(String::new).containsExactly(most);
    assertThat(lines.tooLong()).isEqualTo(2);
  }

  private static MessageLines lines(String text, int maxBytes) throws IOException {
    return MessageLines.read(new ByteArrayInputStream(text.getBytes(UTF_8)), maxBytes);
  }
}
