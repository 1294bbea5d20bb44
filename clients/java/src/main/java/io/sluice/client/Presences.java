package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Topics that a client has entered or watches. All events are tasks of the dispatcher. */
final class Presences {
  private final SluiceClient client;

  /** Secret by which the nodes recognize the client after a reconnect. */
  private final String key = new BigInteger(128, new SecureRandom()).toString(16);

  /** Any thread may use it. */
  private final Map<String, Presence> byTopic = Collections.synchronizedMap(new LinkedHashMap<>());

  private Connection connection;

  Presences(SluiceClient client) {
    this.client = client;
  }

  /** Adds a presence; requires that there is none of the topic. */
  CompletableFuture<Presence> add(String topic, PresenceOptions options) {
    Presence presence = new Presence(this, topic, options, key);
    if (byTopic.putIfAbsent(topic, presence) != null) {
      throw new IllegalStateException("a presence exists: " + topic);
    }
    update(presence);
    return presence.opened;
  }

  void update(Presence presence) {
    client.dispatcher().execute(() -> request(presence));
  }

  void leave(Presence presence) {
    if (byTopic.remove(presence.topic(), presence)) {
      client.dispatcher().execute(() -> end(presence));
    }
  }

  void guard(Runnable callback) {
    client.guard(callback);
  }

  private void end(Presence presence) {
    if (connection != null && presence.ref != 0) {
      long ref = client.nextRef();
      Map<String, Object> frame = SluiceClient.frame("leave");
      frame.put("ref", ref);
      frame.put("topic", presence.topic());
      // The call reads the answer.
      connection.call(ref, frame);
    }
    presence.onLost();
    fail(presence, new SluiceException("closed", "the client has left " + presence.topic()));
  }

  private void request(Presence presence) {
    if (connection == null || byTopic.get(presence.topic()) != presence) {
      return;
    }
    if (connection.hasFeature("presence")) {
      connection.send(presence.frame(client.nextRef()));
    } else {
      refuse(presence, new SluiceException("unsupported", "the node has no presence"));
    }
  }

  private Collection<Presence> all() {
    synchronized (byTopic) {
      return new ArrayList<>(byTopic.values());
    }
  }

  void onOpen(Connection opened) {
    connection = opened;
    all().forEach(this::request);
  }

  void onEnd() {
    connection = null;
    all().forEach(Presence::onLost);
  }

  void onPresent(Frame frame) {
    Presence presence = byTopic.get(frame.text("topic"));
    if (presence == null) {
      return;
    }
    if (!frame.has("ref")) {
      presence.onChange(frame);
    } else if (frame.ref() == presence.ref) {
      presence.onAnswer(frame);
      client.complete(presence.opened, presence);
    }
  }

  /** Returns whether the error belongs to a presence. */
  boolean onError(Frame frame) {
    for (Presence presence : all()) {
      if (frame.has("ref") && frame.ref() == presence.ref) {
        refuse(presence, Connection.error(frame));
        return true;
      }
    }
    return false;
  }

  private void refuse(Presence presence, SluiceException error) {
    presence.onLost();
    if (!presence.opened.isDone()) {
      byTopic.remove(presence.topic(), presence);
      fail(presence, error);
      return;
    }
    client.report(error);
    if (Subscriptions.TEMPORARY.contains(error.code())) {
      int failures = ++presence.failures;
      client.retry(failures, () -> retry(presence, failures));
    }
  }

  private void retry(Presence presence, int failures) {
    if (presence.ref == 0 && presence.failures == failures) {
      request(presence);
    }
  }

  /** Requests the refused presences again, because the node has accepted another credential. */
  void onRefreshed() {
    all().forEach(presence -> retry(presence, presence.failures));
  }

  private void fail(Presence presence, SluiceException error) {
    client.run(() -> presence.opened.completeExceptionally(error));
  }

  void onClose() {
    connection = null;
    SluiceException closed = new SluiceException("closed", "the client is closed");
    for (Presence presence : all()) {
      presence.onLost();
      fail(presence, closed);
    }
    byTopic.clear();
  }
}
