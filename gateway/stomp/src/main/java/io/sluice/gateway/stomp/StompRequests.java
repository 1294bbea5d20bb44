package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Settlement;
import java.util.HashMap;
import java.util.Map;

/**
 * Frames of a connected client, translated into frames of its session, and those whose answer is
 * missing. Bound to the client's event loop.
 */
final class StompRequests {
  /** Numbers of frames other than subscriptions begin behind those of subscriptions. */
  private static final long FIRST_REF = ClientFrame.MAX_TAGGED_REF + 1;

  private final StompClient client;
  private final StompSubscriptions subscriptions;

  /** Frames by their number; null until the first. */
  private Map<Long, Awaited> awaited;

  /** Null until the first BEGIN. */
  private Transactions transactions;

  /** Subscriptions that are not active yet. */
  private int opening;

  /** Null until the first frame that waits for one of them. */
  private HeldFrames held;

  /** True while held frames wait to be processed. */
  private boolean releasing;

  private long nextRef = FIRST_REF;

  StompRequests(StompClient client, SubscriptionIds ids) {
    this.client = client;
    this.subscriptions = new StompSubscriptions(ids);
  }

  /** Returns the other direction. */
  StompAnswers answers() {
    return new StompAnswers(client, this, subscriptions);
  }

  /**
   * Holds a frame that publishes before a subscription is active, and all frames behind it.
   *
   * @return whether it is held
   */
  boolean hold(StompFrame frame) throws BadStomp {
    boolean publishes =
        frame.command() == StompCommand.SEND || frame.command() == StompCommand.COMMIT;
    boolean isBehind = held != null && !held.isEmpty();
    if (!isBehind && !(opening > 0 && publishes)) {
      return false;
    }
    if (held == null) {
      held = new HeldFrames(client.options().preAuthBytes());
    }
    held.add(frame);
    return true;
  }

  /** Processes held frames once a subscription is active or has ended. */
  void opened() {
    opening--;
    if (held != null && !releasing) {
      releasing = true;
      client.passLater(this::release);
    }
  }

  private void release() {
    releasing = false;
    while (opening == 0 && !held.isEmpty()) {
      client.process(held.next());
    }
  }

  /** Processes a frame other than CONNECT and DISCONNECT. */
  void process(StompFrame frame) throws BadStomp {
    switch (frame.command()) {
      case SEND -> send(frame);
      case SUBSCRIBE -> subscribe(frame);
      case UNSUBSCRIBE -> unsubscribe(frame);
      case ACK -> settle(frame, Settlement.ACK);
      case NACK -> settle(frame, nack(frame));
      case BEGIN -> {
        transactions().begin(frame.required("transaction"));
        receipt(frame);
      }
      case ABORT -> {
        transactions().abort(frame.required("transaction"));
        receipt(frame);
      }
      case COMMIT -> commit(frame);
      default -> throw new BadStomp(frame.command() + " must be the first frame");
    }
  }

  private Transactions transactions() {
    if (transactions == null) {
      transactions =
          new Transactions(client.options().transaction(), client.options().preAuthBytes());
    }
    return transactions;
  }

  private void receipt(StompFrame frame) {
    client.sendReceipt(frame.header("receipt"));
  }

  /** Returns the number of a frame whose answer is awaited. */
  private long await(Awaited frame) {
    if (awaited == null) {
      awaited = new HashMap<>(2);
    }
    awaited.put(nextRef, frame);
    return nextRef++;
  }

  /** Returns the frame that an answer belongs to, or null. */
  Awaited answered(long ref) {
    return awaited == null ? null : awaited.remove(ref);
  }

  /** Returns whether no answer is missing, except those of subscriptions. */
  boolean areAnswered() {
    return awaited == null || awaited.isEmpty();
  }

  /** Releases the ids of subscriptions. */
  void close() {
    subscriptions.close();
  }

  private void send(StompFrame frame) throws BadStomp {
    String text = frame.required("destination");
    StompDestination target = StompDestination.of(text, StompPublish.isQueue(frame));
    String transaction = frame.header("transaction");
    if (target.kind() == StompDestination.Kind.TEMPORARY) {
      throw BadStomp.header("destination", text, "receives replies only");
    }
    if (target.kind() == StompDestination.Kind.REPLY) {
      respond(frame, target, transaction);
      return;
    }
    String replyTo = frame.header("reply-to");
    StompDestination reply = replyTo == null ? null : StompDestination.of(replyTo, false);
    if (reply != null && reply.kind() == StompDestination.Kind.TEMPORARY) {
      request(frame, target, reply, transaction);
    } else if (transaction != null) {
      ClientFrame.Publish publish = publish(frame, ClientFrame.NO_REF, target, reply);
      transactions().add(transaction, publish, frame.bytes());
      receipt(frame);
    } else {
      ClientFrame.Publish publish = publish(frame, nextRef, target, reply);
      await(new Awaited(Awaited.Kind.SEND, frame.header("receipt")));
      client.pass(publish, frame.bytes());
    }
  }

  private static ClientFrame.Publish publish(
      StompFrame frame, long ref, StompDestination target, StompDestination reply) throws BadStomp {
    return StompPublish.of(
        frame,
        ref,
        target.destination(),
        reply == null ? null : reply.destination(),
        System.currentTimeMillis());
  }

  private void request(
      StompFrame frame, StompDestination target, StompDestination reply, String transaction)
      throws BadStomp {
    if (transaction != null) {
      throw new BadStomp("a request with reply-to:/temp-queue/ cannot be part of a transaction");
    }
    ClientFrame.Request request =
        StompPublish.request(
            frame,
            nextRef,
            target.destination(),
            client.options().requestTimeoutMs(),
            System.currentTimeMillis());
    await(
        new Awaited(
            Awaited.Kind.REQUEST,
            frame.header("receipt"),
            reply.name(),
            frame.header("correlation-id")));
    client.pass(request, frame.bytes());
  }

  private void respond(StompFrame frame, StompDestination target, String transaction)
      throws BadStomp {
    long[] message = QueueMessage.parsed(target.name() + "-");
    if (message == null || transaction != null) {
      throw BadStomp.header(
          "destination",
          frame.header("destination"),
          "must be the reply-to of a message, outside of transactions");
    }
    ClientFrame.Publish reply = StompPublish.reply(frame, nextRef, System.currentTimeMillis());
    await(new Awaited(Awaited.Kind.SEND, frame.header("receipt")));
    client.pass(new ClientFrame.Respond(message[0], message[1], reply), frame.bytes());
  }

  private void subscribe(StompFrame frame) throws BadStomp {
    SubscribeRequest request =
        SubscribeRequest.of(frame, client.version(), client.options().consumerCredit());
    StompSubscription added = request.subscription();
    subscriptions.add(added);
    added.receipt = frame.header("receipt");
    if (added.isTemporary()) {
      receipt(frame);
    } else if (added.source != null) {
      opening++;
      added.unanswered = 1;
      client.pass(request.consume(), frame.bytes());
    } else {
      opening++;
      added.unanswered = added.target.orParent() ? 2 : 1;
      client.pass(request.subscribe(), frame.bytes());
      if (added.target.orParent() && !client.isEnding()) {
        client.pass(request.subscribeParent(), 0);
      }
    }
  }

  private void unsubscribe(StompFrame frame) throws BadStomp {
    StompSubscription ended = subscriptions.ofRequest(frame, client.version());
    if (ended.isTemporary()) {
      subscriptions.remove(ended);
      receipt(frame);
      return;
    }
    boolean deletes = ended.source != null && SubscribeRequest.durable(frame) != null;
    String receipt = frame.header("receipt");
    if (ended.unanswered > 0) {
      ended.unanswered = 0;
      opened();
    }
    client.sendReceipt(ended.receipt); // a subscribe without an answer is never answered
    ended.receipt = null;
    if (ended.parentRef != ClientFrame.NO_REF) {
      end(ended.parentRef, null, 0);
    }
    end(ended.ref, deletes ? null : receipt, frame.bytes());
    if (deletes) {
      long ref = await(new Awaited(Awaited.Kind.UNSUBSCRIBE, receipt));
      client.pass(
          new ClientFrame.DeleteDurable(
              ref, ended.source.destination().name(), ended.source.name()),
          0);
    }
    subscriptions.remove(ended);
  }

  private void end(long subscription, String receipt, long bytes) {
    long ref = await(new Awaited(Awaited.Kind.UNSUBSCRIBE, receipt));
    client.pass(new ClientFrame.Unsubscribe(ref, null, subscription), bytes);
  }

  private static Settlement nack(StompFrame frame) throws BadStomp {
    return Boolean.FALSE.equals(frame.flag("requeue")) ? Settlement.REJECT : Settlement.RELEASE;
  }

  private void settle(StompFrame frame, Settlement how) throws BadStomp {
    boolean isNewest = client.version() == StompVersion.V1_2;
    String id =
        isNewest
            ? frame.headers().first("id", "message-id")
            : frame.headers().first("message-id", "id");
    if (id == null) {
      String name = isNewest ? "id" : "message-id";
      throw new BadStomp(frame.command() + " requires the header \"" + name + "\"");
    }
    String transaction = frame.header("transaction");
    if (transaction != null && how != Settlement.ACK) {
      throw new BadStomp("NACK cannot be part of a transaction");
    }
    long[] message = QueueMessage.parsed(id);
    if (message == null) {
      settleTopic(frame, id, how);
      return;
    }
    StompSubscription subscription = subscriptions.of(message[0]);
    StompSubscription.Ack mode =
        subscription == null ? StompSubscription.Ack.CLIENT_INDIVIDUAL : subscription.ack;
    if (mode == StompSubscription.Ack.AUTO) {
      receipt(frame); // has been acknowledged
      return;
    }
    boolean upTo = mode == StompSubscription.Ack.CLIENT;
    if (transaction != null) {
      ClientFrame.Settle ack =
          new ClientFrame.Settle(ClientFrame.NO_REF, message[0], message[1], upTo, how);
      transactions().add(transaction, ack, frame.bytes());
      receipt(frame);
    } else {
      long ref = await(new Awaited(Awaited.Kind.SETTLE, frame.header("receipt")));
      client.pass(new ClientFrame.Settle(ref, message[0], message[1], upTo, how), frame.bytes());
    }
  }

  // A message of a topic is the client's once it is sent.
  private void settleTopic(StompFrame frame, String id, Settlement how) throws BadStomp {
    if (how != Settlement.ACK) {
      throw BadStomp.header(
          "id",
          id,
          "is a message of a topic; only those of queues and of durable or shared subscriptions"
              + " can be rejected");
    }
    boolean isSent =
        id.equals(SubscriptionIds.TOPIC_ACK)
            || id.length() == StompFormat.ID_DIGITS
            || id.startsWith(QueueMessage.GAP);
    if (!isSent) {
      throw BadStomp.header("id", id, "is the id of no message");
    }
    receipt(frame);
  }

  private void commit(StompFrame frame) throws BadStomp {
    ClientFrame.Transaction transaction =
        transactions().commit(frame.required("transaction"), nextRef);
    if (transaction == null) {
      receipt(frame);
    } else {
      await(new Awaited(Awaited.Kind.COMMIT, frame.header("receipt")));
      client.pass(transaction, frame.bytes());
    }
  }
}
