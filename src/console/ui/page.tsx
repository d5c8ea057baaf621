import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface PageProps {
  title: string;
  /** One or two sentences below the title. */
  intro?: ComponentChildren;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

let isFirstPage = true;

/** The frame of every page. After a navigation, the focus moves to its title. */
export function Page({ title, intro, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Postern console`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus();
    isFirstPage = false;
  }, []);
  return (
    <>
      <header class="page-header">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro && <p class="intro">{intro}</p>}
        </div>
        {actions && <div class="row actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface CardProps {
  title: string;
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  /** True if the content reaches the edges, as a table does. */
  flush?: boolean;
  children: ComponentChildren;
}

export function Card({ title, intro, actions, flush = false, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {intro && <p class="intro">{intro}</p>}
        </div>
        {actions && <div class="row actions">{actions}</div>}
      </header>
      <div class={flush ? 'flush' : 'card-body'}>{children}</div>
    </section>
  );
}

/** A row of figures, each with a label and a note. */
export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}

interface FigureProps {
  label: string;
  children: ComponentChildren;
  note?: ComponentChildren;
}

export function Figure({ label, children, note }: FigureProps) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <span class="figure-value">{children}</span>
        {note && <span class="figure-note">{note}</span>}
      </dd>
    </div>
  );
}

type Tone = 'good' | 'bad' | 'warn' | 'neutral';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
