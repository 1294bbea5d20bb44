package io.sluice.gateway.sim.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.sim.FrameReader;
import io.sluice.gateway.sim.SimulatedConnection;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A client that follows docs/PROTOCOL.md, section 12, across all its connections. */
final class QueueClient implements SimulatedConnection.Peer {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Close codes from here on report a mistake of the client. */
  private static final int MISTAKE = 4200;

  /** Interval of acknowledgements after the faults. */
  private static final long SETTLING = 100 * QueuePlan.MILLI;

  private static final long MAX_PAUSE = 10 * QueuePlan.SECOND;

  private final String name;
  private final QueueWorld world;
  private FrameReader reader = new FrameReader();
  private SimulatedConnection connection;
  private QueueNode node;
  private boolean slow;

  /** Time until which frames may arrive late. */
  private long lateUntil;

  /** Consumers and unanswered frames of the connection; null without one. */
  private ClientSide side;

  private boolean draining;
  private boolean settling;
  private boolean stopping;
  private boolean ended;
  private long published;

  /** Messages of the previous connection, which a violation settles. */
  private ClientConsumer former;

  QueueClient(String name, QueueWorld world) {
    this.name = name;
    this.world = world;
  }

  /** Connects, and acts from now on. */
  void start() {
    world.timeline.after(world.random.between(0, QueuePlan.SECOND), this::connect);
    act();
  }

  private void act() {
    world.timeline.after(
        settling ? SETTLING : world.random.pause(world.plan.actionMean),
        () -> {
          if (side != null && !ended) {
            actOnce();
          }
          if (!ended) {
            act();
          }
        });
  }

  private void actOnce() {
    if (settling) {
      side.actions.settleAll();
    } else if (!draining || world.random.oneIn(5)) {
      side.actions.act();
    }
    if (!settling && !stopping) {
      side.actions.settleSome();
    }
  }

  private void connect() {
    if (connection != null || ended) {
      return;
    }
    QueueNode next = world.random.of(world.nodes);
    if (!next.acceptsClients()) {
      retry();
      return;
    }
    node = next;
    world.tally.connections++;
    world.trace.note(name, () -> "connects to " + next.name);
    connection = next.accept(this);
    slow = world.isFaulty() && world.plan.slowReaders && world.random.oneIn(3);
    connection.slow(slow);
    reader = new FrameReader();
    draining = false;
    side = new ClientSide(name, world, node, connection);
    side.actions.publishFrom(() -> name + "." + ++published);
    side.actions.open(settling);
    if (former != null && world.breaks(QueueRule.TAGS_END_WITH_CONNECTION)) {
      side.actions.inherit(former);
    }
  }

  private void retry() {
    world.timeline.after(world.random.mostlySmall(2 * QueuePlan.SECOND), this::connect);
  }

  /** Cuts the connection. Either end may notice that late. */
  void cut() {
    if (connection != null) {
      lateUntil = world.timeline.nowMicros() + MAX_PAUSE;
      connection.cut(
          world.random.mostlySmall(2 * QueuePlan.SECOND),
          world.random.mostlySmall(2 * QueuePlan.SECOND));
    }
  }

  /** Stops reading for some time. */
  void pause() {
    SimulatedConnection paused = connection;
    if (paused != null) {
      long micros = world.random.mostlySmall(MAX_PAUSE);
      lateUntil = world.timeline.nowMicros() + 2 * MAX_PAUSE;
      paused.reading(false);
      world.timeline.after(micros, () -> paused.reading(true));
    }
  }

  /** Settles all messages promptly from now on, and opens consumers of all queues. */
  void settleAll() {
    settling = true;
    if (connection != null) {
      connection.slow(false);
      side.actions.open(true);
    }
  }

  /** Sends nothing from now on but settlements. */
  void stop() {
    stopping = true;
  }

  /** Closes the connection for good. */
  void disconnect() {
    ended = true;
    if (connection != null) {
      connection.cut(0, 0);
    }
  }

  @Override
  public void onCut(SimulatedConnection gone) {
    if (gone == connection) {
      world.trace.note(name, () -> "has lost its connection");
      former = side.anyConsumer();
      connection = null;
      side = null;
      retry();
    }
  }

  @Override
  public void onBytes(SimulatedConnection from, byte[] bytes) {
    if (from == connection) {
      reader.read(bytes, (opcode, payload) -> onFrame(from, opcode, payload));
    }
  }

  private void onFrame(SimulatedConnection from, int opcode, ByteBuffer payload) {
    if (from != connection) {
      return;
    }
    if (opcode == WebSocketFrame.CLOSE) {
      onClose(payload.getShort());
    } else {
      onText(StandardCharsets.UTF_8.decode(payload).toString());
    }
  }

  private void onClose(int code) {
    world.trace.note(name, () -> "is closed with " + code);
    if (code >= MISTAKE) {
      world.fail(name, "is closed with " + code);
    }
    connection.cut(0, 0);
  }

  private void onText(String text) {
    JsonNode frame = parse(text);
    world.trace.note(name, () -> "reads " + text);
    if (frame.get("type").asText().equals("draining")) {
      draining = true;
      side.actions.pauseConsumers();
    } else {
      side.onFrame(frame);
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + text, e);
    }
  }

  /** Checks time limits. */
  void check() {
    if (connection != null && connection.pendingBytes() > 0) {
      lateUntil = world.timeline.nowMicros() + MAX_PAUSE;
    }
    boolean late = slow && !settling || world.timeline.nowMicros() < lateUntil;
    if (side != null && !late && connection != null && !connection.isDisconnected()) {
      side.checkTimes();
    }
  }

  /** Checks after the faults that the client is connected and all its frames are answered. */
  void checkFinal() {
    if (side == null) {
      world.fail(name, "is not connected");
    } else {
      side.checkAnswered();
    }
  }
}
