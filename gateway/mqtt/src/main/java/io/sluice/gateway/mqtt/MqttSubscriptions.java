package io.sluice.gateway.mqtt;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Subscriptions of a client to filters, mapped to those of its session. Bound to the client's event
 * loop.
 *
 * <p>Filters with QoS 0 use plain subscriptions, whose bytes all clients share. A retained message
 * or one with QoS 1 has bytes for one client, so these use tagged subscriptions.
 */
final class MqttSubscriptions {
  /** Refs below it are packet identifiers of publishes. */
  static final long FIRST_REF = 1 << 16;

  private static final String SHARE = "$share/";
  private static final Pattern GROUP = Pattern.compile("\\$share/[A-Za-z0-9_-]{1,64}/.");

  private final SessionPort port;
  private final PacketWriter writer;
  private final MqttOptions options;

  /** Null until the client receives a message in dedicated bytes. */
  private OutboundWindow window;

  /** By filter; one that cannot be changed while there is at most one, as for most clients. */
  private Map<String, FilterSubscription> filters = Map.of();

  private final PartTable parts = new PartTable();
  private long nextRef;

  /** Null if the client may have no durable subscriptions. */
  private final DurableSession durables;

  /** True if the broker has the subscriptions. The first SUBSCRIBE decides. */
  private boolean isDurable;

  /** Receives whether the subscriptions of an earlier connection lack no message; or null. */
  private Resumption resumption;

  /** Progress of the subscriptions of an earlier connection. */
  private static final class Resumption {
    private final Consumer<Boolean> result;
    private int unanswered;
    private boolean recovered = true;

    Resumption(Consumer<Boolean> result) {
      this.result = result;
    }
  }

  MqttSubscriptions(
      SessionPort port,
      PacketWriter writer,
      MqttOptions options,
      DurableSession durables,
      long firstRef) {
    this.durables = durables;
    this.nextRef = firstRef;
    this.port = port;
    this.writer = writer;
    this.options = options;
  }

  private OutboundWindow window() {
    if (window == null) {
      window = port.newWindow();
    }
    return window;
  }

  /** Returns the window, or null if the client has received no message with QoS 1. */
  OutboundWindow windowOrNull() {
    return window;
  }

  private void put(FilterSubscription added) {
    String filter = added.filter().filter();
    if (filters.isEmpty()) {
      filters = Map.of(filter, added);
      return;
    }
    if (!(filters instanceof LinkedHashMap)) {
      filters = new LinkedHashMap<>(filters);
    }
    filters.put(filter, added);
  }

  private FilterSubscription remove(String filter) {
    FilterSubscription removed = filters.get(filter);
    if (filters instanceof LinkedHashMap) {
      filters.remove(filter);
    } else if (removed != null) {
      filters = Map.of();
    }
    return removed;
  }

  void onSubscribe(MqttPacket.Subscribe packet) {
    if (filters.isEmpty()) {
      isDurable = packet.filters().stream().allMatch(each -> isHeld(each.filter()));
    }
    PendingSuback reply = new PendingSuback(packet.id(), packet.filters().size());
    for (int i = 0; i < packet.filters().size(); i++) {
      subscribe(packet.filters().get(i), reply, i);
    }
    send(reply);
  }

  private void send(PendingSuback reply) {
    if (reply.isComplete() && !reply.isSent()) {
      reply.sent();
      port.send(writer.suback(reply.id(), reply.codes(), reply.why()));
    }
  }

  private void subscribe(MqttPacket.Filter requested, PendingSuback reply, int index) {
    MqttPacket.Filter filter = requested.granted();
    List<String> patterns;
    try {
      checkSupported(filter);
      patterns = patterns(filter.filter());
    } catch (MqttFault refused) {
      reply.refuse(index, refused.reason(), refused.getMessage());
      return;
    }
    FilterSubscription existing = filters.get(filter.filter());
    boolean sendsRetained =
        filter.retainHandling() == 0 || filter.retainHandling() == 1 && existing == null;
    if (existing != null && isSame(existing.filter(), filter, patterns)) {
      existing.change(filter);
      reply.set(index, filter.qos());
      if (sendsRetained && group(filter.filter()) == null) {
        patterns.forEach(each -> sendRetained(each, filter.subscriptionId()));
      }
      return;
    }
    FilterSubscription added = new FilterSubscription(filter);
    put(added);
    List<Start> starts = new ArrayList<>(1);
    for (String pattern : patterns) {
      boolean retains =
          sendsRetained && group(filter.filter()) == null && options.mayBeRetained(pattern);
      starts.add(retains ? Start.SNAPSHOT : Start.NOW);
    }
    start(added, patterns, starts, new FilterRequest(added, reply, index, existing));
  }

  private static void checkSupported(MqttPacket.Filter filter) throws MqttFault {
    if (filter.noLocal()) {
      throw new MqttFault(MqttReason.IMPLEMENTATION_SPECIFIC, "No Local is not available");
    }
    if (filter.filter().startsWith(SHARE) && !GROUP.matcher(filter.filter()).lookingAt()) {
      throw new MqttFault(
          MqttReason.TOPIC_FILTER_INVALID,
          "a shared subscription is $share/GROUP/FILTER; a group has 1 to 64 letters (A-Z), digits,"
              + " - and _");
    }
  }

  /** Returns the group of a valid filter, or null. */
  private static String group(String filter) {
    return filter.startsWith(SHARE)
        ? filter.substring(SHARE.length(), filter.indexOf('/', SHARE.length()))
        : null;
  }

  private List<String> patterns(String filter) throws MqttFault {
    String group = group(filter);
    List<String> patterns =
        MqttTopics.patterns(
            group == null ? filter : filter.substring(SHARE.length() + group.length() + 1));
    if (!isDurable) {
      return patterns;
    }
    if (group != null || !durables.mayHold(patterns.get(0))) {
      throw new MqttFault(
          MqttReason.NOT_AUTHORIZED, "the session is durable, and " + filter + " cannot be");
    }
    return patterns.stream().filter(durables::mayHold).toList();
  }

  private boolean isHeld(String filter) {
    try {
      return durables != null
          && !filter.startsWith(SHARE)
          && durables.mayHold(MqttTopics.patterns(filter).get(0));
    } catch (MqttFault refused) {
      return true; // of no consequence
    }
  }

  /** Returns whether the broker has the session. */
  boolean isDurable() {
    return isDurable && !filters.isEmpty();
  }

  private boolean isSame(
      MqttPacket.Filter former, MqttPacket.Filter filter, List<String> patterns) {
    return former.qos() == filter.qos()
        && former.subscriptionId() == filter.subscriptionId()
        && patterns.stream().allMatch(each -> use(former, each) == use(filter, each));
  }

  private SubscribedPart.Use use(MqttPacket.Filter filter, String pattern) {
    if (group(filter.filter()) != null) {
      return SubscribedPart.Use.GROUP;
    }
    if (isDurable) {
      return SubscribedPart.Use.DURABLE;
    }
    if (filter.qos() > 0) {
      return SubscribedPart.Use.ACKNOWLEDGED;
    }
    boolean isTagged =
        filter.subscriptionId() != 0
            || filter.retainAsPublished() && options.mayBeRetained(pattern);
    return isTagged ? SubscribedPart.Use.FLAGGED : SubscribedPart.Use.SHARED;
  }

  private void start(
      FilterSubscription added, List<String> patterns, List<Start> starts, FilterRequest request) {
    List<Runnable> frames = new ArrayList<>(1);
    for (int i = 0; i < patterns.size(); i++) {
      SubscribedPart.Use use = use(added.filter(), patterns.get(i));
      Start start = starts.get(i);
      SubscribedPart part = use == SubscribedPart.Use.SHARED ? parts.shared(patterns.get(i)) : null;
      if (part == null) {
        part = newPart(use, patterns.get(i), added.filter());
        part.snapshotRequested = start == Start.SNAPSHOT;
        SubscribedPart begun = part;
        frames.add(() -> subscribe(begun, start));
      } else {
        part.users++;
        part.snapshotRequested |= start == Start.SNAPSHOT;
      }
      added.add(part);
      part.await(request);
    }
    request.expect(patterns.size());
    frames.forEach(Runnable::run);
    for (SubscribedPart each : added.parts()) {
      if (each.answered) {
        answer(each);
      }
    }
  }

  private SubscribedPart newPart(SubscribedPart.Use use, String pattern, MqttPacket.Filter filter) {
    SubscribedPart part = new SubscribedPart(use, nextRef++, pattern);
    part.retainAsPublished = filter.retainAsPublished();
    part.name = isDurable ? durables.name(filter, pattern) : group(filter.filter());
    part.qos = filter.qos();
    part.subscriptionId = filter.subscriptionId();
    parts.add(part);
    return part;
  }

  private void subscribe(SubscribedPart part, Start start) {
    if (part.use == SubscribedPart.Use.SHARED) {
      give(part, Start.NOW);
    } else if (part.isConsumer()) {
      ConsumerSource source =
          part.use == SubscribedPart.Use.GROUP
              ? ConsumerSource.shared(part.pattern, part.name)
              : ConsumerSource.durable(part.pattern, part.name);
      port.give(new ClientFrame.Consume(part.ref, source, null, options.credit()));
    } else {
      part.replaysRetained = start == Start.SNAPSHOT;
      if (part.position != null) {
        part.position.begin(start);
      }
      give(part, start);
    }
  }

  private void give(SubscribedPart part, Start start) {
    InterestKey key = InterestKey.of(part.pattern);
    port.give(new ClientFrame.Subscribe(part.ref, key, part.isTagged(), start, Delivery.ALL));
  }

  private void sendRetained(String pattern, int subscriptionId) {
    if (options.mayBeRetained(pattern)) {
      SubscribedPart part = new SubscribedPart(SubscribedPart.Use.RETAINED, nextRef++, pattern);
      part.replaysRetained = true;
      part.subscriptionId = subscriptionId;
      parts.add(part);
      port.later(() -> give(part, Start.SNAPSHOT));
    }
  }

  /** Processes the answer to a subscription of the session. */
  void onSubscribed(long ref, JsonObject frame) {
    SubscribedPart part = parts.get(ref);
    if (part == null) {
      return;
    }
    part.answered = true;
    part.replay = frame.getInteger("replay", 0);
    if (part.position != null) {
      part.position.onSubscribed(frame, part.replay > 0);
    }
    if (part.replay == 0) {
      onReplayed(part);
    }
    onResumed(frame.getBoolean("recovered", true));
    answer(part);
  }

  /** Returns the pattern of a subscription of the session, or null. */
  String pattern(long ref) {
    SubscribedPart part = parts.get(ref);
    return part == null ? null : part.pattern;
  }

  /** Processes the answer to a consumer of the session. */
  void onConsuming(long ref) {
    SubscribedPart part = parts.get(ref);
    if (part != null) {
      part.answered = true;
      onResumed(true);
      answer(part);
    }
  }

  /**
   * Processes a message of a consumer.
   *
   * @param record with the tag of the delivery as its offset, borrowed
   */
  void onDelivery(PublishRecord record, boolean redelivered) {
    SubscribedPart part = parts.get(record.ref());
    if (part == null) {
      return; // it returns to the broker
    }
    if (part.qos > 0) {
      OutboundMessage message = new OutboundMessage(part, record, false);
      if (redelivered && part.use == SubscribedPart.Use.DURABLE) {
        message.redelivers();
      }
      window().offer(message, record);
    } else {
      window().sendUnacknowledged(part, record.packet(), 0);
      window.settle(part, record.offset());
    }
  }

  private void answer(SubscribedPart part) {
    part.takeWaiting().forEach(each -> onAnswer(each, part));
  }

  private void onAnswer(FilterRequest request, SubscribedPart part) {
    if (part.answered && part.snapshotRequested && !part.replaysRetained) {
      part.snapshotRequested = false;
      sendRetained(part.pattern, part.subscriptionId);
    }
    if (request.onAnswer()) {
      complete(request);
    }
  }

  private void complete(FilterRequest request) {
    FilterSubscription subscription = request.subscription();
    if (request.isRefused()) {
      String filter = subscription.filter().filter();
      if (filters.get(filter) == subscription) {
        remove(filter);
      }
      port.later(() -> end(subscription));
    }
    if (request.replaced() != null) {
      port.later(() -> end(request.replaced()));
    }
    PendingSuback reply = request.complete();
    if (reply != null) {
      send(reply);
    }
  }

  /**
   * Processes an error about a subscription of the session: a refusal, or its end.
   *
   * @return false if the ref is not one of a subscription
   */
  boolean onError(long ref, String code, String message) {
    SubscribedPart part = parts.remove(ref);
    if (part == null) {
      return ref >= FIRST_REF;
    }
    discard(part);
    MqttReason reason = MqttReason.ofError(code, false);
    if (part.use == SubscribedPart.Use.GROUP && reason == MqttReason.IMPLEMENTATION_SPECIFIC) {
      reason = MqttReason.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED;
    }
    if (part.answered && part.use != SubscribedPart.Use.RETAINED) {
      port.end(reason, "subscription has ended: " + message);
      return true;
    }
    onResumed(false);
    for (FilterRequest each : part.takeWaiting()) {
      boolean isParent = each.subscription().remove(part);
      // A permission for a/> is enough for a/#.
      if (!isParent || reason != MqttReason.NOT_AUTHORIZED) {
        each.fail(reason, message);
      }
      onAnswer(each, part);
    }
    return true;
  }

  void onUnsubscribe(MqttPacket.Unsubscribe packet) {
    List<MqttReason> reasons = new ArrayList<>(1);
    for (String filter : packet.filters()) {
      FilterSubscription ended = remove(filter);
      if (ended == null) {
        reasons.add(MqttReason.NO_SUBSCRIPTION_EXISTED);
      } else {
        end(ended);
        reasons.add(MqttReason.SUCCESS);
      }
    }
    Runnable reply = () -> port.send(writer.unsuback(packet.id(), reasons));
    if (durables == null) {
      reply.run();
    } else {
      durables.afterRequests(reply);
    }
  }

  private void end(FilterSubscription ended) {
    ended.removeAll().forEach(this::endUse);
  }

  private void endUse(SubscribedPart part) {
    if (--part.users > 0 || parts.remove(part.ref) == null) {
      return;
    }
    discard(part);
    long tag = part.isTagged() ? part.ref : ClientFrame.NO_REF;
    port.give(new ClientFrame.Unsubscribe(ClientFrame.NO_REF, part.pattern, tag));
    if (part.use == SubscribedPart.Use.DURABLE) {
      durables.delete(part.pattern, part.name);
    }
    answer(part); // the session does not answer it any more
  }

  private void discard(SubscribedPart part) {
    if (window != null) {
      window.discard(part);
    }
  }

  /** Processes a message of a tagged subscription, which is borrowed. */
  void onRecord(PublishRecord record) {
    SubscribedPart part = parts.get(record.ref());
    if (part == null) {
      return;
    }
    boolean replayed = part.replay > 0;
    boolean retained = replayed && part.replaysRetained;
    if (!retained || isRetained(record)) {
      deliver(part, record, retained);
    }
    if (replayed && --part.replay == 0) {
      onReplayed(part);
    }
  }

  private boolean isRetained(PublishRecord record) {
    return record.packet().isReadable() && options.isRetained(record.topic());
  }

  private void deliver(SubscribedPart part, PublishRecord record, boolean retained) {
    switch (part.use) {
      case ACKNOWLEDGED -> deliverAcknowledged(part, record, retained);
      case RETAINED -> {
        if (retained) {
          window().sendUnacknowledged(part, record.packet(), PacketKind.RETAIN);
        }
      }
      default -> {
        boolean flagged = retained || isFlagged(part, record);
        window().sendUnacknowledged(part, record.packet(), flagged ? PacketKind.RETAIN : 0);
      }
    }
  }

  private void deliverAcknowledged(SubscribedPart part, PublishRecord record, boolean retained) {
    OutboundMessage message =
        new OutboundMessage(part, record, retained || isFlagged(part, record));
    PartPosition.SentBefore before = part.position.add(message);
    if (before != null && before.packetId() == 0) {
      message.acknowledged();
      part.advance();
      return;
    }
    if (before != null) {
      message.redelivers(before.packetId());
    }
    window().offer(message, record);
  }

  private boolean isFlagged(SubscribedPart part, PublishRecord record) {
    return part.retainAsPublished && isRetained(record);
  }

  private void onReplayed(SubscribedPart part) {
    if (window != null) {
      window.unreserve(part);
    }
    if (part.position != null) {
      part.position.onReplayed();
    }
    if (part.use == SubscribedPart.Use.RETAINED) {
      port.later(() -> endUse(part));
    }
  }

  /** Returns whether messages of a part are lost with the broker's connection. */
  boolean isGroup(long ref) {
    SubscribedPart part = parts.get(ref);
    return part != null && part.use == SubscribedPart.Use.GROUP;
  }

  /** Processes a gap; returns whether a subscription with QoS 1 may miss messages. */
  boolean onGap(Long ref) {
    SubscribedPart part = ref == null ? null : parts.get(ref.longValue());
    if (part != null && part.replay > 0) {
      part.replay = 0;
      onReplayed(part);
    }
    return part != null && part.use == SubscribedPart.Use.ACKNOWLEDGED;
  }

  /** Returns the filters with their positions, for the next connection of the client. */
  List<StoredFilter> stored() {
    List<StoredFilter> stored = new ArrayList<>(filters.size());
    for (FilterSubscription each : filters.values()) {
      List<StoredFilter.Part> positions = new ArrayList<>(1);
      for (SubscribedPart part : each.parts()) {
        if (part.use == SubscribedPart.Use.ACKNOWLEDGED) {
          Start start = part.position.resumption(part.replaysRetained, part.replay > 0);
          positions.add(new StoredFilter.Part(part.pattern, start, part.position.sent()));
        } else {
          positions.add(StoredFilter.Part.live(part.pattern));
        }
      }
      stored.add(new StoredFilter(each.filter(), positions));
    }
    return stored;
  }

  /**
   * Subscribes to the filters of an earlier connection.
   *
   * @param durable whether the broker has them
   * @param result receives whether the client misses no message; called later or now
   */
  void resume(List<StoredFilter> stored, boolean durable, Consumer<Boolean> result) {
    isDurable = durable;
    Resumption begun = new Resumption(result);
    for (StoredFilter each : stored) {
      begun.unanswered += each.parts().size();
    }
    if (begun.unanswered == 0) {
      result.accept(true);
      return;
    }
    resumption = begun;
    for (StoredFilter each : stored) {
      resume(each);
    }
  }

  private void resume(StoredFilter stored) {
    FilterSubscription added = new FilterSubscription(stored.filter());
    put(added);
    for (StoredFilter.Part each : stored.parts()) {
      SubscribedPart.Use use = use(stored.filter(), each.pattern());
      SubscribedPart part = use == SubscribedPart.Use.SHARED ? parts.shared(each.pattern()) : null;
      if (part != null) {
        part.users++;
        added.add(part);
        onResumed(true);
        continue;
      }
      part = newPart(use, each.pattern(), stored.filter());
      added.add(part);
      for (PartPosition.SentBefore sent : each.sent()) {
        part.position.addSentBefore(sent);
        if (sent.packetId() != 0) {
          window().reserve(sent.packetId(), part);
        }
      }
      subscribe(part, each.start());
    }
  }

  private void onResumed(boolean recovered) {
    Resumption pending = resumption;
    if (pending == null) {
      return;
    }
    pending.recovered &= recovered;
    if (--pending.unanswered == 0) {
      resumption = null;
      pending.result.accept(pending.recovered);
    }
  }

  /** Ends all subscriptions. */
  void endAll() {
    resumption = null;
    List.copyOf(filters.values()).forEach(this::end);
    filters = Map.of();
  }

  /** Returns a ref that no subscription has used. */
  long nextRef() {
    return nextRef;
  }
}
