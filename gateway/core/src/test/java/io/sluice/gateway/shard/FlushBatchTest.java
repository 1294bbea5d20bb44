package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A failed flush of one client. */
final class FlushBatchTest {
  private final ByteBuf borrowed = Unpooled.wrappedBuffer(new byte[] {1});
  private final List<String> events = new ArrayList<>();

  /** Returns a subscriber that records whether the borrowed buffer is still valid. */
  private Subscriber subscriber(String name, boolean fails) {
    InvocationHandler calls =
        (proxy, method, arguments) -> {
          events.add(name + " " + method.getName() + " " + borrowed.refCnt());
          if (fails && method.getName().equals("onBatchEnd")) {
            throw new IllegalStateException(name);
          }
          return null;
        };
    return (Subscriber)
        Proxy.newProxyInstance(
            FlushBatchTest.class.getClassLoader(), new Class<?>[] {Subscriber.class}, calls);
  }

  private void flush(Consumer<Throwable> onFault) {
    FlushBatch batch = new FlushBatch(onFault);
    batch.releaseAtEnd(borrowed);
    batch.touched(subscriber("a", false));
    batch.touched(subscriber("b", true));
    batch.touched(subscriber("c", false));
    batch.end(() -> events.add("sent " + borrowed.refCnt()), null, null, null);
  }

  @Test
  void shouldAbortAFailedClientBeforeItsBuffersAreReleased() {
    flush(cause -> events.add("fault " + cause.getMessage()));
    assertThat(events)
        .containsExactly(
            "a onBatchEnd 1",
            "b onBatchEnd 1",
            "b onBatchFailed 1",
            "fault b",
            "c onBatchEnd 1",
            "sent 1");
    assertThat(borrowed.refCnt()).isZero();
  }

  @Test
  void shouldAbortTheOtherClientsIfTheReportOfAFailureFails() {
    OutOfMemoryError second = new OutOfMemoryError("report");
    assertThatThrownBy(
            () ->
                flush(
                    cause -> {
                      throw second;
                    }))
        .isSameAs(second);
    assertThat(events)
        .containsExactly(
            "a onBatchEnd 1", "b onBatchEnd 1", "b onBatchFailed 1", "c onBatchFailed 1", "sent 1");
    assertThat(borrowed.refCnt()).isZero();
  }
}
