package io.sluice.gateway.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A client that follows docs/PROTOCOL.md across all its connections. */
final class SimulatedClient implements SimulatedConnection.Peer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RETRY_ELSEWHERE = 4100;

  /** Bit of a binary message with a ref, and the position of the ref. */
  private static final int TAGGED = 0x80;

  private static final int TAG_AT = 20;

  final String name;

  private final World world;
  private final Compression compression;
  private final Encoding encoding;
  private final Set<Rule> broken;
  private final List<ClientSubscription> subscriptions = new ArrayList<>();
  private final Map<Integer, String> channels = new HashMap<>();
  private final InvalidRequests invalidRequests;

  /** True if the client usually reconnects to its previous node, sometimes after an absence. */
  private final boolean sticky;

  private FrameReader reader = new FrameReader();
  private SimulatedConnection connection;
  private SimulatedNode node;
  private int overlap;
  private int applications;

  /** Time before the next attempt to connect. */
  private long awayMicros;

  SimulatedClient(String name, World world, Set<Rule> broken) {
    this.name = name;
    this.world = world;
    this.broken = broken.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(broken);
    this.compression = new Compression(world.plan.compressed, name.hashCode(), broken);
    this.encoding = Encoding.of(!world.random.oneIn(2), compression.isUsed());
    this.sticky = world.plan.durability.isSticky(world.plan.durableRandom);
    this.invalidRequests = new InvalidRequests(name, world.plan, world.random);
    int count = 1 + world.random.below(2);
    for (int i = 0; i < count; i++) {
      begin();
    }
  }

  // Subscribes a new application to a topic or pattern that this client does not have yet, or has
  // with another selector.
  private void begin() {
    List<String> free = new ArrayList<>(world.plan.topics);
    free.addAll(world.plan.patterns);
    subscriptions.forEach(taken -> free.remove(taken.topic()));
    String topic = world.random.of(free);
    String start =
        world.random.of(List.of("\"now\"", "\"snapshot\"", "{\"last\":5}", "{\"last\":100}"));
    String delivery =
        world.random.of(
            List.of("", "", "", ",\"delivery\":\"latest\"", ",\"rate\":20", ",\"rate\":0.7"));
    int ref = applications++;
    InterestKey key = world.plan.selectors.key(topic);
    Application application =
        new Application(name + " " + key + "/" + ref, key, !delivery.isEmpty(), world);
    Continuity continuity = new Continuity(start, broken, application);
    continuity.overlap(overlap);
    ClientSubscription added =
        new ClientSubscription(ref, key, delivery, continuity, application, world);
    subscriptions.add(added);
    world.trace.note(application.subject, () -> "is new: from " + start + delivery);
    if (connection != null) {
      subscribe(added);
    }
  }

  private void subscribe(ClientSubscription subscription) {
    String frame = subscription.subscribeFrame();
    world.trace.note(subscription.application.subject, () -> "asks " + node.name + " " + frame);
    connection.send(frame);
  }

  /** Replaces one application by another. */
  void replace() {
    ClientSubscription old = subscriptions.remove(world.random.below(subscriptions.size()));
    forgetChannels(old);
    if (connection != null && !old.isInactive()) {
      connection.send(old.unsubscribeFrame());
    }
    begin();
  }

  // The channels of a tagged subscription only identify topics.
  private void forgetChannels(ClientSubscription ended) {
    if (!ended.isTagged()) {
      channels.values().removeIf(ended.topic()::equals);
    }
  }

  /** Sends an invalid request. */
  void sendInvalidRequest() {
    if (connection != null) {
      world.tally.invalid++;
      connection.send(
          invalidRequests.next(
              subscriptions.size(),
              subscriptions.stream()
                  .filter(one -> !one.isTagged())
                  .map(ClientSubscription::topic)
                  .toList()));
    }
  }

  /** Connects to a node that accepts clients, unless it is connected. */
  void connect() {
    if (connection != null) {
      return;
    }
    boolean stays = node != null && (world.random.oneIn(3) || isStickyNow());
    SimulatedNode next = stays ? node : world.random.of(world.nodes);
    if (!next.acceptsClients()) {
      retry();
      return;
    }
    node = next;
    world.tally.connections++;
    world.trace.note(name, () -> "connects to " + next.name);
    connection = next.accept(this, encoding, compression.newWindow());
    connection.slow(world.makesSlow());
    if (world.isHealing()) {
      connection.widen();
    }
    reader = compression.newReader();
    if (compression.isFramed()) {
      connection.send(compression.connect());
    }
    channels.clear();
    subscriptions.forEach(this::subscribe);
    if (world.random.oneIn(5)) {
      pause(world.random.mostlySmall(2 * Plan.SECOND));
    }
  }

  private boolean isStickyNow() {
    return sticky && !world.plan.durableRandom.oneIn(5);
  }

  private void retry() {
    long absence = sticky ? world.plan.durability.absence(world.plan.durableRandom) : 0;
    long away = absence + awayMicros;
    awayMicros = 0;
    world.timeline.after(away + world.random.mostlySmall(2 * Plan.SECOND), this::connect);
  }

  /** Cuts the connection. Either end may be notified late. */
  void cut() {
    if (connection != null) {
      connection.cut(
          world.random.mostlySmall(2 * Plan.SECOND), world.random.mostlySmall(2 * Plan.SECOND));
    }
  }

  /** Disconnects for some time. */
  void leave(long micros) {
    if (connection != null) {
      awayMicros = micros;
      connection.cut(0, 0);
    }
  }

  /** Stops reading for some time. */
  void pause(long micros) {
    SimulatedConnection paused = connection;
    if (paused != null) {
      world.trace.note(name, () -> "pauses");
      paused.reading(false);
      world.timeline.after(micros, () -> paused.reading(true));
    }
  }

  /** Reads without delay from now on, and receives its backlog at once. */
  void readAtFullSpeed() {
    if (connection != null) {
      connection.slow(false);
      connection.widen();
    }
  }

  /** Handles the loss of a connection. */
  @Override
  public void onCut(SimulatedConnection gone) {
    if (gone == connection) {
      world.trace.note(name, () -> "has lost its connection");
      disconnect();
    }
  }

  private void disconnect() {
    connection = null;
    invalidRequests.onConnectionLost();
    for (ClientSubscription subscription : subscriptions) {
      subscription.onConnectionLost();
    }
    retry();
  }

  @Override
  public void onBytes(SimulatedConnection from, byte[] bytes) {
    if (from != connection) {
      return;
    }
    try {
      reader.read(bytes, (opcode, payload) -> onFrame(from, opcode, payload));
    } catch (Failure e) {
      throw e;
    } catch (AssertionError e) {
      throw new Failure(name, e.getMessage());
    }
  }

  private void onFrame(SimulatedConnection from, int opcode, ByteBuffer payload) {
    if (from != connection) {
      return;
    }
    if (opcode == WebSocketFrame.CLOSE) {
      onClose(payload.getShort());
    } else if (opcode == WebSocketFrame.BINARY) {
      onBinary(payload);
    } else {
      onText(StandardCharsets.UTF_8.decode(payload).toString());
    }
  }

  private void onClose(int code) {
    world.trace.note(name, () -> "is closed with " + code);
    if (code >= RETRY_ELSEWHERE + 100) {
      throw new Failure(name, "is closed with " + code);
    }
    connection.cut(0, 0);
  }

  private void onBinary(ByteBuffer message) {
    int channel = message.getInt(0) & 0xFF_FFFF;
    long low = message.getInt(4) & 0xFFFF_FFFFL;
    boolean tagged = (message.get(0) & TAGGED) != 0;
    long id = received(message.getLong(8), payload(message, tagged ? TAG_AT + 4 : TAG_AT));
    if (tagged) {
      onTagged(message.getInt(TAG_AT), id, low);
      return;
    }
    String pattern = channels.get(channel);
    for (ClientSubscription subscription : subscriptions) {
      if (subscription.continuity.isAnswered()
          && !subscription.isTagged()
          && (subscription.channel == channel || subscription.topic().equals(pattern))) {
        subscription.onMessage(id, subscription.wholeOffset(low));
        return;
      }
    }
    if (pattern == null && subscriptions.stream().allMatch(one -> one.continuity.isAnswered())) {
      world.tally.unknownChannels++;
    }
  }

  private static String payload(ByteBuffer message, int from) {
    return StandardCharsets.UTF_8.decode(message.duplicate().position(from)).toString();
  }

  // Without the rule, a node forwards the ids of messages unchanged.
  private long received(long id, String payload) {
    world.broker.identify(id, payload);
    return broken.contains(Rule.REPEATED_IS_ANOTHER)
        ? world.broker.byIdentity(id).message().identity()
        : id;
  }

  private void onTagged(int ref, long id, long low) {
    for (ClientSubscription subscription : subscriptions) {
      if (subscription.isTagged()
          && subscription.ref == ref
          && subscription.continuity.isAnswered()) {
        subscription.onMessage(id, subscription.wholeOffset(low));
      }
    }
  }

  private void onText(String text) {
    JsonNode frame = parse(text);
    switch (frame.get("type").asText()) {
      case "hello" -> onHello(frame);
      case "channel" -> channels.put(frame.get("channel").asInt(), frame.get("pattern").asText());
      case "caught-up" -> onCaughtUp(frame.get("time").asLong());
      case "draining" -> onDraining();
      case "error" -> onError(frame);
      case "subscribed", "message", "gap" -> onSubscriptionFrame(frame);
      default -> {
        // no effect on a position
      }
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + text, e);
    }
  }

  private void onError(JsonNode frame) {
    long ref = frame.path("ref").asLong(-1);
    String code = frame.get("code").asText();
    if (InvalidRequests.isInvalid(ref)) {
      invalidRequests.onError(ref, code);
    } else if (!isExpected(code, frame.get("topic").asText())) {
      throw new Failure(name, "is answered " + frame);
    } else {
      subscriptions.stream()
          .filter(subscription -> subscription.ref == ref)
          .forEach(subscription -> onRefused(subscription, code));
    }
  }

  private boolean isExpected(String code, String topic) {
    return switch (code) {
      case "unknown-topic" ->
          world.broker.hasRefused(topic)
              || world.plan.hardship.warm().stream().anyMatch(world.broker::hasRefused)
              || world.plan.durability.patterns().stream().anyMatch(world.broker::hasRefused);
      case "too-many-topics" -> world.plan.hardship.hasFewTopics();
      case "not-subscribed" -> world.plan.hardship.refuses(); // a refusal was in flight
      default -> false;
    };
  }

  private void onRefused(ClientSubscription refused, String code) {
    world.tally.refusals++;
    world.trace.note(refused.application.subject, () -> "is refused: " + code);
    forgetChannels(refused);
    refused.onRefused(code);
    SimulatedConnection asked = connection;
    world.timeline.after(
        world.random.mostlySmall(4 * Plan.SECOND),
        () -> {
          if (connection == asked && subscriptions.contains(refused)) {
            subscribe(refused);
          }
        });
  }

  private void onHello(JsonNode frame) {
    overlap = frame.get("limits").get("overlap").asInt();
    subscriptions.forEach(subscription -> subscription.continuity.overlap(overlap));
  }

  private void onCaughtUp(long timeMs) {
    world.tally.proofs++;
    world.trace.note(name, () -> "receives caught-up to " + timeMs);
    subscriptions.forEach(subscription -> subscription.onCaughtUp(timeMs));
  }

  // The client may close the connection before the node does.
  private void onDraining() {
    if (world.random.oneIn(2)) {
      connection.cut(0, 0);
    }
  }

  private void onSubscriptionFrame(JsonNode frame) {
    String type = frame.get("type").asText();
    String topic = frame.path("pattern").asText(frame.get("topic").asText());
    if (InvalidRequests.isInvalid(frame.path("ref").asLong())) {
      throw new Failure(name, "is granted " + frame);
    }
    for (ClientSubscription subscription : subscriptions) {
      boolean tagged = subscription.isTagged();
      boolean isMeant = tagged ? frame.path("ref").asLong(-1) == subscription.ref : isPlain(frame);
      if (subscription.topic().equals(topic) && isMeant) {
        onFrame(subscription, type, frame);
        return;
      }
    }
  }

  // Messages and gaps of a plain subscription carry no ref.
  private static boolean isPlain(JsonNode frame) {
    return frame.get("type").asText().equals("subscribed")
        ? !frame.has("tagged")
        : !frame.has("ref");
  }

  private void onFrame(ClientSubscription subscription, String type, JsonNode frame) {
    Continuity continuity = subscription.continuity;
    if (type.equals("subscribed")) {
      if (frame.get("ref").asInt() == subscription.ref) {
        onSubscribed(subscription, frame);
      }
    } else if (subscription.isInactive()) {
      throw new Failure(subscription.application.subject, "is refused and gets " + frame);
    } else if (!continuity.isAnswered()) {
      return; // of an application that has ended
    } else if (type.equals("gap")) {
      subscription.onGap(frame);
    } else {
      long id =
          received(
              Long.parseUnsignedLong(frame.get("id").asText(), 16), frame.get("payload").asText());
      subscription.onMessage(id, frame.get("offset").asLong());
    }
  }

  private void onSubscribed(ClientSubscription subscription, JsonNode frame) {
    Application application = subscription.application;
    world.trace.note(application.subject, () -> "is answered " + frame);
    Continuity.Answer answer = ClientSubscription.answer(frame);
    subscription.channel = frame.path("channel").asInt(-1);
    channels.remove(subscription.channel);
    Position position = subscription.continuity.position();
    if (answer.recovered() != null) {
      Position reached = subscription.continuity.reached();
      if (!subscription.isForged()) {
        Position from = reached == null ? position : reached;
        world.onResumed(application, node, from, answer, subscription.askedMicros());
      } else if (answer.recovered() && answer.epoch() != position.epoch()) {
        application.fail("resumed at a time of the future");
      }
    }
    subscription.onSubscribed(node, answer);
  }

  /** Checks the applications while no message is in flight. */
  void checkAtRest() {
    subscriptions.stream()
        .filter(subscription -> subscription.continuity.isAnswered())
        .forEach(subscription -> subscription.application.checkAtRest());
  }

  /**
   * Checks after the faults that the client is connected and answered and has the newest message of
   * each slot.
   */
  void checkFinal() {
    for (ClientSubscription subscription : subscriptions) {
      if (subscription.continuity.isAnswered()) {
        subscription.application.checkFinal();
      } else if (!"too-many-topics".equals(subscription.refusal())) {
        throw new Failure(subscription.application.subject, "has no answer");
      }
    }
    invalidRequests.checkFinal();
  }
}
