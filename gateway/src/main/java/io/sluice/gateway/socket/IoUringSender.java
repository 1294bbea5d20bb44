package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
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
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;

/**
 * Sender that submits a batch of sends to an io_uring in one system call; the event loop stays on
 * epoll. Bound to that loop.
 *
 * <p>No send ever waits in the kernel (MSG_DONTWAIT): each one is done, cut short or refused before
 * {@link #submit} returns. So nothing is in flight between two batches, no buffer has to outlive
 * one, and a socket's next bytes cannot overtake these.
 */
final class IoUringSender implements Sender, IoUringIoHandle {
  /** Sends that share a system call; more make the kernel's stay longer and save little. */
  private static final int ENTRIES = 512;

  private static final byte OP_SEND = 26;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int EAGAIN = 11;

  /** Tells the ring that it must not wait for anything. */
  private static final IoHandlerContext NOW =
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

  private final IoHandler ring;
  private final IoRegistration registration;
  private final EpollSocket[] wires = new EpollSocket[ENTRIES];
  private final DirectSender direct = new DirectSender();
  private int queued;
  private int missing;
  private boolean broken;

  private IoUringSender(IoHandler ring) throws Exception {
    this.ring = ring;
    ring.initialize();
    this.registration = ring.register(this);
  }

  /**
   * Opens a ring; call it on the loop.
   *
   * @throws IOException if the kernel or its policy does not allow it
   */
  static IoUringSender open(ThreadAwareExecutor loop) throws IOException {
    if (!IoUring.isAvailable()) {
      throw unavailable("io_uring is not available", IoUring.unavailabilityCause());
    }
    try {
      IoUringIoHandlerConfig config =
          new IoUringIoHandlerConfig().setRingSize(ENTRIES).setSingleIssuer(true);
      return new IoUringSender(IoUringIoHandler.newFactory(config).newHandler(loop));
    } catch (Exception e) { // whatever the kernel objects to, there is another way
      throw unavailable("cannot open an io_uring", e);
    }
  }

  // The operator reads the message alone, and the kernel's reason is what he can do something
  // about.
  private static IOException unavailable(String what, Throwable cause) {
    return new IOException(what + ": " + cause.getMessage(), cause);
  }

  @Override
  public void send(EpollSocket wire, ByteBuf bytes, int from) {
    if (queued == ENTRIES) {
      submit();
    }
    if (broken) {
      direct.send(wire, bytes, from);
      return;
    }
    wires[queued++] = wire;
    try {
      registration.submit(
          new IoUringIoOps(
              OP_SEND,
              (byte) 0,
              (short) 0,
              wire.fd().intValue(),
              0,
              bytes.memoryAddress() + from,
              bytes.writerIndex() - from,
              MSG_DONTWAIT | MSG_NOSIGNAL,
              queued - 1,
              (short) 0,
              (short) 0,
              0,
              0));
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
  }

  @Override
  public void submit() {
    if (queued == 0) {
      return;
    }
    missing = queued;
    try {
      ring.run(NOW);
      if (missing > 0) {
        throw new IOException(missing + " sends of " + queued + " were not answered");
      }
      queued = 0;
    } catch (IOException | RuntimeException | Error e) {
      giveUp(e);
    }
  }

  // What the ring still holds would go to whichever socket has the descriptor by then, so it is
  // never entered again, not even to close it. A send without an answer may have left or not: its
  // socket can't go on.
  private void giveUp(Throwable cause) {
    broken = true;
    EpollSockets.fallBack("io-uring", "epoll", cause);
    int unsettled = queued;
    queued = 0;
    for (int i = 0; i < unsettled; i++) {
      EpollSocket wire = wires[i];
      wires[i] = null;
      if (wire != null) {
        wire.onSendFailed(new IOException("the io_uring broke", cause));
      }
    }
  }

  @Override
  public void handle(IoRegistration source, IoEvent event) {
    IoUringIoEvent sent = (IoUringIoEvent) event;
    complete((int) sent.userData(), sent.res());
  }

  private void complete(int index, int result) {
    EpollSocket wire = wires[index];
    wires[index] = null;
    missing--;
    if (result >= 0 || result == -EAGAIN) {
      wire.onSent(Math.max(result, 0));
    } else {
      wire.onSendFailed(Errors.newIOException("send", result));
    }
  }

  @Override
  public void registered() {
    // The ring has taken this handle; nothing waits for it.
  }

  @Override
  public void unregistered() {
    // The ring is closing.
  }

  @Override
  public void close() {
    if (!broken && registration.cancel()) {
      ring.prepareToDestroy();
      ring.destroy();
    }
  }
}
