package io.sluice.gateway.multicast;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of frames over the loopback interface. */
@Timeout(120)
final class FrameTransportTest {
  private static final int STREAM = 5;
  private static final int SESSION = 77;

  private final GroupAddress address = new GroupAddress("239.8.8.3", 24_345);
  private final GroupTransport transport = new GroupTransport();
  private final GroupKey key = GroupKey.next(1);
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final Executor loop = Runnable::run;

  private final FramePublisher publisher =
      new FramePublisher(
          address.sender("127.0.0.1", SESSION),
          STREAM,
          loop,
          new FramePublisher.Owner() {
            @Override
            public void onRoom() {}

            @Override
            public void onTick() {}

            @Override
            public void onFailed(String why) {}

            @Override
            public GroupKey key() {
              return key;
            }
          });

  @AfterEach
  void close() {
    transport.close();
  }

  private FrameSubscriber subscriber(String name, int session, GroupKey has) {
    AtomicInteger probes = new AtomicInteger();
    FrameSubscriber subscriber =
        new FrameSubscriber(
            address.receiver("127.0.0.1", session),
            STREAM,
            new FrameSubscriber.Owner() {
              @Override
              public void onEntries(List<LinkRecord> entries) {
                if (entries.isEmpty() && probes.getAndIncrement() == 0) {
                  events.add(name + " probe");
                }
                entries.forEach(each -> events.add(name + " " + offset(each)));
              }

              @Override
              public void onForged() {
                events.add(name + " forged");
              }

              @Override
              public void onTick() {}

              @Override
              public void onFailed(String why) {
                events.add(name + " failed: " + why);
              }

              @Override
              public void execute(Runnable task) {
                task.run();
              }
            });
    subscriber.key(has);
    transport.add(subscriber);
    return subscriber;
  }

  private static long offset(LinkRecord received) {
    return ((LinkRecord.Entry) received).offset();
  }

  private void send(int offset, int bytes) {
    Message message = new Message("t", 1, 0, PayloadKind.TEXT, new byte[bytes], null, "t");
    Buffer frame = Buffer.buffer();
    LinkCodec.write(new LinkRecord.Entry(1, offset, message), frame);
    publisher.send(key, frame.getBytes());
    transport.wake();
  }

  private String next() throws InterruptedException {
    return events.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void shouldDeliverFramesInOrder() throws InterruptedException {
    subscriber("a", SESSION, key);
    transport.add(publisher);
    assertThat(next()).isEqualTo("a probe");
    for (int i = 0; i < 100; i++) {
      send(i, i * 1000);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(next()).isEqualTo("a " + i);
    }
  }

  @Test
  void shouldIgnoreFramesWithoutTheKey() throws InterruptedException {
    FrameSubscriber subscriber = subscriber("a", SESSION, GroupKey.next(1));
    transport.add(publisher);
    assertThat(next()).isEqualTo("a forged");
    subscriber.key(key);
    String event = next();
    while (event.equals("a forged")) {
      event = next();
    }
    assertThat(event).isEqualTo("a probe");
  }

  @Test
  void shouldReportAnInterfaceThatDoesNotExist() throws InterruptedException {
    FrameSubscriber other =
        new FrameSubscriber(
            address.receiver("192.0.2.1", SESSION),
            STREAM,
            new FrameSubscriber.Owner() {
              @Override
              public void onEntries(List<LinkRecord> entries) {}

              @Override
              public void onForged() {}

              @Override
              public void onTick() {}

              @Override
              public void onFailed(String why) {
                events.add(why);
              }

              @Override
              public void execute(Runnable task) {
                task.run();
              }
            });
    transport.add(other);
    assertThat(next()).contains("192.0.2.1");
    subscriber("a", SESSION, key); // others are not affected
    transport.add(publisher);
    assertThat(next()).isEqualTo("a probe");
  }
}
