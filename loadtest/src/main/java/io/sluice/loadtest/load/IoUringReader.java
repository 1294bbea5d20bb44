package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Errors;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;

/**
 * Reader that submits all reads of an epoll loop iteration in one system call, through an
 * additional io_uring. Bound to that event loop.
 *
 * <p>No read blocks in the kernel (MSG_DONTWAIT). Every read is therefore complete when entering
 * the ring returns, and each slot of the buffer is free again.
 */
final class IoUringReader implements SocketReader, IoUringIoHandle {
  private static final int ENTRIES = 512;
  private static final int READ_BYTES = 4 * 1024;
  private static final byte OP_RECV = 27;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int EAGAIN = 11;

  /** Context that prevents the ring from blocking. */
  private static final IoHandlerContext NON_BLOCKING =
      new IoHandlerContext() {
        @Override
        public boolean canBlock() {
          return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
          return 0;
        }

        @Override
        public long deadlineNanos() {
          return -1;
        }
      };

  private final IoEventLoop loop;
  private final IoHandler ring;
  private final IoRegistration registration;
  private final ByteBuf in =
      PooledByteBufAllocator.DEFAULT.directBuffer(ENTRIES * READ_BYTES, ENTRIES * READ_BYTES);
  private final DescriptorLink[] links = new DescriptorLink[ENTRIES];
  private final boolean[] ending = new boolean[ENTRIES];
  private int queued;
  private int completed;
  private boolean entered;

  private IoUringReader(IoEventLoop loop, IoHandler ring) throws Exception {
    this.loop = loop;
    this.ring = ring;
    ring.initialize();
    this.registration = ring.register(this);
  }

  /**
   * Opens a ring. Called on the event loop.
   *
   * @throws IOException if the kernel or a security policy rejects it
   */
  static IoUringReader open(IoEventLoop loop) throws IOException {
    if (!IoUring.isAvailable()) {
      throw unavailable(IoUring.unavailabilityCause());
    }
    try {
      IoUringIoHandlerConfig config =
          new IoUringIoHandlerConfig().setRingSize(ENTRIES).setSingleIssuer(true);
      return new IoUringReader(loop, IoUringIoHandler.newFactory(config).newHandler(loop));
    } catch (Exception e) { // any rejection by the kernel
      throw unavailable(e);
    }
  }

  private static IOException unavailable(Throwable cause) {
    return new IOException("io_uring is not available: " + cause.getMessage(), cause);
  }

  @Override
  public void read(DescriptorLink link, boolean ended) {
    if (queued == 0) {
      loop.execute(this::enter); // runs after all ready descriptors of this iteration are queued
    }
    if (queued == ENTRIES) {
      enter();
    }
    queue(link, ended);
  }

  private void queue(DescriptorLink link, boolean ended) {
    links[queued] = link;
    ending[queued] = ended;
    registration.submit(
        new IoUringIoOps(
            OP_RECV,
            (byte) 0,
            (short) 0,
            link.fd().intValue(),
            0,
            in.memoryAddress() + (long) queued * READ_BYTES,
            READ_BYTES,
            MSG_DONTWAIT,
            queued,
            (short) 0,
            (short) 0,
            0,
            0));
    queued++;
  }

  @Override
  public void beforeClose() {
    if (!entered) {
      enter();
    }
  }

  private void enter() {
    if (queued == 0) {
      return;
    }
    entered = true;
    completed = 0;
    try {
      ring.run(NON_BLOCKING);
    } finally {
      entered = false;
    }
    if (completed < queued) {
      throw new IllegalStateException(completed + " of " + queued + " reads were completed");
    }
    queued = 0;
  }

  @Override
  public void handle(IoRegistration source, IoEvent event) {
    IoUringIoEvent read = (IoUringIoEvent) event;
    int index = (int) read.userData();
    DescriptorLink link = links[index];
    links[index] = null;
    completed++;
    if (!link.isOpen()) {
      return;
    }
    try {
      onRead(link, index, read.res());
    } catch (IOException e) {
      if (link.isOpen()) {
        link.end(e);
      }
    }
  }

  private void onRead(DescriptorLink link, int index, int result) throws IOException {
    if (result == 0) {
      link.end(null);
    } else if (result > 0) {
      int start = index * READ_BYTES;
      link.read(in.setIndex(0, start + result).readerIndex(start));
      if ((result == READ_BYTES || ending[index]) && link.isOpen()) {
        link.rearm(); // reports the remaining bytes again
      }
    } else if (result != -EAGAIN) {
      throw Errors.newIOException("recv", result);
    }
  }

  @Override
  public void registered() {
    // No action is required.
  }

  @Override
  public void unregistered() {
    // The ring is closing.
  }

  @Override
  public void close() {
    if (registration.cancel()) {
      ring.prepareToDestroy();
      ring.destroy();
    }
    in.release();
  }
}
