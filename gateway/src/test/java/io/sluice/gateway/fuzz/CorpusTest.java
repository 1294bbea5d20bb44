package io.sluice.gateway.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each target, without the fuzzer, on its stored inputs. */
class CorpusTest {
  private static final int MOST_INPUTS = 100;
  private static final long MOST_BYTES = 8 << 10;

  static List<Arguments> inputs() throws IOException {
    List<Arguments> inputs = new ArrayList<>();
    for (Target target : Target.values()) {
      for (Path input : target.kept()) {
        inputs.add(arguments(target, input.getFileName().toString()));
      }
    }
    return inputs;
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("inputs")
  @Timeout(180)
  void shouldPassStoredInputs(Target target, String input) throws IOException {
    target.run(Files.readAllBytes(target.corpus().resolve(input)));
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(180)
  void shouldPassFoundInputs(Target target) throws IOException {
    List<byte[]> found = target.found();
    for (byte[] input : found) {
      assertThatCode(() -> target.run(input))
          .as("line %d of %s", found.indexOf(input) + 1, target.foundFile())
          .doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveSmallInputsOfEachTarget(Target target) throws IOException {
    assertThat(target.kept()).hasSizeBetween(2, MOST_INPUTS);
    assertThat(target.kept()).allMatch(input -> input.toFile().length() <= MOST_BYTES);
    assertThat(target.foundFile().toFile().length()).isLessThanOrEqualTo(Fuzzer.MOST_FOUND_BYTES);
  }
}
