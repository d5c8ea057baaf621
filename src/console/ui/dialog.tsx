import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { ErrorState } from './states.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog, which is open while it is rendered. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button small" aria-label="Close" onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A dialog that shows a result until the visitor closes it. */
export function ResultDialog({ children, ...rest }: DialogProps) {
  return (
    <Dialog {...rest}>
      <div class="stack dialog-body">{children}</div>
      <footer>
        <Button look="primary" onClick={rest.onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

interface FormDialogProps extends DialogProps {
  submitLabel: string;
  cancelLabel?: string;
  look?: 'primary' | 'danger';
  pays?: string;
  /** Runs when the form is submitted. An error is shown in the dialog, which stays open. */
  onSubmit: (form: FormData) => Promise<void>;
}

/** A dialog with a form and two buttons. */
export function FormDialog({
  submitLabel,
  cancelLabel = 'Cancel',
  look = 'primary',
  pays,
  onSubmit,
  children,
  ...rest
}: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog {...rest}>
      <form onSubmit={submit}>
        <div class="stack dialog-body">
          {children}
          {error && <ErrorState error={error} />}
        </div>
        <footer>
          <Button onClick={rest.onClose}>{cancelLabel}</Button>
          <Button type="submit" look={look} pays={pays} busy={busy}>
            {submitLabel}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
