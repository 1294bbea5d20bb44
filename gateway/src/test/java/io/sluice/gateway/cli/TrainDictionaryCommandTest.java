package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class TrainDictionaryCommandTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path recorded;
  private Path output;

  @BeforeEach
  void record() throws IOException {
    output = folder.resolve("quotes.dict");
    recorded = Files.write(folder.resolve("quotes.txt"), quotes(100));
  }

  private static List<String> quotes(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{\"symbol\":\"ACME.N\",\"bid\":" + i + ",\"ask\":" + (i + 1) + "}")
        .toList();
  }

  private int train(String... more) {
    CommandLine sluice = Sluice.commandLine(StartedNode::startGateway, new Termination());
    sluice.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] arguments = new String[3 + more.length];
    arguments[0] = "train-dictionary";
    arguments[1] = "--output";
    arguments[2] = output.toString();
    System.arraycopy(more, 0, arguments, 3, more.length);
    return sluice.execute(arguments);
  }

  @Test
  void shouldWriteADictionary() throws IOException {
    assertThat(train(recorded.toString(), "--size", "256")).isZero();
    byte[] content = Files.readAllBytes(output);
    assertThat(content).hasSizeBetween(20, 256);
    assertThat(out.toString())
        .contains("hash " + Dictionary.hash(content) + ", from 100 messages")
        .contains("with the dictionary: ");
  }

  @Test
  void shouldReportTooFewMessages() throws IOException {
    Files.write(recorded, quotes(7));
    assertThat(train(recorded.toString())).isEqualTo(Termination.FAILED);
    assertThat(err.toString()).contains("quotes.txt has 7 messages; expected 8 or more");
    assertThat(output).doesNotExist();
  }

  @Test
  void shouldReportFilesThatCannotBeUsed() {
    assertThat(train(folder.resolve("missing").toString())).isEqualTo(Termination.FAILED);
    assertThat(err.toString()).contains("missing cannot be read: there is no such file");
    output = folder.resolve("no-folder").resolve("a.dict");
    assertThat(train(recorded.toString())).isEqualTo(Termination.FAILED);
    assertThat(err.toString()).contains("a.dict cannot be written: there is no such file");
  }

  @Test
  void shouldRejectSizesOutOfRange() {
    assertThat(train(recorded.toString(), "--size", "63")).isEqualTo(Termination.USAGE);
    assertThat(train(recorded.toString(), "--size", "32769")).isEqualTo(Termination.USAGE);
    assertThat(train(recorded.toString(), "--max-input", "0")).isEqualTo(Termination.USAGE);
    assertThat(err.toString())
        .contains("--size 63 is out of range; expected 64 to 32768")
        .contains("--size 32769 is out of range")
        .contains("--max-input 0 is out of range");
  }

  @Test
  void shouldIgnoreMessagesOverTheLimit() {
    assertThat(train(recorded.toString(), "--max-input", "1000")).isZero();
    assertThat(out.toString()).contains("(the remaining ones exceed --max-input)");
  }
}
