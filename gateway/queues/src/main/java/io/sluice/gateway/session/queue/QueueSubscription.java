package io.sluice.gateway.session.queue;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.value.MessageTime;
import io.sluice.gateway.session.ClientIdentity;
import io.sluice.gateway.session.SessionContext;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.trace.DeliveryTrace;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * One consumer of a client. Bound to the client's event loop, except the methods of the listener,
 * which the broker's threads call.
 *
 * <p>If the client does not read, deliveries wait here and the credit at the broker is 0. The
 * credit and the pending bytes of one consumer limit the deliveries that wait.
 */
final class QueueSubscription implements QueueListener {
  private final Consumers owner;
  private final SessionContext session;
  private final SessionPolicy policy;
  private final QueueFrames frames;
  private final long ref;
  private final ConsumerSource source;
  private final String where;
  private int credit;

  /** Null before {@link #open}. */
  private QueueConsumer consumer;

  /** Tag of the last delivery that was sent. */
  private long sentTag;

  /** Deliveries that wait for the client; their tags are above {@link #sentTag}. */
  private final Queue<QueueDelivery> waiting = new ArrayDeque<>(0);

  /** Null without tracing. */
  private final DeliveryTraces traces;

  private boolean paused;
  private boolean ended;

  QueueSubscription(
      Consumers owner,
      SessionContext session,
      QueueFrames frames,
      long ref,
      ConsumerSource source,
      String where,
      int credit) {
    this.owner = owner;
    this.session = session;
    this.policy = session.policy();
    this.frames = frames;
    this.ref = ref;
    this.source = source;
    this.where = where;
    this.credit = credit;
    this.traces = policy.tracing() == null ? null : new DeliveryTraces();
  }

  long ref() {
    return ref;
  }

  ConsumerSource source() {
    return source;
  }

  Destination destination() {
    return source.destination();
  }

  /** Returns the selector, or null. */
  String where() {
    return where;
  }

  void open() {
    consumer = policy.sources().queues().consume(request(), this);
  }

  private QueueRequest request() {
    String name = destination().name();
    if (source.isQueue()) {
      return new QueueRequest(session.client().requester(), name, where, credit);
    }
    String owner = session.client().principal().id();
    boolean durable = source.kind() == ConsumerSource.Kind.DURABLE;
    TopicSubscription subscription = new TopicSubscription(owner, name, source.name(), durable);
    return new QueueRequest(session.client().requester(), subscription, where, credit);
  }

  /** Replaces the credit, which is valid. */
  void credit(int newCredit) {
    credit = newCredit;
    if (!paused) {
      consumer.credit(newCredit);
    }
  }

  /** Ends the consumer; its pending messages return to the queue. */
  void close() {
    ended = true;
    waiting.clear();
    if (traces != null) {
      traces.end(DeliveryTraces.ALL, "closed");
    }
    consumer.close();
  }

  /** Runs an event of the broker on the event loop, unless the consumer has ended by then. */
  private void later(Runnable event) {
    session.later(
        () -> {
          if (!ended && !session.isClosing()) {
            event.run();
          }
        });
  }

  @Override
  public void onConsuming() {
    later(this::sendConsuming);
  }

  private void sendConsuming() {
    session.send(frames.consuming(ref, source));
    if (session.client().isAudited(AuditEvent.CONSUMING)) {
      policy.audit().consuming(session.client().peer(), ClientIdentity.resource(destination()));
    }
  }

  @Override
  public void onDelivery(QueueDelivery delivery) {
    DeliveryTrace trace =
        traces == null ? null : policy.tracing().deliver(delivery, destination().name());
    if (trace == null) {
      later(() -> deliver(delivery));
    } else {
      later(
          () -> {
            traces.add(delivery.tag(), trace);
            deliver(delivery);
          });
    }
  }

  private void deliver(QueueDelivery delivery) {
    if (!waiting.isEmpty() || !send(delivery)) {
      waiting.add(delivery);
      pause();
    }
  }

  private void pause() {
    if (!paused) {
      paused = true;
      consumer.credit(0);
    }
    owner.sendLater();
  }

  /** Returns whether the delivery was sent: half of the slow-consumer limit is reserved. */
  private boolean send(QueueDelivery delivery) {
    if (traces == null) {
      return write(delivery);
    }
    traces.onWriting(delivery.tag());
    boolean written = write(delivery);
    if (written) {
      traces.onWritten(delivery.tag());
    }
    return written;
  }

  private boolean write(QueueDelivery delivery) {
    if (!session.hasRoomForDelivery(delivery.payload().length)) {
      return false;
    }
    boolean binary = session.encoding().isBinary() && MessageTime.isBinary(delivery.timeMs());
    ByteBuf frame = frames.delivery(ref, delivery, binary);
    if (!session.hasRoomForDelivery(frame.readableBytes())) {
      frame.release();
      return false;
    }
    sentTag = delivery.tag();
    session.send(frame);
    return true;
  }

  /** Sends what waits for the client, as far as it reads; then the broker delivers again. */
  void sendWaiting() {
    if (!paused) {
      return;
    }
    while (!waiting.isEmpty() && send(waiting.element())) {
      waiting.remove();
    }
    if (waiting.isEmpty()) {
      paused = false;
      consumer.credit(credit);
    } else {
      owner.sendLater();
    }
  }

  @Override
  public void onReleased(long tag, ReleaseReason reason) {
    later(() -> release(tag, reason));
  }

  private void release(long tag, ReleaseReason reason) {
    if (traces != null) {
      traces.end(tag, reason.code());
    }
    if (tag <= sentTag) {
      if (tag == 0) {
        waiting.clear();
      }
      session.send(frames.released(ref, tag, reason));
    } else { // the client has not received it
      waiting.removeIf(delivery -> delivery.tag() == tag);
    }
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    later(() -> owner.onRefused(this, code, why));
  }

  /** Settles messages. The client may not settle what it has not received. */
  void settle(ClientFrame.Settle frame) {
    SettleListener result = new Settling(frame);
    if (frame.tag() > sentTag) {
      policy.metrics().queues().settled(ErrorCode.NOT_PENDING.code(), 1);
      owner.refuse(frame, ErrorCode.NOT_PENDING, notDelivered(frame.tag()));
    } else {
      if (traces != null) {
        result = traces.settling(frame, result);
      }
      consumer.settle(frame.tag(), frame.upTo(), frame.how(), result);
    }
  }

  /** Returns why the client cannot acknowledge a message in a transaction, or null. */
  String ackProblem(ClientFrame.Settle ack) {
    return ack.tag() > sentTag ? notDelivered(ack.tag()) : null;
  }

  private static String notDelivered(long tag) {
    return "tag " + tag + " was not delivered";
  }

  /** Acknowledges messages and publishes others, all or nothing. */
  void transact(
      List<ClientFrame.Settle> acks, List<Publication> publications, PublishListener result) {
    List<Acknowledgement> acknowledgements =
        acks.stream().map(ack -> new Acknowledgement(ack.tag(), ack.upTo())).toList();
    consumer.transact(
        acknowledgements,
        publications,
        traces == null ? result : TracedPublish.ending(traces.acknowledging(acks), result));
  }

  /** Answers a message. The client may not answer what it has not received. */
  void respond(ClientFrame.Respond frame, Responding responding) {
    if (frame.tag() > sentTag) {
      owner.refuse(frame, ErrorCode.NOT_PENDING, notDelivered(frame.tag()));
    } else {
      responding.respond(
          frame, destination(), (reply, result) -> consumer.respond(frame.tag(), reply, result));
    }
  }

  /** Sends the result of a settlement, also if the consumer has ended since. Any thread. */
  private final class Settling implements SettleListener {
    private final ClientFrame.Settle frame;

    Settling(ClientFrame.Settle frame) {
      this.frame = frame;
    }

    @Override
    public void onSettled() {
      if (frame.ref() != ClientFrame.NO_REF) {
        session.later(() -> session.send(frames.settled(frame.ref(), ref)));
      }
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      session.later(() -> sendRefusal(code, why));
    }

    private void sendRefusal(ErrorCode code, String why) {
      if (code != ErrorCode.NOT_PENDING) {
        session.client().auditRefused(frame.how().code(), destination(), code.code());
      }
      owner.refuse(frame, code, why);
    }
  }
}
