package io.sluice.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jgroups.Address;

/**
 * Asks one serving node after the other for its active topics, and answers those who ask. Bound to
 * the cluster's thread.
 */
final class TopicsExchange {
  private static final int MOST_REQUESTS = 16;

  private final Membership membership;
  private final IntFunction<List<String>> own;
  private final int most;
  private final BiConsumer<Address, Telegram> sender;
  private final RandomGenerator random;
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
      BiConsumer<Address, Telegram> sender,
      RandomGenerator random) {
    this.membership = membership;
    this.own = own;
    this.most = most;
    this.sender = sender;
    this.random = random;
  }

  /** One question, until it is answered. */
  private static final class Request {
    private final int limit;
    private final CompletableFuture<List<String>> answer;
    private final Set<Address> tried = new HashSet<>();
    private final List<String> names = new ArrayList<>();
    private Address asked;
    private int parts;

    Request(int limit, CompletableFuture<List<String>> answer) {
      this.limit = limit;
      this.answer = answer;
    }

    void startOver(Address next) {
      asked = next;
      tried.add(next);
      names.clear();
      parts = 0;
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
      if (request.asked == null || !membership.has(request.asked)) {
        askNext(id, request);
      }
    }
  }

  private void askNext(long id, Request request) {
    List<Address> left =
        membership.up().stream().filter(node -> !request.tried.contains(node)).toList();
    if (!left.isEmpty()) {
      request.startOver(left.get(random.nextInt(left.size())));
      sender.accept(request.asked, new Telegram.TopicsRequest(id, request.limit));
    } else if (request.tried.isEmpty() && membership.hasHeardOfAll()) {
      requests.remove(id).answer.complete(List.of());
    }
  }

  /** Half of the time is over: perhaps another node answers. */
  void onSlow(long id) {
    Request request = requests.get(id);
    if (request != null) {
      askNext(id, request);
    }
  }

  void onTimeout(long id) {
    Request request = requests.remove(id);
    if (request != null) {
      request.answer.completeExceptionally(
          new TimeoutException(request.tried.size() + " nodes were asked for their topics"));
    }
  }

  void onPart(Address from, Telegram.Topics part) throws Malformed {
    Request request = requests.get(part.id());
    if (request == null || !from.equals(request.asked)) {
      return;
    }
    if (part.index() != request.parts) {
      throw new Malformed("part " + part.index() + " of topics behind " + request.parts);
    }
    request.parts++;
    for (String name : part.names()) {
      if (request.names.size() < request.limit) {
        request.names.add(name);
      }
    }
    if (part.last() || request.names.size() >= request.limit || part.names().isEmpty()) {
      requests.remove(part.id()).answer.complete(List.copyOf(request.names));
    }
  }

  void onRequest(Address from, Telegram.TopicsRequest request) {
    List<String> names = own.apply(Math.min(request.limit(), most));
    split(names, Math.min(request.limit(), most), request.id(), part -> sender.accept(from, part));
  }

  private static void split(List<String> names, int most, long id, Consumer<Telegram> out) {
    List<String> part = new ArrayList<>();
    int index = 0;
    int bytes = 0;
    for (String name : names.subList(0, Math.min(names.size(), most))) {
      int size = Wire.size(name);
      if (size > Wire.MOST_TOPIC_BYTES) {
        continue;
      }
      if (bytes + size > Wire.MOST_PART_BYTES || part.size() >= Wire.MOST_PART_NAMES) {
        out.accept(new Telegram.Topics(id, index++, false, List.copyOf(part)));
        part.clear();
        bytes = 0;
      }
      part.add(name);
      bytes += size;
    }
    out.accept(new Telegram.Topics(id, index, true, List.copyOf(part)));
  }
}
