package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletionStage;

/** List of clients. Each event loop and each node returns its first ones up to the page's end. */
public record ClientsQuery(Page page) implements Query {
  private static final String CLIENTS = "clients";
  private static final String TOTAL = "total";

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .<First>clients(() -> new First(page, source.node()))
        .thenApply(
            loops -> {
              Listed merged = new Listed();
              loops.forEach(loop -> merged.add(loop.listed, loop.total));
              return merged.json(page);
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

  @Override
  public boolean isShared() {
    return page.end() <= Page.MAX_LIMIT; // longer pages would fill the memory
  }

  @Override
  public Query perNode(boolean isOnly) {
    return new ClientsQuery(page.fromStart(page.end()));
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

  /**
   * Client with its place in the order. Clients of one rank are in the order of nodes and numbers.
   *
   * @param <C> type of the client
   */
  private record Ranked<C>(long rank, String node, long number, C client)
      implements Comparable<Ranked<?>> {
    static Ranked<JsonObject> of(String sort, JsonObject client) {
      String session = client.getString(ClientJson.SESSION);
      return new Ranked<>(
          ClientsQuery.rank(sort, client),
          client.getString(ClientJson.NODE),
          ClientAction.SessionId.number(session),
          client);
    }

    @Override
    public int compareTo(Ranked<?> other) {
      int byRank = Long.compare(rank, other.rank);
      int byNode = byRank == 0 ? node.compareTo(other.node) : byRank;
      return byNode == 0 ? Long.compare(number, other.number) : byNode;
    }
  }

  /**
   * First clients of one event loop. JSON is created only for those that may be on the page, once
   * all are ranked.
   */
  private static final class First implements ClientCollector<First> {
    private final Page page;
    private final String node;
    private final PriorityQueue<Ranked<ClientView>> first =
        new PriorityQueue<>(Comparator.reverseOrder());
    private final List<Ranked<JsonObject>> listed = new ArrayList<>();
    private long total;

    First(Page page, String node) {
      this.page = page;
      this.node = node;
    }

    @Override
    public void add(ClientView client) {
      if (!matches(client)) {
        return;
      }
      total++;
      long rank = rank(page.sort(), client);
      boolean full = first.size() == page.end();
      if (full && rank > first.peek().rank) {
        return;
      }
      first.add(new Ranked<>(rank, node, client.number(), client));
      if (full) {
        first.poll();
      }
    }

    private boolean matches(ClientView client) {
      return page.matches(client.subject())
          || page.matches(client.address())
          || page.matches(client.session());
    }

    @Override
    public boolean prepare() {
      Ranked<ClientView> next = first.poll();
      if (next != null && next.client.isOpen()) {
        JsonObject json = ClientJson.of(node, next.client);
        listed.add(new Ranked<>(next.rank, node, next.number, json));
      }
      return next == null;
    }

    @Override
    public First result() {
      return this;
    }
  }

  /** Clients of several sources. Confined to one thread. */
  private static final class Listed {
    private final List<Ranked<JsonObject>> clients = new ArrayList<>();
    private long total;

    void add(List<Ranked<JsonObject>> more, long ofTotal) {
      clients.addAll(more);
      total += ofTotal;
    }

    JsonObject json(Page page) {
      Collections.sort(clients);
      List<JsonObject> sorted = page.cut(clients).stream().map(Ranked::client).toList();
      return new JsonObject().put(CLIENTS, new JsonArray(sorted)).put(TOTAL, total);
    }
  }

  /** Clients of all nodes. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final Page page;
    private final Listed all = new Listed();

    Nodes(Page page) {
      this.page = page;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray clients = answer.getJsonArray(CLIENTS);
      List<Ranked<JsonObject>> more = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        more.add(Ranked.of(page.sort(), clients.getJsonObject(i)));
      }
      all.add(more, answer.getLong(TOTAL));
    }

    @Override
    public JsonObject result() {
      return all.json(page);
    }
  }
}
