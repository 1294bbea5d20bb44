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
 * Requests for the active topics of all other nodes, and replies to theirs. Bound to the cluster's
 * thread.
 */
final class TopicsExchange {
  private static final int MAX_REQUESTS = 16;

  private final MemberTable membership;
  private final IntFunction<List<String>> own;
  private final int maxNames;
  private final BiConsumer<Address, ClusterMessage> sender;
  private final Map<Long, Request> requests = new HashMap<>();
  private long ids;

  /**
   * @param own supplies this node's active topics up to a limit; called on the cluster's thread
   * @param maxNames limit in both directions
   * @param sender sends a message to one node
   */
  TopicsExchange(
      MemberTable membership,
      IntFunction<List<String>> own,
      int maxNames,
      BiConsumer<Address, ClusterMessage> sender) {
    this.membership = membership;
    this.own = own;
    this.maxNames = maxNames;
    this.sender = sender;
  }

  /** Pending request. */
  private static final class Request {
    private final int limit;
    private final CompletableFuture<List<String>> answer;

    /** Number of parts received from each requested node. */
    private final Map<Address, Integer> parts = new HashMap<>();

    /** Nodes whose reply is complete. */
    private final Set<Address> done = new HashSet<>();

    private final Set<String> names = new LinkedHashSet<>();
    private boolean halfTimedOut;

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

  /**
   * Registers a request, which {@link #onChange} sends. More than 16 pending requests are rejected.
   *
   * @return its id for {@link #onHalfTimeout} and {@link #onTimeout}
   */
  long register(int limit, CompletableFuture<List<String>> answer) {
    long id = ++ids;
    if (requests.size() >= MAX_REQUESTS) {
      answer.completeExceptionally(
          new IllegalStateException(
              "more than " + MAX_REQUESTS + " concurrent requests for topics"));
      return id;
    }
    requests.put(id, new Request(Math.min(limit, maxNames), answer));
    return id;
  }

  /**
   * Sends pending requests to the nodes that have not received them. To be called after a
   * registration, and after a change of the members or their states.
   */
  void onChange() {
    for (long id : List.copyOf(requests.keySet())) {
      Request request = requests.get(id);
      for (Address node : membership.withStatus()) {
        if (request.parts.putIfAbsent(node, 0) == null) {
          sender.accept(node, new ClusterMessage.TopicsRequest(id, request.limit));
        }
      }
      completeIfDone(id, request);
    }
  }

  private void completeIfDone(long id, Request request) {
    boolean full = request.names.size() >= request.limit;
    boolean enough = request.halfTimedOut && request.done.stream().anyMatch(membership::isUp);
    if (full || enough || hasAll(request)) {
      requests.remove(id).answer.complete(List.copyOf(request.names));
    }
  }

  /** Returns whether all nodes have replied. */
  private boolean hasAll(Request request) {
    return membership.hasAllStatuses()
        && request.parts.keySet().stream()
            .allMatch(node -> request.done.contains(node) || !membership.has(node));
  }

  /** Handles half of the timeout: from then on the reply of one node that is up suffices. */
  void onHalfTimeout(long id) {
    Request request = requests.get(id);
    if (request != null) {
      request.halfTimedOut = true;
      completeIfDone(id, request);
    }
  }

  void onTimeout(long id) {
    Request request = requests.remove(id);
    if (request != null) {
      request.answer.completeExceptionally(
          new TimeoutException(
              request.parts.size() + " nodes did not all send their topics in time"));
    }
  }

  void onPart(Address from, ClusterMessage.Topics part) throws MessageCodec.Malformed {
    Request request = requests.get(part.id());
    if (request == null || !request.parts.containsKey(from) || request.done.contains(from)) {
      return;
    }
    int parts = request.parts.get(from);
    if (part.index() != parts) {
      throw new MessageCodec.Malformed(
          "part " + part.index() + " of topics, expected part " + parts);
    }
    request.parts.put(from, parts + 1);
    request.add(part.names());
    if (part.last() || part.names().isEmpty()) {
      request.done.add(from);
    }
    completeIfDone(part.id(), request);
  }

  void onRequest(Address from, ClusterMessage.TopicsRequest request) {
    List<String> names = own.apply(Math.min(request.limit(), maxNames));
    split(
        names,
        Math.min(request.limit(), maxNames),
        request.id(),
        part -> sender.accept(from, part));
  }

  private static void split(List<String> names, int limit, long id, Consumer<ClusterMessage> out) {
    List<String> part = new ArrayList<>();
    int index = 0;
    int bytes = 0;
    for (String name : names.subList(0, Math.min(names.size(), limit))) {
      int size = MessageCodec.size(name);
      if (size > MessageCodec.MAX_TOPIC_BYTES) {
        continue;
      }
      if (bytes + size > MessageCodec.MAX_PART_BYTES
          || part.size() >= MessageCodec.MAX_PART_NAMES) {
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
