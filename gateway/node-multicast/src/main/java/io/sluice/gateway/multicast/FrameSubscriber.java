package io.sluice.gateway.multicast;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkRecord;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;

/** Receiver of a root's frames. Bound to the thread of the transport, except where stated. */
final class FrameSubscriber implements GroupTransport.Port {
  private static final int FRAGMENTS = 64;

  /** Frames that may wait for the event loop. */
  private static final int MAX_WAITING = 64;

  /** Receiver of events. Called on the event loop of the links, except where stated. */
  interface Owner {
    /** Entries of logs arrived; none in a probe. */
    void onEntries(List<LinkRecord> entries);

    /** A frame that is not of the root was ignored. Any thread. */
    void onForged();

    void onTick();

    void onFailed(String why);

    void execute(Runnable task);
  }

  private final String channel;
  private final int stream;
  private final Owner owner;
  private final Map<Integer, GroupKey> keys = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final FrameCipher cipher = new FrameCipher();
  private final FragmentAssembler assembler =
      new FragmentAssembler((buffer, offset, length, header) -> onFrame(buffer, offset, length));
  private Subscription subscription;

  FrameSubscriber(String channel, int stream, Owner owner) {
    this.channel = channel;
    this.stream = stream;
    this.owner = owner;
  }

  /** Adds a key; the two before it remain. Any thread. */
  void key(GroupKey key) {
    keys.put(key.number(), key);
    keys.keySet().removeIf(number -> number < key.number() - 2);
  }

  @Override
  public void open(Aeron aeron) {
    subscription = aeron.addSubscription(channel, stream);
  }

  @Override
  public int work() {
    return subscription == null || waiting.get() >= MAX_WAITING
        ? 0
        : subscription.poll(assembler, FRAGMENTS);
  }

  private void onFrame(DirectBuffer buffer, int offset, int length) {
    byte[] frame = new byte[length];
    buffer.getBytes(offset, frame);
    byte[] contents = cipher.open(frame, keys::get);
    if (contents == null) {
      owner.onForged();
      return;
    }
    try {
      List<LinkRecord> entries = LinkCodec.read(Buffer.buffer(contents));
      waiting.incrementAndGet();
      owner.execute(
          () -> {
            waiting.decrementAndGet();
            owner.onEntries(entries);
          });
    } catch (LinkCodec.Malformed e) {
      owner.onForged(); // by a member of the group
    }
  }

  @Override
  public void onTick() {
    owner.execute(owner::onTick);
  }

  @Override
  public void onFailed(String why) {
    subscription = null;
    owner.execute(() -> owner.onFailed(why));
  }

  @Override
  public void close() {
    if (subscription != null) {
      subscription.close();
      subscription = null;
    }
  }
}
