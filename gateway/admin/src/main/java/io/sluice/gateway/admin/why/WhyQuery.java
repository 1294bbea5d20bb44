package io.sluice.gateway.admin.why;

import io.sluice.gateway.admin.query.NodeSource;
import io.sluice.gateway.admin.query.Query;
import io.sluice.gateway.admin.query.QueryInput;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Reasons why a client receives no data of a topic.
 *
 * @param audit audit log of this node, with the ends of sessions
 */
public record WhyQuery(String subject, String topic, AuditLog audit) implements Query {
  /** Maximum number of sessions of the subject that are checked at a node. */
  static final int MAX_SESSIONS = 10;

  private static final String STEPS = "steps";
  private static final String LAST_END = "last-end";

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    CompletionStage<List<TopicFigures>> topics = source.topics(this::isCoveredBy);
    CompletionStage<TopicLoad> load = source.topicLoad();
    return source
        .<List<WhyClient>>clients(() -> new Sessions(this))
        .thenCombine(
            topics.thenCombine(load, (found, count) -> facts(source, found, count)),
            (loops, facts) -> json(loops, facts));
  }

  private WhySteps.Facts facts(NodeSource source, List<TopicFigures> topics, TopicLoad load) {
    return new WhySteps.Facts(
        source.node(),
        topics,
        load,
        source.brokerState(topic),
        source.waiting(topic),
        source.identityProblem(topic),
        System.currentTimeMillis());
  }

  private JsonObject json(List<List<WhyClient>> loops, WhySteps.Facts facts) {
    List<WhyStep> steps = new ArrayList<>();
    loops.stream()
        .flatMap(List::stream)
        .limit(MAX_SESSIONS)
        .forEach(client -> steps.addAll(new WhySteps(topic, facts).of(client)));
    JsonArray json = new JsonArray();
    steps.forEach(step -> json.add(step.json()));
    SessionEnd end = steps.isEmpty() ? SessionEnd.latest(audit, subject) : null;
    JsonObject answer = new JsonObject().put(STEPS, json);
    return end == null ? answer : answer.put(LAST_END, end.json());
  }

  boolean isCoveredBy(InterestKey key) {
    return TopicPattern.covers(key.topic(), topic);
  }

  @Override
  public String forNode() {
    return "/why?scope=node&subject="
        + QueryInput.encoded(subject)
        + "&topic="
        + QueryInput.encoded(topic);
  }

  @Override
  public Merge merge() {
    return new Nodes(this);
  }

  /** Sessions of the subject on one event loop. */
  private static final class Sessions implements ClientCollector<List<WhyClient>> {
    private final WhyQuery query;
    private final List<WhyClient> found = new ArrayList<>();

    Sessions(WhyQuery query) {
      this.query = query;
    }

    @Override
    public void add(ClientView client) {
      if (found.size() < MAX_SESSIONS && client.subject().equals(query.subject)) {
        found.add(WhyClient.of(client, query));
      }
    }

    @Override
    public List<WhyClient> result() {
      return found;
    }
  }

  /** Steps of the sessions at all nodes. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final WhyQuery query;
    private final List<WhyStep> steps = new ArrayList<>();
    private SessionEnd lastEnd;
    private List<String> missing = List.of();

    Nodes(WhyQuery query) {
      this.query = query;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray more = answer.getJsonArray(STEPS);
      for (int i = 0; i < more.size(); i++) {
        WhyStep step = WhyStep.of(more.getJsonObject(i));
        if (!step.node().isEmpty()) { // the node has a session of the subject
          steps.add(step);
        }
      }
      JsonObject end = answer.getJsonObject(LAST_END);
      if (end != null) {
        lastEnd = SessionEnd.later(lastEnd, SessionEnd.of(end));
      }
    }

    @Override
    public void missing(List<String> nodes) {
      missing = nodes;
    }

    private WhyStep noSession() {
      WhyStep.Source none = new WhyStep.Source("", "");
      String subject = "no session of the subject \"" + query.subject + "\" ";
      if (missing.isEmpty()) {
        return none.problem(WhyStep.SESSION, subject + "is connected" + lastEnd());
      }
      String silent = "was found, but these nodes did not respond: " + String.join(", ", missing);
      return none.unknown(WhyStep.SESSION, subject + silent + lastEnd());
    }

    private String lastEnd() {
      if (lastEnd != null) {
        return "; " + lastEnd.text(System.currentTimeMillis());
      }
      return query.audit.isRecorded(AuditEvent.DISCONNECTED)
          ? ""
          : "; ends of sessions are not recorded (audit.file, audit.events)";
    }

    @Override
    public JsonObject result() {
      JsonObject result = new JsonObject().put("subject", query.subject).put("topic", query.topic);
      if (steps.isEmpty()) {
        steps.add(noSession());
        if (lastEnd != null) {
          result.put(LAST_END, lastEnd.json());
        }
      }
      JsonArray json = new JsonArray();
      steps.forEach(step -> json.add(step.json()));
      return result.put(STEPS, json).put("answer", WhyAnswer.of(steps));
    }
  }
}
