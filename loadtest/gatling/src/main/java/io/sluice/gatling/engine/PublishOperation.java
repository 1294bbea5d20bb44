package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.check.Frames;
import java.util.List;

/**
 * Publishes a message, with or without a reply. Immutable.
 *
 * @param type {@code publish} or {@code request}
 * @param members members of the frame
 * @param timeoutMs time limit of a reply; 0 for a publish
 * @param checks checks of the reply
 */
public record PublishOperation(String type, List<Member> members, long timeoutMs, CheckSet checks)
    implements Operation {
  /**
   * Member of the frame.
   *
   * @param path names from the frame to the member
   * @param isJson the text is JSON; otherwise it is a string
   */
  public record Member(List<String> path, Template value, boolean isJson) {
    /** Returns a member with a string. */
    public static Member text(String name, String value) {
      return new Member(List.of(name), Template.of(value), false);
    }

    /** Returns a member with JSON. */
    public static Member json(String name, String value) {
      return new Member(List.of(name), Template.of(value), true);
    }

    private void put(ObjectNode frame, Execution execution) {
      ObjectNode parent = frame;
      for (String name : path.subList(0, path.size() - 1)) {
        parent = parent.withObjectProperty(name);
      }
      String name = path.get(path.size() - 1);
      String text = execution.resolve(value);
      if (isJson) {
        parent.set(name, Frames.parse(text, String.join(".", path)));
      } else {
        parent.put(name, text);
      }
    }
  }

  /** Copies the members. */
  public PublishOperation {
    members = List.copyOf(members);
  }

  @Override
  public boolean isThrottled() {
    return true;
  }

  @Override
  public void run(Execution execution) {
    ObjectNode frame = Frames.of(type);
    try {
      members.forEach(member -> member.put(frame, execution));
    } catch (Frames.MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    execution.whenConnected(() -> send(execution, frame));
  }

  private void send(Execution execution, ObjectNode frame) {
    VirtualUser user = execution.user();
    long fromMs = execution.responses().nowMs();
    user.request(
        frame,
        user.nextRef(),
        timeoutMs + execution.protocol().answerTimeout().toMillis(),
        new VirtualUser.Answer() {
          @Override
          public void onFrame(JsonNode answer) {
            end(answer.has("payload") ? check(execution, answer) : null, null);
          }

          @Override
          public void onFailure(String code, String message) {
            end(message, code);
          }

          private void end(String failure, String code) {
            execution.log(execution.name(""), fromMs, code, failure);
            execution.proceed();
          }
        });
  }

  /** Checks a reply and saves values. Returns the failure, or null. */
  private String check(Execution execution, JsonNode reply) {
    CheckSet.Verdict verdict = checks.check(Frames.message(reply), execution.session());
    execution.session(verdict.save(execution.session()));
    return verdict.failure();
  }
}
