package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Client that checks the guarantees of the protocol at each event. After {@code subscribed} every
 * offset and every number of a topic follows the previous one, unless a gap was reported. Bound to
 * the test's thread.
 */
final class RecordingClient extends JoinedClient {
  private static final Pattern MESSAGE =
      Pattern.compile(
          "\\{\"type\":\"message\",\"topic\":\"([^\"]*)\"(?:,\"pattern\":\"([^\"]*)\")?"
              + ",\"offset\":(\\d+),.*\"payload\":\"(\\d+)\"}");
  private static final Pattern CHANNEL =
      Pattern.compile(
          "\\{\"type\":\"channel\",\"channel\":(\\d+),\"pattern\":\"([^\"]*)\",\"topic\":\"([^\"]*)\"}");

  private record Name(String subscription, String topic) {}

  /** Progress in one subscription. */
  private static final class Place {
    private long offset;
    private boolean gap;
    private boolean conflated;
    private int replay;
    private final Map<String, Integer> numbers = new HashMap<>();
  }

  /** Identities of the messages in JSON, in order, since the latest stream began. */
  final List<String> ids = new ArrayList<>();

  final List<String> events = new ArrayList<>();
  final Map<String, Subscription> subscriptions = new HashMap<>();
  final Map<String, SubscriptionStart> admissions = new HashMap<>();
  RuntimeException failure;

  /** Exception thrown by gaps and broker state changes; null for none. */
  RuntimeException eventFailure;

  /** Frames of gaps. */
  final List<String> gaps = new ArrayList<>();

  /** Room for bytes that the client reports. */
  long room = Long.MAX_VALUE;

  /** Task that runs when the hub finds no room. */
  Runnable onLag = () -> {};

  /** Largest batch that the client has received. */
  int mostBytes;

  int mostFrames;

  /** True if the numbers of a topic may arrive in any order, as those of a broker's history do. */
  boolean anyOrder;

  private final Map<String, Place> places = new HashMap<>();
  private final Map<Integer, Name> channels = new HashMap<>();
  private final List<ByteBuf> queued = new ArrayList<>();

  RecordingClient(HubShard shard, Encoding encoding) {
    super(shard, encoding);
  }

  void subscribe(String topic) {
    subscribe(topic, Start.NOW, Delivery.ALL);
  }

  void subscribe(String topic, Start start, Delivery delivery) {
    subscriptions.put(
        topic, shard.subscribe(this, InterestKey.of(topic), 1, false, start, delivery));
  }

  void unsubscribe(String topic) {
    subscriptions.remove(topic).end();
    places.remove(topic);
  }

  void leave() {
    List.copyOf(subscriptions.keySet()).forEach(this::unsubscribe);
    shard.leave(this);
  }

  /** Returns whether all messages up to this number have arrived, or a gap was reported since. */
  boolean isCurrent(String subscription, String topic, int number) {
    Place place = places.get(subscription);
    return place != null && (place.gap || place.numbers.getOrDefault(topic, -1) == number);
  }

  boolean isStanding(String subscription) {
    return places.containsKey(subscription);
  }

  @Override
  public void onFrames(ByteBuf frames) {
    if (failure != null) {
      throw failure;
    }
    queued.add(frames);
    ByteBuf rest = frames.duplicate();
    int count = 0;
    while (rest.isReadable()) {
      read(nextPayload(rest));
      count++;
    }
    mostBytes = Math.max(mostBytes, frames.readableBytes());
    mostFrames = Math.max(mostFrames, count);
    touch();
  }

  @Override
  public void onBatchEnd() {
    super.onBatchEnd();
    assertThat(queued).as("frames are lent until now").allMatch(frame -> frame.refCnt() > 0);
    queued.clear();
    events.add("flush");
  }

  private static ByteBuf nextPayload(ByteBuf frames) {
    frames.skipBytes(1);
    int length = frames.readUnsignedByte();
    return frames.readSlice(length == 126 ? frames.readUnsignedShort() : length);
  }

  private void read(ByteBuf frame) {
    if (encoding().isBinary() && frame.getByte(frame.readerIndex()) == 1) {
      Name name = channels.get(frame.getUnsignedMedium(frame.readerIndex() + 1));
      assertThat(name).as("a channel that was announced").isNotNull();
      long offset = frame.getUnsignedInt(frame.readerIndex() + 4);
      frame.skipBytes(20);
      onMessage(name, offset, frame.toString(StandardCharsets.US_ASCII));
      return;
    }
    String text = frame.toString(StandardCharsets.UTF_8);
    Matcher message = MESSAGE.matcher(text);
    Matcher channel = CHANNEL.matcher(text);
    if (message.matches()) {
      String subscription = message.group(2) == null ? message.group(1) : message.group(2);
      Name name = new Name(subscription, message.group(1));
      ids.add(text.replaceAll(".*\"id\":\"([0-9a-f]{16})\".*", "$1"));
      onMessage(name, Long.parseLong(message.group(3)), message.group(4));
    } else if (channel.matches()) {
      Name name = new Name(channel.group(2), channel.group(3));
      channels.put(Integer.valueOf(channel.group(1)), name);
    } else {
      throw new AssertionError("no frame of the hub: " + text);
    }
  }

  private void onMessage(Name name, long offset, String payload) {
    Place place = places.get(name.subscription());
    int number = Integer.parseInt(payload);
    assertThat(place).as("an answered subscription to %s", name.subscription()).isNotNull();
    Integer before = place.numbers.put(name.topic(), number);
    if (place.replay > 0) {
      place.replay--;
    } else if (place.conflated) {
      assertThat(offset).as("offset in %s", name.subscription()).isGreaterThan(place.offset);
      place.offset = offset;
    } else {
      assertThat(offset).as("offset in %s", name.subscription()).isEqualTo(place.offset + 1);
      if (before != null && !place.gap && !anyOrder) {
        assertThat(number).as("number in %s", name).isEqualTo(before + 1);
      }
      place.offset = offset;
    }
    place.gap = false;
    events.add(name.topic() + "=" + payload + "@" + offset);
  }

  @Override
  public void onSubscribed(Subscription subscription, SubscriptionStart admission) {
    long offset = admission.offset();
    Channel channel = admission.channel();
    assertThat(subscriptions.values()).doesNotContainNull();
    assertThat(places).doesNotContainKey(subscription.topic());
    Place place = new Place();
    place.offset = offset;
    place.replay = admission.replay();
    place.conflated = subscription.delivery().latest();
    admissions.put(subscription.topic(), admission);
    places.put(subscription.topic(), place);
    if (channel != null) {
      channels.put(channel.number(), new Name(subscription.topic(), channel.topic()));
    }
    events.add("subscribed " + subscription.topic() + "@" + offset);
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    subscriptions.remove(subscription.topic());
    places.remove(subscription.topic());
    events.add("refused " + subscription.topic() + " " + code);
  }

  @Override
  public long room() {
    return room;
  }

  @Override
  public boolean isIdle() {
    if (room == 0) {
      onLag.run();
    }
    return room > 0;
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {
    if (eventFailure != null) {
      throw eventFailure;
    }
    assertThat(places).containsKey(topic);
    assertThat(offset).as("gap in %s", topic).isGreaterThanOrEqualTo(places.get(topic).offset);
    // Several topics of a pattern share its offsets, so from here on any of them may have a hole.
    places.get(topic).gap = true;
    places.get(topic).replay = 0; // later messages are live
    places.get(topic).offset = offset;
    places.get(topic).numbers.clear();
    String text = nextPayload(frame.duplicate()).toString(StandardCharsets.UTF_8);
    gaps.add(text);
    if (text.contains("\"epoch\"")) {
      ids.clear();
    }
    events.add("gap " + topic + " " + reason.code());
  }

  @Override
  public void onSources() {
    if (eventFailure != null) {
      throw eventFailure;
    }
    events.add(shard.lostSources() == 0 ? "live" : "stale");
  }
}
