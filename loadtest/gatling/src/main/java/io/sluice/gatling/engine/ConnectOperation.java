package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;

/** Connects a virtual user. Immutable. */
public record ConnectOperation() implements Operation {
  @Override
  public void run(Execution execution) {
    if (execution.user().isOpen()) {
      throw new IllegalArgumentException("the virtual user is connected");
    }
    execution
        .user()
        .connect(
            execution.session(),
            new VirtualUser.Answer() {
              @Override
              public void onFrame(JsonNode hello) {
                end(null, null);
              }

              @Override
              public void onFailure(String code, String message) {
                end(code, message);
              }

              private void end(String code, String message) {
                execution.log(execution.name(""), execution.startMs(), code, message);
                execution.proceed();
              }
            });
  }
}
