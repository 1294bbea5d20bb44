package io.sluice.gateway.cli.admin;

import io.sluice.gateway.admin.query.RecordText;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that prints the messages of a topic as they arrive. Used by the main thread only. */
@Command(
    name = "tail",
    header = "Print the messages of a topic as they arrive.",
    description = {
      "Reads from the first admin port whose node has a subscriber of the topic, for at most five"
          + " minutes and with at most 20 messages per second. Prints the reason of the end on"
          + " standard error.",
      "Payloads are shown if admin.tail-payload is true."
    },
    exitCodeList = {
      "0:the node has ended the tail, for the reason on standard error, or --limit is reached",
      "1:no node responded, or none of the given ones has a subscriber of the topic",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice tail prices.eu --admin http://127.0.0.1:9090")
public final class TailCommand extends AdminCommand {
  private static final String DATA = "data: ";

  /** Line before the data of the last event. */
  private static final String END = "event: end";

  @Parameters(paramLabel = "TOPIC", description = "Topic or pattern.")
  private String topic;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Number of messages after which the command ends; default: no limit.")
  private Integer limit;

  @Option(names = "--json", description = "Print each message as a JSON object on one line.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    String path = "/topics/" + AdminClient.encoded(topic) + "/tail";
    try (Stream<String> lines = first((client, node) -> client.lines(node, path))) {
      print(lines.iterator());
    } catch (UncheckedIOException e) {
      throw new CommandFailure("the node has closed the connection: " + e.getMessage(), e);
    }
    return Termination.OK;
  }

  private void print(Iterator<String> lines) {
    int left = limit == null ? Integer.MAX_VALUE : limit;
    boolean ended = false;
    while (left > 0 && lines.hasNext()) {
      String line = lines.next();
      ended |= line.equals(END);
      if (line.startsWith(DATA)) {
        String event = line.substring(DATA.length());
        if (ended) {
          printEnd(event);
        } else {
          printEvent(event);
          left--;
        }
      }
    }
  }

  private void printEnd(String event) {
    try {
      String reason = new JsonObject(event).getString("reason");
      printFailure("the node has ended the tail: " + AdminClient.printable(reason));
    } catch (ClassCastException | NullPointerException | DecodeException e) {
      throw AdminClient.unexpectedResponse(e);
    }
  }

  private void printEvent(String event) {
    try {
      print(json ? AdminClient.printable(event) : RecordText.message(new JsonObject(event)));
    } catch (ClassCastException | NullPointerException | DecodeException e) {
      throw AdminClient.unexpectedResponse(e);
    }
  }
}
