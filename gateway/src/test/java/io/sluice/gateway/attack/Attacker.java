package io.sluice.gateway.attack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.sluice.testkit.ClientFrame;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Connection of one attacker, from its first byte to its end. Bound to its event loop. */
final class Attacker extends FrameReader {
  private static final Pattern COUNTED =
      Pattern.compile("\\{\"type\":\"(message|delivery|error)\".*?(?:\"code\":\"([^\"]*)\".*)?");

  private final Attackers attack;
  private final Script script;
  private final int number;
  private final boolean tls;
  private final Map<String, Integer> left;
  private ChannelHandlerContext context;
  private int closeCode;
  private boolean leaving;

  /**
   * @param number of the connection, which determines its bytes
   * @param tls whether it begins after a TLS handshake
   */
  Attacker(Attackers attack, Script script, int number, boolean tls) {
    this.attack = attack;
    this.script = script;
    this.number = number;
    this.tls = tls;
    this.left = script.most() == null ? Map.of() : new HashMap<>(script.most());
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    if (!tls) {
      begin();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext user, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completed && completed.isSuccess()) {
      begin();
    }
  }

  private void begin() {
    byte[] first = script.first().apply(number);
    if (first.length > 0) {
      context.writeAndFlush(Unpooled.wrappedBuffer(first));
    }
    if (script.end() == Script.End.CONNECTED) {
      leave();
    } else if (script.beat().length > 0) {
      attack.onBegun(this);
    }
  }

  /** Sends the repeated bytes, unless earlier ones are still queued. */
  void beat(ByteBuf bytes) {
    if (context.channel().isWritable()) {
      var sent = context.writeAndFlush(bytes.duplicate());
      if (script.beatMs() == 0) {
        sent.addListener((ChannelFutureListener) done -> onSent(bytes, done.isSuccess()));
      }
    }
  }

  // In a separate task, so that the loop serves other connections.
  private void onSent(ByteBuf bytes, boolean success) {
    if (success && context.channel().isActive()) {
      context.executor().execute(() -> beat(bytes));
    }
  }

  @Override
  protected void onStatus(ChannelHandlerContext answered, int status) {
    if (script.end() == Script.End.ANSWERED) {
      leave();
    }
  }

  @Override
  protected void onFrame(ChannelHandlerContext read, int opcode, ByteBuf payload) {
    if (opcode == ClientFrame.CLOSE) {
      closeCode = closeCode(payload);
      read.close();
    } else if (opcode == ClientFrame.TEXT && script.most() != null) {
      onText(payload.toString(StandardCharsets.UTF_8));
    }
  }

  private void onText(String text) {
    for (String each : script.most().keySet()) {
      if (text.contains(each) && left.merge(each, -1, Integer::sum) < 0) {
        attack.count(Attackers.LEAKED);
      }
    }
    Matcher counted = COUNTED.matcher(text);
    if (counted.matches()) {
      String code = counted.group(2);
      attack.count(code == null ? counted.group(1) : counted.group(1) + ' ' + code);
      if (code != null && script.end() == Script.End.REFUSED) {
        leave();
      }
    }
  }

  private void leave() {
    leaving = true;
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ended) throws Exception {
    super.channelInactive(ended); // what has come behind the last read
    attack.onEnded(this, outcome());
  }

  private String outcome() {
    if (closeCode != 0) {
      return "close " + closeCode;
    }
    if (status() != 0 && (status() != SWITCHING || leaving)) {
      return String.valueOf(status());
    }
    return leaving ? "left" : "cut";
  }

  /** Closes the connection. A reset is a valid end: the outcome is reported at the end. */
  @Override
  public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
    failed.close();
  }
}
