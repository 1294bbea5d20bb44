package io.sluice.gateway.admin.query;

import io.sluice.gateway.audit.AuditLog;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Latest lines of the nodes' audit logs.
 *
 * @param search text that a line contains, in lower case; empty for all
 * @param kind word of the event; empty for all
 * @param limit maximum number of lines
 */
public record AuditQuery(AuditLog audit, String search, String kind, int limit) implements Query {
  /** Maximum number of lines of a response. */
  public static final int MAX_LIMIT = 1_000;

  private static final String RECORDS = "records";

  public AuditQuery {
    search = search.toLowerCase(Locale.ROOT);
  }

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    JsonArray records = new JsonArray();
    audit.recent().stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).contains(search))
        .map(JsonObject::new)
        .filter(each -> kind.isEmpty() || kind.equals(each.getString("event")))
        .limit(limit)
        .forEach(records::add);
    return CompletableFuture.completedFuture(new JsonObject().put(RECORDS, records));
  }

  @Override
  public String forNode() {
    return "/audit?scope=node&limit="
        + limit
        + (kind.isEmpty() ? "" : "&kind=" + kind)
        + "&search="
        + QueryInput.encoded(search);
  }

  @Override
  public Merge merge() {
    return new Nodes(limit);
  }

  /** Lines of all nodes. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final List<JsonObject> records = new ArrayList<>();
    private final int limit;

    Nodes(int limit) {
      this.limit = limit;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray more = answer.getJsonArray(RECORDS);
      for (int i = 0; i < more.size(); i++) {
        records.add(more.getJsonObject(i));
      }
    }

    @Override
    public JsonObject result() {
      records.sort(Comparator.comparing((JsonObject each) -> each.getInstant("time")).reversed());
      return new JsonObject().put(RECORDS, new JsonArray(records.stream().limit(limit).toList()));
    }
  }
}
