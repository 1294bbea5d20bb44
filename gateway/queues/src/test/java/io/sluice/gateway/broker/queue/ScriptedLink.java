package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.jms.SessionSender;
import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;

/** Connection whose calls run when the test requests it, and which records them in words. */
final class ScriptedLink implements QueueLink {
  private final Queue<Runnable> calls = new ArrayDeque<>();
  private final List<String> record = new ArrayList<>();

  /** Failure of the next call that waits for the broker. */
  private Runnable whileBrowsing = () -> {};

  private JMSException failure;

  /** The call that fails; null for the next one. */
  private String failing;

  /** The opened sessions; the last one is current. */
  final List<Session> sessions = new ArrayList<>();

  long suspectBeforeMs;

  /** Session that records its calls. */
  final class Session implements QueueSession {
    private final Listener listener;
    boolean closed;
    int maxPending = Integer.MAX_VALUE;
    boolean exhausted;
    Throwable failure;

    Session(Listener listener) {
      this.listener = listener;
    }

    /** Delivers a message. */
    void deliver(String text, boolean redelivered) {
      try {
        ActiveMQTextMessage message = new ActiveMQTextMessage();
        message.setText(text);
        message.setJMSMessageID(text);
        message.setJMSRedelivered(redelivered);
        listener.onMessage(message, null);
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    /** Delivers a message that requests a reply. */
    void deliverRequest(String text, String replyTo, String correlationId) {
      try {
        ActiveMQTextMessage message = new ActiveMQTextMessage();
        message.setText(text);
        message.setJMSMessageID("ID:a:1:1:1");
        message.setJMSReplyTo(new ActiveMQQueue(replyTo));
        message.setJMSCorrelationID(correlationId);
        listener.onMessage(message, null);
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    void deliverUndecodable() {
      listener.onMessage(new ActiveMQTextMessage(), new IllegalStateException("no text"));
    }

    @Override
    public void request() throws JMSException {
      recordCall("request");
    }

    @Override
    public void cancel() throws JMSException {
      recordCall("cancel");
    }

    @Override
    public void acknowledge(List<Message> messages) throws JMSException {
      recordCall("ack " + texts(messages));
    }

    @Override
    public void transact(List<Message> acknowledged, Sends sends) throws JMSException {
      recordCall("begin, ack " + texts(acknowledged));
      sends.send(null);
      recordCall("commit");
    }

    @Override
    public void reject(Message message, String deadLetter, String queue) throws JMSException {
      recordCall("reject " + texts(List.of(message)) + " from " + queue + " to " + deadLetter);
    }

    @Override
    public void release(List<Message> messages) throws JMSException {
      recordCall("release " + texts(messages));
    }

    @Override
    public boolean isRedelivered(Message message) throws JMSException {
      return message.getJMSRedelivered();
    }

    @Override
    public boolean isExhausted(Message message) {
      return exhausted;
    }

    @Override
    public int maxPending() {
      return maxPending;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public Throwable failure() {
      return failure;
    }

    @Override
    public void close(List<Message> messages) {
      record.add("close " + texts(messages));
    }
  }

  private static List<String> texts(List<Message> messages) {
    List<String> texts = new ArrayList<>();
    for (Message message : messages) {
      try {
        texts.add(((ActiveMQTextMessage) message).getText());
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }
    return texts;
  }

  private void recordCall(String what) throws JMSException {
    record.add(what);
    if (failure != null && (failing == null || failing.equals(what))) {
      JMSException thrown = failure;
      failure = null;
      throw thrown;
    }
  }

  /** Makes the next call fail. */
  void fail(JMSException next) {
    failure = next;
  }

  /** Makes the next call of this kind fail. */
  void fail(String call, JMSException next) {
    failing = call;
    failure = next;
  }

  /** Returns the session that was opened last. */
  Session session() {
    return sessions.get(sessions.size() - 1);
  }

  /** Runs a task in each wait for the next message of a browse. */
  void whileBrowsing(Runnable task) {
    whileBrowsing = task;
  }

  /** Removes a call that waits for the broker; the test may run it later. */
  Runnable hang() {
    return calls.remove();
  }

  /** Runs all calls, also those that follow from them. Returns what they did. */
  List<String> run() {
    while (!calls.isEmpty()) {
      calls.remove().run();
    }
    List<String> done = List.copyOf(record);
    record.clear();
    return done;
  }

  @Override
  public void call(Kind kind, String user, Runnable task) {
    calls.add(task);
  }

  @Override
  public QueueSession open(QueueRequest request, QueueSession.Listener listener)
      throws JMSException {
    recordCall("open " + request.source());
    Session session = new Session(listener);
    sessions.add(session);
    return session;
  }

  @Override
  public void browse(QueueRequest request, Browse.Consumer consumer) throws JMSException {
    recordCall("browse " + request.queue());
    Queue<Message> messages = new ArrayDeque<>();
    for (String text : List.of("a", "b", "c")) {
      ActiveMQTextMessage message = new ActiveMQTextMessage();
      message.setText(text);
      messages.add(message);
    }
    consumer.accept(
        new Browse.Source() {
          @Override
          public Message next() {
            whileBrowsing.run();
            return messages.poll();
          }

          @Override
          public void close() {
            record.add("close browser");
          }
        });
  }

  @Override
  public List<DurableState> list(String principal, int max) throws JMSException {
    recordCall("list " + principal);
    return List.of();
  }

  @Override
  public void delete(TopicSubscription subscription) throws JMSException {
    recordCall("delete " + subscription.name());
  }

  @Override
  public void expire() throws JMSException {
    recordCall("expire");
  }

  @Override
  public void publish(List<Publication> publications) throws JMSException {
    recordCall("begin");
    PartRefused.sendAll(sender(), publications);
    recordCall("commit");
  }

  /** Returns a sender that records what it sends, and fails if the test requests it. */
  SessionSender sender() {
    return publication -> recordCall("send " + publication.destination().name());
  }

  @Override
  public String deadLetter() {
    return "dead";
  }

  @Override
  public boolean isSuspect(long timeMs) {
    return timeMs < suspectBeforeMs;
  }
}
