import { signal } from '@preact/signals';

type Tone = 'good' | 'bad';

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const shownMs = 5_000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a short message, which screen readers announce. */
export function toast(text: string, tone: Tone = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, tone }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((other) => other.id !== id);
  }, shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
