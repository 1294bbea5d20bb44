package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletionStage;

/** List of clients. Each event loop and each node returns its first ones up to the page's end. */
public record ClientsQuery(Page page) implements Query {
  private static final String CLIENTS = "clients";
  private static final String TOTAL = "total";
  private static final String BY_SINCE = "since";

  /** Words of the orders, the default first. */
  public static final List<String> SORTS =
      List.of(BY_SINCE, "pending", "rtt", "gaps", "subscriptions");

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .<First>clients(() -> new First(page, source.node()))
        .thenApply(
            loops -> {
              Listed merged = new Listed(page.sort());
              loops.forEach(loop -> merged.add(loop.sorted(), loop.total));
              return merged.json(new Page("", page.sort(), 0, page.end()));
            });
  }

  @Override
  public String forNode() {
    return "/clients?scope=node&limit="
        + page.end()
        + "&sort="
        + page.sort()
        + "&search="
        + QueryInput.encoded(page.search());
  }

  @Override
  public Merge merge() {
    return new Nodes(page);
  }

  private static Comparator<JsonObject> order(String sort) {
    return Comparator.comparingLong((JsonObject client) -> rank(sort, client))
        .thenComparing(client -> client.getString(ClientJson.SESSION));
  }

  private static long rank(String sort, JsonObject client) {
    return switch (sort) {
      case "pending" -> -client.getLong(ClientJson.PENDING);
      case "rtt" -> -client.getLong(ClientJson.RTT, (long) ClientView.NO_RTT);
      case "gaps" -> -client.getLong(ClientJson.GAPS);
      case "subscriptions" -> -client.getLong(ClientJson.SUBSCRIPTIONS);
      default -> client.getLong(ClientJson.SINCE);
    };
  }

  private static long rank(String sort, ClientView client) {
    return switch (sort) {
      case "pending" -> -client.pendingBytes();
      case "rtt" -> -client.rttMs();
      case "gaps" -> -client.gaps();
      case "subscriptions" -> -client.subscriptionCount();
      default -> client.sinceMs();
    };
  }

  /** First clients of one event loop. JSON is created only for those that may be on the page. */
  private static final class First implements ClientCollector<First> {
    private final Page page;
    private final String node;
    private final PriorityQueue<JsonObject> first;
    private long total;

    First(Page page, String node) {
      this.page = page;
      this.node = node;
      this.first = new PriorityQueue<>(order(page.sort()).reversed());
    }

    @Override
    public void add(ClientView client) {
      if (!matches(client)) {
        return;
      }
      total++;
      boolean full = first.size() == page.end();
      if (full && rank(page.sort(), client) > rank(page.sort(), first.peek())) {
        return;
      }
      first.add(ClientJson.of(node, client));
      if (full) {
        first.poll();
      }
    }

    private boolean matches(ClientView client) {
      return page.matches(client.subject())
          || page.matches(client.address())
          || page.matches(client.session());
    }

    List<JsonObject> sorted() {
      return new ArrayList<>(first);
    }

    @Override
    public First result() {
      return this;
    }
  }

  /** Clients of several sources. Confined to one thread. */
  private static final class Listed {
    private final List<JsonObject> clients = new ArrayList<>();
    private final String sort;
    private long total;

    Listed(String sort) {
      this.sort = sort;
    }

    void add(List<JsonObject> more, long ofTotal) {
      clients.addAll(more);
      total += ofTotal;
    }

    JsonObject json(Page page) {
      clients.sort(order(sort));
      return new JsonObject().put(CLIENTS, page.cut(clients)).put(TOTAL, total);
    }
  }

  /** Clients of all nodes. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final Page page;
    private final Listed all;

    Nodes(Page page) {
      this.page = page;
      this.all = new Listed(page.sort());
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray clients = answer.getJsonArray(CLIENTS);
      List<JsonObject> more = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        rank(page.sort(), clients.getJsonObject(i)); // fails if the member has another type
        more.add(clients.getJsonObject(i));
      }
      all.add(more, answer.getLong(TOTAL));
    }

    @Override
    public JsonObject result() {
      return all.json(page);
    }
  }
}
