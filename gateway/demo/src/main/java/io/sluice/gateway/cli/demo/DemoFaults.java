package io.sluice.gateway.cli.demo;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.http.PageActions;
import io.sluice.gateway.node.RunningNode;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults that the demo's page requests: {@code broker/stop}, {@code broker/start} and {@code
 * kill/PORT}. For any thread; the faults run on a thread of this type, one after the other.
 */
public final class DemoFaults implements PageActions {
  /** Time after which a killed node starts again. */
  static final long RESTART_SECONDS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(DemoFaults.class);

  /** Time for the answer of a node that is about to be killed. */
  private static final long ANSWER_MS = 100;

  private final Part broker;
  private final Map<Integer, Node> nodes = new ConcurrentSkipListMap<>();
  private final CompletableFuture<Void> complete = new CompletableFuture<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "demo-faults");
            created.setDaemon(true);
            return created;
          });

  /** Stoppable part of the demo. */
  public interface Part {
    /** Returns whether the part is running. */
    boolean isRunning();

    /** Starts the part; blocks. */
    void start() throws Exception;

    /** Stops the part at once; blocks. */
    void stop();
  }

  private record Node(String name, Restartable<RunningNode> part) {}

  /** Action that the page requests. */
  @FunctionalInterface
  private interface Fault {
    void run() throws Exception;
  }

  /** Creates the faults of a demo without nodes. */
  public DemoFaults(Part broker) {
    this.broker = broker;
  }

  /** Adds a node that has started. */
  public void addNode(int port, String name, Restartable<RunningNode> part) {
    nodes.put(port, new Node(name, part));
  }

  /** Ends the start: the state is complete, and requests for it are answered. */
  public void onNodesStarted() {
    complete.complete(null);
  }

  @Override
  public List<Integer> ports() {
    return List.copyOf(nodes.keySet());
  }

  @Override
  public CompletionStage<String> state(boolean controls) {
    return complete.thenApply(started -> json(controls));
  }

  private String json(boolean controls) {
    StringWriter state = new StringWriter();
    try (JsonGenerator out = JsonText.generator(state)) {
      out.writeStartObject();
      out.writeArrayFieldStart("ports");
      for (int port : nodes.keySet()) {
        out.writeNumber(port);
      }
      out.writeEndArray();
      out.writeObjectFieldStart("nodes");
      for (var node : nodes.entrySet()) {
        out.writeNumberField(node.getValue().name(), node.getKey());
      }
      out.writeEndObject();
      out.writeStringField("broker", broker.isRunning() ? "up" : "down");
      out.writeBooleanField("controls", controls);
      out.writeObjectFieldStart("compression");
      out.writeNumberField("before", sum(RunningNode::bytesBeforeCompression));
      out.writeNumberField("after", sum(RunningNode::bytesAfterCompression));
      out.writeEndObject();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be written", e);
    }
    return state.toString();
  }

  private long sum(ToLongFunction<RunningNode> bytes) {
    return nodes.values().stream()
        .map(node -> node.part().running())
        .filter(Objects::nonNull)
        .mapToLong(bytes)
        .sum();
  }

  @Override
  public CompletionStage<String> run(String action) {
    return switch (action) {
      case "broker/stop" -> onThread(broker::stop);
      case "broker/start" -> onThread(broker::start);
      default ->
          CompletableFuture.completedFuture(
              action.matches("kill/\\d{1,5}")
                  ? kill(Integer.parseInt(action.substring("kill/".length())))
                  : "no such action; expected broker/stop, broker/start or kill/PORT");
    };
  }

  private CompletionStage<String> onThread(Fault fault) {
    return CompletableFuture.supplyAsync(() -> problem(fault), thread);
  }

  /** Runs a fault; returns its problem, or null. */
  private static String problem(Fault fault) {
    try {
      fault.run();
      return null;
    } catch (Exception e) {
      LOG.atWarn().setCause(e).log("demo.fault-failed");
      return "failed: " + e.getMessage();
    }
  }

  private String kill(int port) {
    Node node = nodes.get(port);
    if (node == null) {
      return "no node has the port " + port + "; expected one of " + ports();
    }
    thread.schedule(() -> kill(node), ANSWER_MS, TimeUnit.MILLISECONDS);
    return null;
  }

  private void kill(Node node) {
    node.part().stop();
    thread.schedule(() -> problem(node.part()::start), RESTART_SECONDS, TimeUnit.SECONDS);
  }
}
