package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkQueues;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Root's side of one link: it executes the calls of a leaf at the node's broker, within the grants
 * of links and the leaf's shares. Bound to the event loop of the link, except where a method states
 * otherwise.
 */
final class ServedLeaf implements LinkQueues.Root, LeafLink {
  /** Messages that are sent in one turn. */
  private static final int TURN = 64;

  private static final int MAX_BROWSE = 1000;

  /** Subscriptions of one record, whose size is limited. */
  private static final int LISTED = 10;

  /** New consumers per second and link, after a burst. */
  private static final int CONSUME_RATE = 1_000;

  private static final int CONSUME_BURST = 10_000;

  private final LeafPermissions permissions;
  private final ForwardOptions options;
  private final ForwardPools pools;
  private final LinkChannel channel;
  private final String peer;
  private final Queues queues;
  private final Requests requests;
  private final Runnable onWaiting;
  private final TokenBucket consumes =
      new TokenBucket(CONSUME_RATE, CONSUME_BURST, System.nanoTime());
  private final Map<Integer, Opened> opened = new HashMap<>();

  /** Consumers with messages that wait for room on the link, in the order of their turns. */
  private final Set<Waiting> waiting = new LinkedHashSet<>();

  /**
   * @param onWaiting notifies that {@link #send} is due
   */
  ServedLeaf(
      ForwardOptions options,
      ForwardPools pools,
      LinkChannel channel,
      Sources sources,
      Runnable onWaiting) {
    this.permissions = new LeafPermissions(options);
    this.options = options;
    this.pools = pools;
    this.channel = channel;
    this.peer = "node " + channel.peer();
    this.queues = sources.queues();
    this.requests = sources.requests();
    this.onWaiting = onWaiting;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public ForwardPools pools() {
    return pools;
  }

  @Override
  public void execute(Runnable task) {
    channel.execute(task);
  }

  @Override
  public void send(QueueRecord.Result result) {
    channel.send(new LinkRecord.OfQueues(QueueCodec.write(result)));
  }

  private void refuse(int ref, ErrorCode code, String why) {
    send(new QueueRecord.Refused(ref, code, why));
  }

  private void refuse(int ref, Problem problem) {
    refuse(ref, problem.code(), problem.message());
  }

  @Override
  public boolean isFull() {
    return channel.isFull();
  }

  @Override
  public boolean isOpen(int ref, Opened call) {
    return opened.get(ref) == call;
  }

  @Override
  public boolean end(int ref, Opened call) {
    return opened.remove(ref, call);
  }

  @Override
  public void await(Waiting consumer) {
    if (waiting.add(consumer)) {
      onWaiting.run();
    }
  }

  @Override
  public void forget(Waiting consumer) {
    waiting.remove(consumer);
  }

  @Override
  public boolean send() {
    for (int left = TURN; left > 0 && !waiting.isEmpty() && !channel.isFull(); left--) {
      Waiting next = waiting.iterator().next();
      waiting.remove(next);
      if (next.sendNext()) {
        waiting.add(next);
      }
    }
    return !waiting.isEmpty();
  }

  @Override
  public void onClosed() {
    List.copyOf(opened.values()).forEach(Opened::close);
    opened.clear();
    waiting.clear();
  }

  @Override
  public void onRecord(byte[] body) {
    QueueRecord read;
    try {
      read = QueueCodec.read(body);
    } catch (LinkCodec.Malformed e) {
      channel.close(e.getMessage());
      return;
    }
    if (read instanceof QueueRecord.Close close) {
      Opened closed = opened.remove(close.ref());
      if (closed != null) { // otherwise it has just ended
        closed.close();
      }
    } else if (read instanceof QueueRecord.Credit credit) {
      if (opened.get(credit.ref()) instanceof ServedConsumer consumer) {
        consumer.credit(Math.max(0, Math.min(credit.credit(), options.credit())));
      }
    } else if (opened.containsKey(read.ref())) {
      channel.close("ref " + read.ref() + " is in use");
    } else {
      onCall(read);
    }
  }

  private void onCall(QueueRecord call) {
    if (call instanceof QueueRecord.Settle settle) {
      settle(settle);
    } else if (call instanceof QueueRecord.Consume consume) {
      consume(consume.ref(), consume.request());
    } else if (call instanceof QueueRecord.Respond respond) {
      respond(respond);
    } else if (call instanceof QueueRecord.Ask ask) {
      ask(ask);
    } else if (call instanceof QueueRecord.Browse browse) {
      browse(browse);
    } else if (call instanceof QueueRecord.Transact transact) {
      transact(transact);
    } else if (call instanceof QueueRecord.PublishAll publish) {
      publish(publish);
    } else if (call instanceof QueueRecord.ListDurables list) {
      list(list);
    } else if (call instanceof QueueRecord.Delete delete) {
      delete(delete);
    } else {
      channel.close("a leaf does not send this record");
    }
  }

  /** Returns the origin of a request at this node. */
  private Requester client(Requester ofLeaf) {
    return new Requester(ofLeaf.session(), peer + " " + ofLeaf.user(), ofLeaf.sequence());
  }

  private QueueRequest request(QueueRequest ofLeaf) {
    return new QueueRequest(
        client(ofLeaf.requester()),
        ofLeaf.queue(),
        ofLeaf.subscription(),
        ofLeaf.where(),
        ofLeaf.credit());
  }

  private void consume(int ref, QueueRequest request) {
    Problem problem = permissions.consumeProblem(request);
    if (problem != null) {
      refuse(ref, problem);
    } else if (!consumes.take(System.nanoTime())) {
      refuse(ref, ErrorCode.RATE_LIMITED, "the leaf opens over " + CONSUME_RATE + " a second");
    } else if (!pools.consumers().take(peer, 1)) {
      refuse(ref, ErrorCode.TOO_MANY_CONSUMERS, "the leaf has its share of the root's consumers");
    } else {
      ServedConsumer consumer = new ServedConsumer(ref, request.credit(), this);
      opened.put(ref, consumer);
      consumer.begin(queues.consume(request(request), consumer));
    }
  }

  /** Returns the consumer of a call; null after refusing the call. */
  private ServedConsumer consumer(int ref, int consumer) {
    if (opened.get(consumer) instanceof ServedConsumer found) {
      return found;
    }
    refuse(ref, ErrorCode.NOT_PENDING, "the consumer has ended");
    return null;
  }

  private void settle(QueueRecord.Settle settle) {
    ServedConsumer consumer = consumer(settle.ref(), settle.consumer());
    if (consumer != null) {
      CallResult result = new CallResult(this, settle.ref(), Requester.NODE, () -> {});
      consumer.atBroker().settle(settle.tag(), settle.upTo(), settle.how(), result);
    }
  }

  private void respond(QueueRecord.Respond respond) {
    ServedConsumer consumer = consumer(respond.ref(), respond.consumer());
    if (consumer != null) {
      Requester client = client(respond.requester());
      consumer
          .atBroker()
          .respond(
              respond.tag(),
              respond.reply(),
              new CallResult(this, respond.ref(), client, () -> {}));
    }
  }

  private void transact(QueueRecord.Transact transact) {
    ServedConsumer consumer = consumer(transact.ref(), transact.consumer());
    Problem problem =
        permissions.publishProblem(transact.publications(), transact.acknowledgements().size());
    if (consumer != null && problem == null) {
      PublishListener result =
          transaction(transact.ref(), transact.requester(), transact.publications());
      if (result != null) {
        consumer.atBroker().transact(transact.acknowledgements(), transact.publications(), result);
      }
    } else if (consumer != null) {
      refuse(transact.ref(), problem);
    }
  }

  private void publish(QueueRecord.PublishAll publish) {
    Problem problem = permissions.publishProblem(publish.publications(), 0);
    if (problem != null) {
      refuse(publish.ref(), problem);
      return;
    }
    PublishListener result =
        transaction(publish.ref(), publish.requester(), publish.publications());
    if (result != null) {
      queues.publish(publish.publications(), result);
    }
  }

  /** Returns the receiver of a transaction's result; null after refusing the transaction. */
  private PublishListener transaction(int ref, Requester requester, List<Publication> parts) {
    long bytes = parts.stream().mapToLong(Publication::size).sum();
    if (!takeCall(ref)) {
      return null;
    }
    if (!pools.bytes().take(peer, bytes)) {
      pools.calls().release(peer, 1);
      refuse(ref, ErrorCode.RATE_LIMITED, "too many transactions of the leaf wait at the root");
      return null;
    }
    return new CallResult(
        this,
        ref,
        client(requester),
        () -> {
          pools.bytes().release(peer, bytes);
          pools.calls().release(peer, 1);
        });
  }

  private boolean takeCall(int ref) {
    boolean taken = pools.calls().take(peer, 1);
    if (!taken) {
      refuse(ref, ErrorCode.RATE_LIMITED, "the leaf has its share of the root's calls");
    }
    return taken;
  }

  private void browse(QueueRecord.Browse browse) {
    Problem problem = permissions.queueProblem(browse.request());
    if (problem != null) {
      refuse(browse.ref(), problem);
    } else if (browse.max() < 1 || browse.max() > MAX_BROWSE) {
      refuse(browse.ref(), ErrorCode.BAD_FRAME, "a browse of " + browse.max() + " messages");
    } else if (takeCall(browse.ref())) {
      ServedBrowse served = new ServedBrowse(browse.ref(), this);
      opened.put(browse.ref(), served);
      queues.browse(request(browse.request()), browse.max(), served);
    }
  }

  private void list(QueueRecord.ListDurables list) {
    if (list.max() < 1) {
      refuse(list.ref(), ErrorCode.BAD_FRAME, "a list of " + list.max() + " subscriptions");
    } else if (takeCall(list.ref())) {
      queues.list(
          client(list.requester()),
          list.principal(),
          list.max(),
          new QueryResult<>(this, list.ref(), durables -> listed(list.ref(), durables)));
    }
  }

  private List<QueueRecord.Listed> listed(int ref, List<DurableState> durables) {
    List<DurableState> permitted =
        durables.stream()
            .filter(each -> permissions.subscriptionProblem(each.subscription()) == null)
            .toList();
    List<QueueRecord.Listed> parts = new ArrayList<>();
    int from = 0;
    for (; permitted.size() - from > LISTED; from += LISTED) {
      parts.add(new QueueRecord.Listed(ref, permitted.subList(from, from + LISTED), false));
    }
    parts.add(new QueueRecord.Listed(ref, permitted.subList(from, permitted.size()), true));
    return parts;
  }

  private void delete(QueueRecord.Delete delete) {
    Problem problem = permissions.subscriptionProblem(delete.subscription());
    if (problem != null) {
      refuse(delete.ref(), problem);
    } else if (takeCall(delete.ref())) {
      queues.delete(
          client(delete.requester()),
          delete.subscription(),
          new QueryResult<>(
              this, delete.ref(), any -> List.of(new QueueRecord.Done(delete.ref()))));
    }
  }

  private void ask(QueueRecord.Ask ask) {
    Problem problem = permissions.publishProblem(ask.publication());
    if (problem != null) {
      refuse(ask.ref(), problem);
    } else if (ask.timeoutMs() < 1 || ask.timeoutMs() > options.requestTimeoutMs()) {
      String why = "timeout %d exceeds limits.request-timeout of the root (%d)";
      refuse(
          ask.ref(),
          ErrorCode.BAD_FRAME,
          why.formatted(ask.timeoutMs(), options.requestTimeoutMs()));
    } else if (!pools.requests().take(peer, 1)) {
      refuse(
          ask.ref(), ErrorCode.TOO_MANY_REQUESTS, "the leaf has its share of the root's requests");
    } else {
      ServedRequest served = new ServedRequest(ask.ref(), client(ask.requester()), this);
      opened.put(ask.ref(), served);
      served.begin(requests.request(ask.publication(), ask.timeoutMs(), served));
    }
  }
}
