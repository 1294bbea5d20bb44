package io.sluice.gateway.broker.jms;

import static io.sluice.gateway.broker.jms.ConsumerOpenerTest.stub;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class SeparateTopicsTest {
  private static final int LIMIT = 4;

  private final Shared shared = new Shared();
  private final SeparateTopics topics =
      new SeparateTopics(shared, LIMIT, new Backoff(1, 1, new Random(1)), () -> 0);

  /** Owner whose control thread is the test. */
  private static final class Shared implements SeparateTopics.Owner {
    private final BlockingQueue<Runnable> control = new LinkedBlockingQueue<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private final Set<BrokerInterest> open = new HashSet<>();
    private final List<String> opened = new ArrayList<>();
    private final List<Connection> closed = new ArrayList<>();
    private volatile Runnable lost;
    private volatile boolean refuses;

    @Override
    public Connection connect(Runnable onLost) throws JMSException {
      if (refuses) {
        throw new JMSException("too many connections");
      }
      lost = onLost;
      return stub(Connection.class);
    }

    @Override
    public void onControl(Runnable task) {
      control.add(task);
    }

    @Override
    public void later(Runnable task, long delayMs) {
      delayed.add(task);
    }

    @Override
    public boolean isOpen(BrokerInterest interest) {
      return open.contains(interest);
    }

    @Override
    public void open(
        BrokerInterest interest, BrokerConnection used, OpenedConsumer replaced, boolean restores) {
      interest.setOpening(false);
      opened.add(
          interest.key()
              + (used == null ? " shared" : " separate")
              + (restores ? " restored" : "")
              + (isOpen(interest) ? "" : " closed"));
    }

    @Override
    public void close(List<Connection> connections) {
      closed.addAll(connections);
    }

    private void runNext() throws InterruptedException {
      control.take().run();
    }
  }

  /** Interest that lags. */
  private static final class Lagging extends BrokerInterest {
    private long behind;

    Lagging(String topic, long behind) {
      super(null, InterestKey.of(topic), Session.AUTO_ACKNOWLEDGE);
      this.behind = behind;
    }

    @Override
    OpenedConsumer consume(
        ConsumerSession session, Topic topic, Provider provider, ControlThread control) {
      throw new AssertionError();
    }

    @Override
    boolean isDurable() {
      return false;
    }

    @Override
    void begin(OpenedConsumer opened, Provider provider, MessageReader incoming) {
      throw new AssertionError();
    }

    @Override
    void retire() {
      // It has no consumer.
    }

    @Override
    boolean isBroken() {
      return false;
    }

    @Override
    long behind() {
      return behind;
    }

    @Override
    void refuse(ErrorCode code, String why) {
      throw new AssertionError(why);
    }
  }

  private Lagging interest(String topic, long behind) {
    Lagging interest = new Lagging(topic, behind);
    shared.open.add(interest);
    return interest;
  }

  private Lagging separated() throws Exception {
    Lagging hot = interest("hot", 9);
    topics.onLost(List.of(hot));
    assertThat(topics.open(hot, true)).isTrue();
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot separate restored");
    shared.opened.clear();
    return hot;
  }

  private List<String> listed() {
    return topics.risks().stream().map(risk -> risk.address()).toList();
  }

  @Test
  void shouldSeparateTheTopicsWithTheLongestBacklogs() {
    List<BrokerInterest> all = new ArrayList<>();
    for (int i = 0; i < 2 * LIMIT; i++) {
      all.add(interest("t." + i, i));
    }
    topics.onLost(all);
    assertThat(all.stream().filter(each -> topics.open(each, true)).map(BrokerInterest::pattern))
        .containsExactly("t.4", "t.5", "t.6", "t.7");
  }

  @Test
  void shouldNotSeparateTopicsOfABrokerThatWasDown() {
    Lagging hot = interest("hot", 9);
    topics.onLost(List.of(hot));
    topics.onUnreachable();
    assertThat(topics.open(hot, true)).isFalse();
    assertThat(listed()).isEmpty();
  }

  @Test
  void shouldReconnectATopicAloneUntilItHasRecovered() throws Exception {
    Lagging hot = separated();
    assertThat(listed()).containsExactly("hot");
    shared.lost.run();
    shared.runNext();
    assertThat(hot.isOpening()).isTrue();
    assertThat(shared.closed).hasSize(1);
    shared.delayed.remove().run();
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot separate");

    hot.behind = 0;
    topics.onLost(List.of(hot));
    assertThat(topics.open(hot, true)).as("it was lost alone before").isTrue();
    shared.runNext();
    topics.onLost(List.of(hot));
    assertThat(topics.open(hot, true)).isFalse();
    assertThat(listed()).isEmpty();
  }

  @Test
  void shouldIgnoreTheLossOfAnEarlierConnection() throws Exception {
    Lagging hot = separated();
    Runnable lost = shared.lost;
    topics.onLost(List.of(hot));
    topics.open(hot, true);
    lost.run();
    shared.runNext();
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot separate restored");
    assertThat(shared.delayed).isEmpty();
  }

  @Test
  void shouldSeparateATopicThatIsSubscribedAgain() throws Exception {
    shared.open.remove(separated());
    topics.check();
    assertThat(shared.closed).as("its consumer is closed first").isEmpty();
    topics.check();
    assertThat(shared.closed).hasSize(1);
    assertThat(listed()).isEmpty();
    assertThat(topics.open(interest("hot", 0), false)).isTrue();
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot separate");
    assertThat(listed()).containsExactly("hot");
  }

  // Otherwise the node would wait for ever until all topics are restored.
  @Test
  void shouldSettleATopicThatIsClosedWhileItConnects() throws Exception {
    Lagging hot = interest("hot", 9);
    topics.onLost(List.of(hot));
    topics.open(hot, true);
    shared.open.remove(hot);
    for (int i = 0; i < LIMIT; i++) {
      topics.check();
    }
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot separate restored closed");
  }

  @Test
  void shouldShareAConnectionIfTheBrokerRefusesAnother() throws Exception {
    shared.refuses = true;
    Lagging hot = interest("hot", 9);
    topics.onLost(List.of(hot));
    topics.open(hot, true);
    shared.runNext();
    assertThat(shared.opened).containsExactly("hot shared restored");
    assertThat(listed()).isEmpty();
  }

  @Test
  void shouldCloseAConnectionThatIsOpenedAfterTheEnd() throws Exception {
    Lagging hot = interest("hot", 9);
    topics.onLost(List.of(hot));
    topics.open(hot, true);
    assertThat(topics.stop()).isEmpty();
    shared.runNext();
    assertThat(shared.closed).hasSize(1);
    assertThat(shared.opened).isEmpty();
  }

  @Test
  void shouldCountMessagesAsLateIfNewerOnesArrivedLongBefore() {
    BrokerConnection.Numbers numbers = new BrokerConnection.Numbers();
    long late = BrokerConnection.Numbers.LATE_NS;
    assertThat(numbers.behind(100, late)).isZero();
    assertThat(numbers.behind(50, late)).as("at the same time").isZero();
    assertThat(numbers.behind(50, 2 * late)).as("arrivals of two threads").isZero();
    assertThat(numbers.behind(50, 3 * late)).isEqualTo(50);
    assertThat(numbers.behind(101, 3 * late)).isZero();
    assertThat(numbers.behind(99, 3 * late)).isEqualTo(2);
    assertThat(numbers.behind(101, 5 * late)).isZero();
  }
}
