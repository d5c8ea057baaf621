import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { CallTexts } from './call-panel.tsx';
import { unsupportedReason } from './paid-views.tsx';
import type { ExplorerCall } from './requests.ts';

interface WriteDialogProps<T> {
  title: string;
  submitLabel: string;
  call: ExplorerCall;
  graphql: string;
  onDone: (data: T) => void;
  onClose: () => void;
  /** What the write does. */
  children: ComponentChildren;
}

/** Shows the price and the call of a write, and makes the call when the visitor agrees. */
export function WriteDialog<T>({ call: shown, graphql, onDone, onClose, children, ...rest }: WriteDialogProps<T>) {
  const [idempotencyKey, setKey] = useState(newKey);
  const submit = async () => {
    try {
      onDone(await call<T>(shown.name, shown.input, { asActor: true, idempotencyKey }));
    } catch (error) {
      // With the same key, the gateway would return the same refusal again. After a lost response, the same key prevents a second write.
      const isRefusal = error instanceof ApiError && error.status !== null && error.status < 500;
      if (isRefusal) setKey(newKey());
      throw error;
    }
  };
  return (
    <FormDialog {...rest} pays={shown.name} onClose={onClose} onSubmit={submit}>
      {children}
      <CallTexts calls={[shown]} graphql={graphql} />
    </FormDialog>
  );
}

// `crypto.randomUUID` exists only on pages that came over HTTPS or from loopback.
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');

interface WriteButtonProps {
  label: string;
  question: string;
  call: ExplorerCall;
  graphql: string;
  /** Shown when the call has succeeded. */
  done: string;
}

/** A button that opens the dialog of a write. */
export function WriteButton({ label, question, call: shown, graphql, done }: WriteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const reason = unsupportedReason(shown.name);
  if (reason !== null) {
    return (
      <p class="soft">
        {label} is not available: {reason}
      </p>
    );
  }
  const close = () => setOpen(false);
  const finish = () => {
    close();
    toast(done);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}…</Button>
      {isOpen && (
        <WriteDialog title={label} submitLabel={label} call={shown} graphql={graphql} onDone={finish} onClose={close}>
          <p>{question}</p>
        </WriteDialog>
      )}
    </>
  );
}
