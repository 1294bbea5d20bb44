package io.sluice.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jgroups.Address;

/**
 * Asks all other nodes for their active topics, and answers those who ask. Bound to the cluster's
 * thread.
 */
final class TopicsExchange {
  private static final int MOST_REQUESTS = 16;

  private final Membership membership;
  private final IntFunction<List<String>> own;
  private final int most;
  private final BiConsumer<Address, ClusterMessage> sender;
  private final Map<Long, Request> requests = new HashMap<>();
  private long ids;

  /**
   * @param own this node's active topics, as many as its argument allows; called by the cluster's
   *     thread
   * @param most names in either direction
   * @param sender takes what goes to one node
   */
  TopicsExchange(
      Membership membership,
      IntFunction<List<String>> own,
      int most,
      BiConsumer<Address, ClusterMessage> sender) {
    this.membership = membership;
    this.own = own;
    this.most = most;
    this.sender = sender;
  }

  /** One question, until it is answered. */
  private static final class Request {
    private final int limit;
    private final CompletableFuture<List<String>> answer;

    /** How many parts have come of each node that was asked. */
    private final Map<Address, Integer> parts = new HashMap<>();

    /** Those of them that have said all. */
    private final Set<Address> done = new HashSet<>();

    private final Set<String> names = new LinkedHashSet<>();
    private boolean slow;

    Request(int limit, CompletableFuture<List<String>> answer) {
      this.limit = limit;
      this.answer = answer;
    }

    void add(List<String> more) {
      more.stream()
          .filter(name -> !names.contains(name))
          .limit(limit - names.size())
          .forEach(names::add);
    }
  }

  /** Returns its number, for {@link #onSlow} and {@link #onTimeout}. */
  long ask(int limit, CompletableFuture<List<String>> answer) {
    long id = ++ids;
    if (requests.size() >= MOST_REQUESTS) {
      answer.completeExceptionally(
          new IllegalStateException("more than " + MOST_REQUESTS + " questions at once"));
      return id;
    }
    requests.put(id, new Request(Math.min(limit, most), answer));
    return id;
  }

  /** Who is there, or how far they are, has changed. */
  void onChange() {
    for (long id : List.copyOf(requests.keySet())) {
      Request request = requests.get(id);
      for (Address node : membership.heard()) {
        if (request.parts.putIfAbsent(node, 0) == null) {
          sender.accept(node, new ClusterMessage.TopicsRequest(id, request.limit));
        }
      }
      completeIfDone(id, request);
    }
  }

  private void completeIfDone(long id, Request request) {
    boolean full = request.names.size() >= request.limit;
    boolean enough = request.slow && request.done.stream().anyMatch(membership::isUp);
    if (full || enough || hasAll(request)) {
      requests.remove(id).answer.complete(List.copyOf(request.names));
    }
  }

  /** Whether nobody is left who could say more. */
  private boolean hasAll(Request request) {
    return membership.hasHeardOfAll()
        && request.parts.keySet().stream()
            .allMatch(node -> request.done.contains(node) || !membership.has(node));
  }

  /** Half of the time is over: what one node has said that serves is enough. */
  void onSlow(long id) {
    Request request = requests.get(id);
    if (request != null) {
      request.slow = true;
      completeIfDone(id, request);
    }
  }

  void onTimeout(long id) {
    Request request = requests.remove(id);
    if (request != null) {
      request.answer.completeExceptionally(
          new TimeoutException(request.parts.size() + " nodes were asked for their topics"));
    }
  }

  void onPart(Address from, ClusterMessage.Topics part) throws MessageCodec.Malformed {
    Request request = requests.get(part.id());
    if (request == null || !request.parts.containsKey(from) || request.done.contains(from)) {
      return;
    }
    int parts = request.parts.get(from);
    if (part.index() != parts) {
      throw new MessageCodec.Malformed("part " + part.index() + " of topics behind " + parts);
    }
    request.parts.put(from, parts + 1);
    request.add(part.names());
    if (part.last() || part.names().isEmpty()) {
      request.done.add(from);
    }
    completeIfDone(part.id(), request);
  }

  void onRequest(Address from, ClusterMessage.TopicsRequest request) {
    List<String> names = own.apply(Math.min(request.limit(), most));
    split(names, Math.min(request.limit(), most), request.id(), part -> sender.accept(from, part));
  }

  private static void split(List<String> names, int most, long id, Consumer<ClusterMessage> out) {
    List<String> part = new ArrayList<>();
    int index = 0;
    int bytes = 0;
    for (String name : names.subList(0, Math.min(names.size(), most))) {
      int size = MessageCodec.size(name);
      if (size > MessageCodec.MOST_TOPIC_BYTES) {
        continue;
      }
      if (bytes + size > MessageCodec.MOST_PART_BYTES
          || part.size() >= MessageCodec.MOST_PART_NAMES) {
        out.accept(new ClusterMessage.Topics(id, index++, false, List.copyOf(part)));
        part.clear();
        bytes = 0;
      }
      part.add(name);
      bytes += size;
    }
    out.accept(new ClusterMessage.Topics(id, index, true, List.copyOf(part)));
  }
}
