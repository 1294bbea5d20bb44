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
import io.sluice.gateway.limits.UserKey;
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
import java.util.function.BiConsumer;

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

  private static final Map<Class<? extends QueueRecord>, Handler> HANDLERS =
      Map.ofEntries(
          handler(QueueRecord.Settle.class, ServedLeaf::settle),
          handler(QueueRecord.Credit.class, ServedLeaf::credit),
          handler(QueueRecord.Consume.class, ServedLeaf::consume),
          handler(QueueRecord.Close.class, ServedLeaf::close),
          handler(QueueRecord.Respond.class, ServedLeaf::respond),
          handler(QueueRecord.Ask.class, ServedLeaf::ask),
          handler(QueueRecord.Browse.class, ServedLeaf::browse),
          handler(QueueRecord.Transact.class, ServedLeaf::transact),
          handler(QueueRecord.PublishAll.class, ServedLeaf::publish),
          handler(QueueRecord.ListDurables.class, ServedLeaf::list),
          handler(QueueRecord.Delete.class, ServedLeaf::delete));

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

  /** Handler of one type of records. */
  @FunctionalInterface
  private interface Handler {
    void on(ServedLeaf leaf, QueueRecord call);
  }

  private static <T extends QueueRecord> Map.Entry<Class<? extends QueueRecord>, Handler> handler(
      Class<T> type, BiConsumer<ServedLeaf, T> calls) {
    return Map.entry(type, (leaf, call) -> calls.accept(leaf, type.cast(call)));
  }

  /**
   * @param onWaiting notifies that {@link #send} is due
   */
  ServedLeaf(
      ForwardOptions options,
      ForwardPools pools,
      LinkChannel channel,
      Sources sources,
      Runnable onWaiting) {
    this.permissions = new LeafPermissions(options, sources);
    this.options = options;
    this.pools = pools;
    this.channel = channel;
    this.peer = "node " + channel.peer();
    this.queues = sources.queues();
    this.requests = sources.requests();
    this.onWaiting = onWaiting;
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
    Handler handler = HANDLERS.get(read.getClass());
    if (handler == null) {
      channel.close("a leaf does not send this record");
    } else if (!(read instanceof QueueRecord.OfCall) && opened.containsKey(read.ref())) {
      channel.close("ref " + read.ref() + " is in use");
    } else {
      handler.on(this, read);
    }
  }

  private void close(QueueRecord.Close close) {
    Opened closed = opened.remove(close.ref());
    if (closed != null) { // otherwise it has just ended
      closed.close();
    }
  }

  private void credit(QueueRecord.Credit credit) {
    if (opened.get(credit.ref()) instanceof ServedConsumer consumer) {
      consumer.credit(Math.max(0, Math.min(credit.credit(), options.credit())));
    }
  }

  /** Returns the origin of a request at this node. */
  private Requester client(Requester ofLeaf) {
    return new Requester(ofLeaf.session(), UserKey.of(peer, ofLeaf.user()), ofLeaf.sequence());
  }

  private QueueRequest request(QueueRequest ofLeaf) {
    return new QueueRequest(
        client(ofLeaf.requester()),
        ofLeaf.queue(),
        ofLeaf.subscription(),
        ofLeaf.where(),
        ofLeaf.credit());
  }

  private void consume(QueueRecord.Consume consume) {
    int ref = consume.ref();
    QueueRequest request = request(consume.request());
    Problem problem = permissions.consumeProblem(request);
    if (problem != null) {
      refuse(ref, problem);
    } else if (!consumes.take(System.nanoTime())) {
      refuse(ref, ErrorCode.RATE_LIMITED, "the leaf opens over " + CONSUME_RATE + " a second");
    } else if (!pools.consumers().take(request.requester().user(), 1)) {
      refuse(
          ref,
          ErrorCode.TOO_MANY_CONSUMERS,
          "the user or the leaf has its share of the root's consumers");
    } else {
      ServedConsumer consumer = new ServedConsumer(ref, request, this);
      opened.put(ref, consumer);
      consumer.begin(queues.consume(request, consumer));
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
    Problem problem = permissions.publishes().headersProblem(respond.reply());
    if (consumer != null && problem != null) {
      refuse(respond.ref(), problem);
    } else if (consumer != null) {
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
    Requester client = client(requester);
    String user = client.user();
    if (!takeCall(ref, client)) {
      return null;
    }
    if (!pools.bytes().take(user, bytes)) {
      pools.calls().release(user, 1);
      refuse(ref, ErrorCode.RATE_LIMITED, "too many transactions of the leaf wait at the root");
      return null;
    }
    return new CallResult(
        this,
        ref,
        client,
        () -> {
          pools.bytes().release(user, bytes);
          pools.calls().release(user, 1);
        });
  }

  private boolean takeCall(int ref, Requester client) {
    boolean taken = pools.calls().take(client.user(), 1);
    if (!taken) {
      refuse(ref, ErrorCode.RATE_LIMITED, "the user or the leaf has its share of the root's calls");
    }
    return taken;
  }

  private void browse(QueueRecord.Browse browse) {
    QueueRequest request = request(browse.request());
    Problem problem = permissions.queueProblem(request);
    if (problem != null) {
      refuse(browse.ref(), problem);
    } else if (browse.max() < 1 || browse.max() > MAX_BROWSE) {
      refuse(browse.ref(), ErrorCode.BAD_FRAME, "a browse of " + browse.max() + " messages");
    } else if (takeCall(browse.ref(), request.requester())) {
      ServedBrowse served = new ServedBrowse(browse.ref(), request.requester(), this);
      opened.put(browse.ref(), served);
      queues.browse(request, browse.max(), served);
    }
  }

  private void list(QueueRecord.ListDurables list) {
    Requester client = client(list.requester());
    if (list.max() < 1) {
      refuse(list.ref(), ErrorCode.BAD_FRAME, "a list of " + list.max() + " subscriptions");
    } else if (takeCall(list.ref(), client)) {
      queues.list(
          client,
          list.principal(),
          list.max(),
          new QueryResult<>(this, list.ref(), client, durables -> listed(list.ref(), durables)));
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
    Requester client = client(delete.requester());
    Problem problem = permissions.subscriptionProblem(delete.subscription());
    if (problem != null) {
      refuse(delete.ref(), problem);
    } else if (takeCall(delete.ref(), client)) {
      queues.delete(
          client,
          delete.subscription(),
          new QueryResult<>(
              this, delete.ref(), client, any -> List.of(new QueueRecord.Done(delete.ref()))));
    }
  }

  private void ask(QueueRecord.Ask ask) {
    Requester client = client(ask.requester());
    Problem problem = permissions.publishes().problem(ask.publication());
    if (problem != null) {
      refuse(ask.ref(), problem);
    } else if (ask.timeoutMs() < 1 || ask.timeoutMs() > options.requestTimeoutMs()) {
      String why = "timeout %d exceeds limits.request-timeout of the root (%d)";
      refuse(
          ask.ref(),
          ErrorCode.BAD_FRAME,
          why.formatted(ask.timeoutMs(), options.requestTimeoutMs()));
    } else if (!pools.requests().take(client.user(), 1)) {
      refuse(
          ask.ref(),
          ErrorCode.TOO_MANY_REQUESTS,
          "the user or the leaf has its share of the root's requests");
    } else {
      ServedRequest served = new ServedRequest(ask.ref(), client, this);
      opened.put(ask.ref(), served);
      served.begin(requests.request(ask.publication(), ask.timeoutMs(), served));
    }
  }
}
