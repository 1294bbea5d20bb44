import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.js";

/** Result of an action, shown below its buttons. */
export interface Outcome {
  readonly isError: boolean;
  readonly text: string;
}

interface ActionProps {
  readonly label: string;
  /** Consequence that the operator confirms; without one, the action starts at once. */
  readonly confirm?: string;
  readonly isDangerous?: boolean;
  readonly run: () => Promise<string>;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Button that sends a command, after a confirmation if it has consequences. */
export function Action(props: ActionProps) {
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const start = () => {
    setOpen(false);
    setRunning(true);
    void outcomeOf(props.run).then((outcome) => {
      setRunning(false);
      props.onOutcome(outcome);
    });
  };
  const tone = props.isDangerous ? "btn-outline-danger" : "btn-outline-primary";
  return (
    <>
      <button
        type="button"
        class={`btn btn-sm ${tone}`}
        disabled={isRunning}
        onClick={() => {
          if (props.confirm === undefined) start();
          else setOpen(true);
        }}
      >
        {props.label}
      </button>
      {isOpen && (
        <Dialog
          title={props.label}
          onClose={() => {
            setOpen(false);
          }}
        >
          <p>{props.confirm}</p>
          <div class="d-flex justify-content-end gap-2">
            <form method="dialog">
              <button class="btn btn-outline-secondary">Cancel</button>
            </form>
            <button
              type="button"
              class={`btn ${props.isDangerous ? "btn-danger" : "btn-primary"}`}
              onClick={start}
            >
              {props.label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Runs a command; a failure is part of the outcome. */
export async function outcomeOf(run: () => Promise<string>): Promise<Outcome> {
  try {
    return { isError: false, text: await run() };
  } catch (cause) {
    const isMissing = cause instanceof ApiError && cause.isMissing;
    const text = cause instanceof Error ? cause.message : String(cause);
    return { isError: true, text: isMissing ? "This node does not offer the command." : text };
  }
}

function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={props.onClose}>
      <h2 class="h5" id="dialog-title">
        {props.title}
      </h2>
      {props.children}
    </dialog>
  );
}

/** Outcome of the latest action. */
export function OutcomeText(props: { readonly of: Outcome | undefined }) {
  const { of: outcome } = props;
  return (
    <div role="status">
      {outcome && (
        <div class={`alert py-2 mt-2 mb-0 ${outcome.isError ? "alert-danger" : "alert-success"}`}>
          {outcome.text}
        </div>
      )}
    </div>
  );
}
