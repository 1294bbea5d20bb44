package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.dictionary.DictionaryTrainer;
import io.sluice.gateway.dictionary.MessageLines;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that trains a dictionary from recorded messages. Used by the main thread only. */
@Command(
    name = "train-dictionary",
    header = "Train a dictionary for first messages from recorded messages.",
    description = {
      "Each line of FILE is the payload of a message of the topics, 8 or more; '-' is the standard"
          + " input. The same input yields the same dictionary.",
      "The dictionary contains parts of the messages, and clients can read it: record no secrets."
          + " Set it in topics.compression.",
      "Prints the mean size of every fourth message, compressed with and without the dictionary,"
          + " which was selected from the other messages."
    },
    sortOptions = false,
    exitCodeListHeading = HelpText.EXIT_CODES,
    exitCodeList = {
      "0:the dictionary was written",
      "1:a file cannot be read or written, or has too few messages",
      HelpText.INVALID_COMMAND_LINE
    },
    footerHeading = HelpText.EXAMPLE,
    footer = "  sluice train-dictionary quotes.txt --output quotes.dict",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class TrainDictionaryCommand implements Callable<Integer> {
  private static final int MIN_BYTES = 64;
  private static final String STANDARD_INPUT = "-";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "File with recorded messages.")
  private String file;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      required = true,
      description = "File of the dictionary.")
  private Path output;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description =
          "Maximum size of the dictionary, 64 to 32768 (default: ${DEFAULT-VALUE}). Larger ones"
              + " take more time for each first message.")
  private int size = 4096;

  @Option(
      names = "--max-input",
      paramLabel = "BYTES",
      description =
          "Maximum size of the messages that are read; further ones are ignored (default:"
              + " ${DEFAULT-VALUE}, at most 268435456).")
  private int maxInput = 16 * 1024 * 1024;

  @Override
  public Integer call() {
    check("--size", size, MIN_BYTES, Dictionary.MAX_BYTES);
    check("--max-input", maxInput, 1, 256 * 1024 * 1024);
    MessageLines messages = read();
    List<byte[]> payloads = messages.payloads();
    if (payloads.size() < DictionaryTrainer.MIN_MESSAGES) {
      throw new CommandFailure(
          file
              + " has "
              + payloads.size()
              + " messages; expected "
              + DictionaryTrainer.MIN_MESSAGES
              + " or more");
    }
    DictionaryTrainer.Trained trained = new DictionaryTrainer(payloads).train(size);
    write(trained.bytes());
    print(messages, trained);
    return Termination.OK;
  }

  private void check(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(),
          option + " " + value + " is out of range; expected " + min + " to " + max);
    }
  }

  private MessageLines read() {
    try (InputStream in =
        file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file))) {
      return MessageLines.read(in, maxInput);
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandFailure(file + " cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private void write(byte[] content) {
    try {
      Files.write(output, content);
    } catch (IOException e) {
      throw new CommandFailure(output + " cannot be written: " + SettingFile.reason(e), e);
    }
  }

  private void print(MessageLines messages, DictionaryTrainer.Trained trained) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s: %d bytes, hash %s, from %d messages%s%n",
        output,
        trained.bytes().length,
        Dictionary.hash(trained.bytes()),
        messages.payloads().size(),
        messages.isCut() ? " (the remaining ones exceed --max-input)" : "");
    if (messages.tooLong() > 0) {
      out.printf(
          Locale.ROOT,
          "%d messages of more than %d bytes were ignored%n",
          messages.tooLong(),
          Dictionary.MAX_BYTES);
    }
    out.printf(
        Locale.ROOT,
        "mean payload: %.0f bytes; compressed alone: %.0f; with the dictionary: %.0f%n",
        trained.messageBytes(),
        trained.aloneBytes(),
        trained.trainedBytes());
  }
}
