import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { priceOf } from '../api.ts';
import { dollars } from './format.tsx';
import { toast } from './toasts.tsx';

/** The price of a call that costs money. */
export function Price({ of }: { of: string }) {
  const price = priceOf(of);
  if (price === '0') return null;
  return (
    <span class="price" title="Charged only if the call succeeds">
      {dollars(price)}
    </span>
  );
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'loading' | 'size'> {
  look?: 'primary' | 'plain' | 'danger';
  /** The name of the call that the button makes. Its price is shown if it is not free. */
  pays?: string | undefined;
  /** True while the call runs. The button then keeps the focus, but does nothing. */
  busy?: boolean;
  small?: boolean;
  children: ComponentChildren;
}

export function Button({ look = 'plain', pays, busy = false, small = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${look} ${small ? 'small' : ''}`}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={busy ? undefined : rest.onClick}
    >
      {children}
      {pays && <Price of={pays} />}
    </button>
  );
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      toast('Copied');
      setTimeout(() => setCopied(false), 1_500);
    } catch {
      toast('The browser does not allow copying: select the text instead', 'bad');
    }
  };
  return (
    <button type="button" class="button small" onClick={copy}>
      {copied ? 'Copied' : label}
    </button>
  );
}

/** A key or secret with a button that copies it. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div class="secret">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** Code with a button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} label="Copy" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focusable region can be scrolled with the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
