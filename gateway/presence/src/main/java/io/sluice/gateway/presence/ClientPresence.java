package io.sluice.gateway.presence;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Topics that a client enters or watches. Created with the first request. Bound to the client's
 * event loop.
 */
final class ClientPresence implements PresenceClient, SessionFeature.State {
  /** Name of the action in the audit log. */
  private static final String ACTION = "presence";

  private static final String NOT_ENABLED = "presence is not enabled for the topic at this node: ";

  /** A longer subject does not fit into the messages between nodes. */
  private static final int MAX_SUBJECT = 1_024;

  private static final int ID_BYTES = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SessionContext session;
  private final SessionPolicy policy;
  private final PresenceHub hub;
  private final Map<String, Attendance> attendances = new HashMap<>();

  /** Topics of members with a random id, which would not be recognized after their return. */
  private final Map<String, String> randomIds = new HashMap<>();

  private TokenBucket bucket;

  /** Number of unanswered queries. */
  private int queries;

  private ClientPresence(SessionContext session, PresenceHub hub) {
    this.session = session;
    this.policy = session.policy();
    this.hub = hub;
  }

  /** Returns the feature of a node's sessions. */
  static SessionFeature<ClientPresence> feature(PresenceHub hub) {
    return SessionFeature.of(ClientPresence.class, session -> new ClientPresence(session, hub))
        .on(ClientFrame.Presence.class, ClientPresence::onPresence)
        .on(ClientFrame.Leave.class, ClientPresence::onLeave)
        .announcing(ClientPresence::announce);
  }

  private static void announce(SessionOptions options, Set<Feature> announced) {
    if (!options.presenceTopics().isEmpty()) {
      announced.add(Feature.PRESENCE);
    }
  }

  /** Returns whether the client attends no topic and waits for no answer. */
  @Override
  public boolean isIdle() {
    return attendances.isEmpty() && queries == 0;
  }

  void onPresence(ClientFrame.Presence frame) {
    TopicRules.Problem problem =
        problem(policy, frame.topic(), frame.members(), session.client().grant());
    if (problem == null) {
      problem = memberProblem(frame);
    }
    if (problem != null) {
      refuse(frame, problem.code(), problem.message());
    } else if (!takeToken()) {
      String why = "over " + policy.options().subscribeRate() + " requests for presence a second";
      refuse(frame, ErrorCode.RATE_LIMITED, why);
    } else if (frame.enter() || frame.watch()) {
      attend(frame);
    } else if (accept(frame, hub.query(attendance(frame)))) {
      queries++; // the answer is a later task of this event loop
    }
  }

  /**
   * Returns why a client may not enter or watch a topic, or null.
   *
   * @param members whether it receives the members
   */
  private static TopicRules.Problem problem(
      SessionPolicy by, String topic, boolean members, Grant grant) {
    TopicRules.Problem problem = by.options().topicRules().checkTopic(topic);
    if (problem == null) {
      problem = SessionPolicy.coverProblem(topic, by.options().presenceTopics(), NOT_ENABLED);
    }
    if (problem == null) {
      problem = by.subscribeProblem(InterestKey.of(topic), grant);
    }
    return problem != null || !members || grant.maySeeMembers(topic)
        ? problem
        : SessionPolicy.notGranted(topic, "see the members of");
  }

  private TopicRules.Problem memberProblem(ClientFrame.Presence frame) {
    int maxInfo = policy.options().presenceInfo();
    int info = frame.info() == null ? 0 : frame.info().getBytes(StandardCharsets.UTF_8).length;
    if (info > maxInfo) {
      policy.metrics().limitReached(LimitSettings.PRESENCE_INFO.key());
      String why =
          "\"info\" has %d bytes; %s is %d"
              .formatted(info, LimitSettings.PRESENCE_INFO.key(), maxInfo);
      return new TopicRules.Problem(ErrorCode.BAD_FRAME, why);
    }
    if (frame.enter() && session.client().principal().name().length() > MAX_SUBJECT) {
      String why = "the subject of the credential has more than " + MAX_SUBJECT + " characters";
      return new TopicRules.Problem(ErrorCode.FORBIDDEN, why);
    }
    return null;
  }

  private boolean takeToken() {
    long nowNs = System.nanoTime();
    if (bucket == null) {
      int rate = policy.options().subscribeRate();
      bucket = new TokenBucket(rate, Math.max(rate, policy.options().subscriptions()), nowNs);
    }
    return bucket.take(nowNs);
  }

  private void attend(ClientFrame.Presence frame) {
    Attendance before = attendances.get(frame.topic());
    if (before == null) {
      if (attendances.size() >= policy.options().subscriptions()) {
        policy.metrics().limitReached(LimitSettings.SUBSCRIPTIONS.key());
        String why = "limit of " + policy.options().subscriptions() + " topics per client reached";
        refuse(frame, ErrorCode.TOO_MANY_SUBSCRIPTIONS, why);
        return;
      }
      Limit exceeded = session.lease().subscribe(InterestKey.of(frame.topic()));
      if (exceeded != null) {
        refuse(frame, ErrorCode.TOO_MANY_TOPICS, exceeded.problem()); // shared, so it may end
        return;
      }
    }
    Attendance next = attendance(frame);
    if (accept(frame, hub.attend(next, before))) {
      attendances.put(frame.topic(), next);
      if (before != null) {
        before.stop();
      }
    } else if (before == null) {
      session.lease().unsubscribe(InterestKey.of(frame.topic()));
    }
  }

  private boolean accept(ClientFrame.Presence frame, boolean accepted) {
    if (!accepted) {
      refuse(frame, ErrorCode.RATE_LIMITED, "too many requests for presence wait at this node");
    }
    return accepted;
  }

  private Attendance attendance(ClientFrame.Presence frame) {
    PresenceMember member = frame.enter() ? member(frame) : null;
    return new Attendance(this, frame.ref(), frame.topic(), member, frame.watch(), frame.members());
  }

  private PresenceMember member(ClientFrame.Presence frame) {
    String topic = frame.topic();
    String id;
    if (frame.key() == null) {
      id = randomIds.computeIfAbsent(topic, name -> randomId());
    } else {
      randomIds.remove(topic);
      id = id(session.client().principal(), topic, frame.key());
    }
    return new PresenceMember(id, session.client().principal().name(), frame.info());
  }

  private static String randomId() {
    byte[] id = new byte[ID_BYTES];
    RANDOM.nextBytes(id);
    return text(id);
  }

  /** Returns the id of a member, which all nodes compute equally and no client can invert. */
  static String id(Principal principal, String topic, String key) {
    String all = String.join("\n", principal.mechanism().word(), topic, principal.name(), key);
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
      return text(Arrays.copyOf(hash, ID_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String text(byte[] id) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(id);
  }

  void onLeave(ClientFrame.Leave frame) {
    Attendance ended = attendances.get(frame.topic());
    if (ended == null) {
      String why = "no presence of this topic";
      session.error(frame.ref(), ErrorCode.NOT_SUBSCRIBED, why, Destination.topic(frame.topic()));
      return;
    }
    end(ended, true);
    session.send(hub.frames().left(frame.ref(), frame.topic()));
    session.closeIfComplete();
  }

  private void end(Attendance ended, boolean atOnce) {
    ended.stop();
    attendances.remove(ended.topic);
    boolean isRandom = randomIds.remove(ended.topic) != null;
    hub.leave(ended, atOnce || isRandom);
    session.lease().unsubscribe(InterestKey.of(ended.topic));
  }

  /** Ends presence that the client's new grant no longer allows. */
  @Override
  public void endForbidden() {
    forbidden(policy, session.client().grant())
        .forEach(
            (each, problem) -> {
              end(each, true);
              each.end();
              Destination topic = Destination.topic(each.topic);
              session.client().auditRefused(ACTION, topic, problem.code().code());
              session.send(session.refusal(each.ref, problem.code(), problem.message(), topic));
            });
  }

  /** Returns the presence that a grant does not allow, with the reason. */
  Map<Attendance, TopicRules.Problem> forbidden(SessionPolicy by, Grant grant) {
    Map<Attendance, TopicRules.Problem> forbidden = new IdentityHashMap<>(0);
    for (Attendance each : attendances.values()) {
      TopicRules.Problem problem = problem(by, each.topic, each.listed, grant);
      if (problem != null) {
        forbidden.put(each, problem);
      }
    }
    return forbidden;
  }

  /** Returns the same as texts, such as {@code presence rooms.7}. */
  @Override
  public Stream<String> forbiddenUses(SessionPolicy by, Grant grant) {
    return forbidden(by, grant).keySet().stream().map(each -> ACTION + " " + each.topic);
  }

  /** Ends presence of a client that has disconnected; one that returns has a grace time. */
  @Override
  public void close(boolean forGood) {
    List.copyOf(attendances.values()).forEach(each -> end(each, forGood));
  }

  private void refuse(ClientFrame.Presence frame, ErrorCode code, String why) {
    session.refuse(ACTION, frame.ref(), code, why, Destination.topic(frame.topic()));
  }

  @Override
  public Object loop() {
    return session.loop();
  }

  @Override
  public void execute(Runnable task) {
    session.later(task);
  }

  @Override
  public void answer(Attendance request, ByteBuf frame) {
    session.send(frame);
    if (request.isQuery()) {
      queries--;
      session.closeIfComplete();
    }
  }

  @Override
  public boolean offerFrames(ByteBuf frame) {
    return session.offerFrames(frame);
  }

  @Override
  public void releaseAfterBatch(ByteBuf frame) {
    session.releaseAfterBatch(frame);
  }
}
