package io.sluice.gateway.multicast;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/** Sender of a root's frames. Bound to the thread of the transport, except where stated. */
final class FramePublisher implements GroupTransport.Port {
  /** Bytes that may wait, besides one frame. */
  private static final int QUEUE_BYTES = 1 << 20;

  /** Ticks after which frames that cannot be sent are discarded. */
  private static final int STUCK_TICKS = 10;

  private static final int PROBE_TICKS = 5;

  /** Contents of a frame before encryption. */
  private record Frame(GroupKey key, byte[] contents) {}

  /** Receiver of events. Called on the event loop of the links. */
  interface Owner {
    /** Frames are accepted again after {@link FramePublisher#isFull}. */
    void onRoom();

    void onTick();

    /** Frames were discarded. */
    void onFailed(String why);

    /** Returns the key of probes. */
    GroupKey key();
  }

  private final String channel;
  private final int stream;
  private final Executor loop;
  private final Owner owner;
  private final Queue<Frame> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final FrameCipher cipher = new FrameCipher();
  private volatile boolean full;
  private ExclusivePublication publication;
  private UnsafeBuffer next;
  private long sequence;

  /** Ticks since a frame was sent, or none had to be. */
  private int stuckTicks;

  private int ticks;

  FramePublisher(String channel, int stream, Executor loop, Owner owner) {
    this.channel = channel;
    this.stream = stream;
    this.loop = loop;
    this.owner = owner;
  }

  /** Returns whether many bytes wait. Event loop of the links. */
  boolean isFull() {
    if (waiting.get() >= QUEUE_BYTES) {
      full = true;
    }
    // Read again: the thread may have sent everything before it could see the mark.
    return full && waiting.get() > 0;
  }

  /** Sends contents in a frame. Event loop of the links. */
  void send(GroupKey key, byte[] contents) {
    waiting.addAndGet(contents.length);
    queue.add(new Frame(key, contents));
  }

  @Override
  public void open(Aeron aeron) {
    publication = aeron.addExclusivePublication(channel, stream);
    stuckTicks = 0;
  }

  @Override
  public int work() {
    if (publication == null) {
      return 0;
    }
    int sent = 0;
    for (boolean more = true; more && (next != null || take()); ) {
      long result = publication.offer(next);
      more = result > 0;
      if (more) {
        onSent();
        sent++;
      } else if (result == ExclusivePublication.CLOSED
          || result == ExclusivePublication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException("the stream is closed");
      } else if (stuckTicks > STUCK_TICKS) {
        discard("the network or no leaf accepts frames");
      }
    }
    return sent;
  }

  private boolean take() {
    Frame frame = queue.peek();
    if (frame == null) {
      stuckTicks = 0;
      return false;
    }
    next = new UnsafeBuffer(cipher.seal(frame.key(), ++sequence, frame.contents()));
    return true;
  }

  private void onSent() {
    next = null;
    stuckTicks = 0;
    Frame frame = queue.poll();
    if (frame != null && waiting.addAndGet(-frame.contents().length) <= QUEUE_BYTES / 2 && full) {
      full = false;
      loop.execute(owner::onRoom);
    }
  }

  private void discard(String why) {
    next = null;
    stuckTicks = 0;
    for (Frame frame = queue.poll(); frame != null; frame = queue.poll()) {
      waiting.addAndGet(-frame.contents().length);
    }
    full = false;
    loop.execute(() -> owner.onFailed(why));
    loop.execute(owner::onRoom);
  }

  @Override
  public void onTick() {
    stuckTicks++;
    loop.execute(owner::onTick);
    if (++ticks % PROBE_TICKS == 0 && publication != null && publication.isConnected()) {
      loop.execute(() -> send(owner.key(), new byte[0]));
    }
  }

  @Override
  public void onFailed(String why) {
    publication = null;
    discard(why);
  }

  @Override
  public void close() {
    if (publication != null) {
      publication.close();
      publication = null;
    }
  }
}
