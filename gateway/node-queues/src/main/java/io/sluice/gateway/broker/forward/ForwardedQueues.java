package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkQueues;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;

/**
 * Queues and requests of a leaf: each call is sent to the root, whose broker executes it. Any
 * thread calls {@link Queues} and {@link Requests}; everything else is bound to the event loop of
 * the links.
 */
final class ForwardedQueues implements LinkQueues.Leaf, Queues, Requests {
  /** Calls of all users that wait for their results. */
  private static final int MAX_CALLS = 16_384;

  private static final String NOT_CONNECTED = "no root is connected";
  private static final String FULL = "too many calls of this node wait for the root";
  private static final String NO_QUEUES =
      "the root has no queues: it requires a JMS broker, sluice-queues-*.jar and"
          + " sluice-node-queues-*.jar";

  private final Executor loop;
  private final GatewayMetrics metrics;
  private final Map<Integer, ForwardedCall> calls = new HashMap<>();
  private final Map<Integer, ForwardedConsumer> consumersByRef = new HashMap<>();
  private final Set<ForwardedConsumer> consumers = new LinkedHashSet<>();
  private final Shares waiting = new Shares(MAX_CALLS);
  private int lastRef;

  /** Null while there is no link. */
  private LinkChannel root;

  private boolean hasQueues;

  ForwardedQueues(Executor loop, GatewayMetrics metrics) {
    this.loop = loop;
    this.metrics = metrics;
  }

  @Override
  public Queues queues() {
    return this;
  }

  @Override
  public Requests requests() {
    return this;
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task) {
    loop.execute(task);
  }

  /** Runs a task on the event loop after a delay, or not at all if the link is lost before. */
  void later(Runnable task, long delayMs) {
    LinkChannel current = root;
    current.later(
        () -> {
          if (root == current) {
            task.run();
          }
        },
        delayMs);
  }

  @Override
  public void onRoot(LinkChannel connected, Set<Feature> features) {
    if (connected.isClosed()) {
      return;
    }
    hasQueues = features.contains(Feature.QUEUES);
    metrics.queues().connected(hasQueues);
    if (root != connected) {
      root = connected;
      List.copyOf(consumers).forEach(ForwardedConsumer::open);
    }
  }

  @Override
  public void onLost() {
    root = null;
    metrics.queues().connected(false);
    List<ForwardedCall> unanswered = List.copyOf(calls.values());
    calls.clear();
    unanswered.forEach(
        call -> {
          waiting.release(call.user(), 1);
          call.onLost();
        });
    consumersByRef.clear();
    List.copyOf(consumers).forEach(ForwardedConsumer::onLost);
  }

  @Override
  public void onRecord(LinkChannel from, byte[] body) {
    QueueRecord read;
    try {
      read = QueueCodec.read(body);
    } catch (LinkCodec.Malformed e) {
      from.close(e.getMessage());
      return;
    }
    if (!(read instanceof QueueRecord.Result result)) {
      from.close("a root does not send this record");
    } else if (from == root) {
      onResult(result);
    }
  }

  private void onResult(QueueRecord.Result result) {
    ForwardedConsumer consumer = consumersByRef.get(result.ref());
    ForwardedCall call = calls.get(result.ref());
    if (consumer != null) {
      consumer.onRecord(result);
    } else if (call != null && call.onResult(result)) {
      end(result.ref());
    } // otherwise it has just been closed
  }

  private void end(int ref) {
    ForwardedCall ended = calls.remove(ref);
    if (ended != null) {
      waiting.release(ended.user(), 1);
    }
  }

  void send(QueueRecord.Call call) {
    root.send(new LinkRecord.OfQueues(QueueCodec.write(call)));
  }

  /** Returns why nothing can be sent to the root, or null. */
  QueueRecord.Refused problem() {
    if (root == null) {
      return new QueueRecord.Refused(0, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
    }
    return hasQueues ? null : new QueueRecord.Refused(0, ErrorCode.UNSUPPORTED, NO_QUEUES);
  }

  /**
   * Sends a call; it fails if that is impossible.
   *
   * @param record creates the record with its ref
   * @return the ref; 0 if it failed
   */
  int call(ForwardedCall call, IntFunction<QueueRecord.Call> record) {
    QueueRecord.Refused problem = problem();
    if (problem == null && !waiting.take(call.user(), 1)) {
      problem = new QueueRecord.Refused(0, ErrorCode.RATE_LIMITED, FULL);
    }
    if (problem != null) {
      call.onResult(problem);
      return 0;
    }
    int ref = ++lastRef;
    calls.put(ref, call);
    send(record.apply(ref));
    return ref;
  }

  /** Ends a call without a result. */
  void cancel(int ref) {
    if (calls.containsKey(ref)) {
      end(ref);
      send(new QueueRecord.Close(ref));
    }
  }

  /** Returns the ref under which a consumer receives the events of its next session. */
  int begin(ForwardedConsumer consumer) {
    int ref = ++lastRef;
    consumersByRef.put(ref, consumer);
    return ref;
  }

  /** Ends the session of a consumer, which has ended at the root if {@code atRoot} is false. */
  void endSession(int ref, boolean atRoot) {
    if (consumersByRef.remove(ref) != null && atRoot) {
      send(new QueueRecord.Close(ref));
    }
  }

  void remove(ForwardedConsumer consumer) {
    consumers.remove(consumer);
  }

  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    ForwardedConsumer consumer = new ForwardedConsumer(this, request, listener);
    execute(
        () -> {
          consumers.add(consumer);
          consumer.open();
        });
    return consumer;
  }

  @Override
  public void browse(QueueRequest request, int max, BrowseListener listener) {
    execute(
        () -> {
          ForwardedBrowse browse = new ForwardedBrowse(this, request.requester().user(), listener);
          browse.begin(call(browse, ref -> new QueueRecord.Browse(ref, request, max)));
        });
  }

  @Override
  public void publish(List<Publication> publications, PublishListener listener) {
    Requester requester = listener.requester();
    ForwardedCall call = ForwardedCall.ofTransaction(requester.user(), listener, () -> {});
    execute(() -> call(call, ref -> new QueueRecord.PublishAll(ref, requester, publications)));
  }

  @Override
  public void list(
      Requester requester, String principal, int max, ResultListener<List<DurableState>> listener) {
    ForwardedCall call = new ForwardedList(requester.user(), listener);
    execute(() -> call(call, ref -> new QueueRecord.ListDurables(ref, requester, principal, max)));
  }

  @Override
  public void delete(
      Requester requester, TopicSubscription subscription, ResultListener<Void> listener) {
    ForwardedCall call =
        ForwardedCall.of(requester.user(), any -> listener.onResult(null), listener::onRefused);
    execute(() -> call(call, ref -> new QueueRecord.Delete(ref, requester, subscription)));
  }

  @Override
  public Request request(Publication publication, long timeoutMs, ReplyListener listener) {
    ForwardedRequest request = new ForwardedRequest(this, listener);
    Requester requester = listener.requester();
    execute(
        () ->
            request.begin(
                call(request, ref -> new QueueRecord.Ask(ref, requester, timeoutMs, publication))));
    return request;
  }
}
