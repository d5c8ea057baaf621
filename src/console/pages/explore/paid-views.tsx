import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Capabilities } from '../../../shared/model/capabilities.ts';
import { call as callFree } from '../../api.ts';
import { actor } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ErrorState, Loading } from '../../ui/states.tsx';
import { load, type Page, pagesOf, stateOf } from './paid-calls.ts';
import type { ExplorerCall } from './requests.ts';

interface PaidViewProps<T> {
  call: ExplorerCall;
  /** What the call loads, such as `the replies`. */
  what: string;
  children: (data: T) => ComponentChildren;
}

/** Shows the data of a call that costs money. Before the call, shows a button with the price; after a failure, the error. */
export function PaidView<T>({ call, what, children }: PaidViewProps<T>) {
  const { data, error, loading } = stateOf<T>(call).value;
  const obstacle = obstacleTo(call);
  if (data !== null) return <>{children(data)}</>;
  if (loading) return <Loading label={`Loading ${what}`} />;
  if (obstacle !== null) {
    return (
      <Empty title={obstacle.title}>
        <p>{obstacle.text}</p>
      </Empty>
    );
  }
  return (
    <div class="unpaid">
      {error && (
        <>
          <ErrorState error={error} />
          <p class="soft">A call that fails costs nothing.</p>
        </>
      )}
      <Button look="primary" pays={call.name} onClick={() => load(call)}>
        {error ? `Load ${what} again` : `Load ${what}`}
      </Button>
    </div>
  );
}

interface Obstacle {
  readonly title: string;
  readonly text: string;
}

/** Returns why a call cannot be made; `null` if it can. */
export function obstacleTo({ name, takesCode }: ExplorerCall): Obstacle | null {
  const unsupported = unsupportedReason(name);
  if (unsupported !== null) return { title: 'Not available on this platform', text: unsupported };
  if (!actor.value?.authToken) {
    return {
      title: 'No account chosen',
      text: 'Above, choose the platform account that calls act as, or enter its token.',
    };
  }
  if (takesCode && !actor.value.encryptionCode) {
    return {
      title: 'No encryption code',
      text: 'Above, enter the encryption code of the account, which opens its messages.',
    };
  }
  return null;
}

const capabilities = signal<Capabilities | null>(null);

/** Asks once what the platform supports. */
export function useCapabilities(): void {
  useEffect(() => {
    if (capabilities.value !== null) return;
    callFree<Capabilities>('capabilities').then(
      (data) => {
        capabilities.value = data;
      },
      // If this call fails, the gateway still refuses unsupported calls, with the same reason.
      () => {},
    );
  }, []);
}

/** Returns why the platform does not support a call; `null` if it does, or if that is not known yet. */
export function unsupportedReason(name: string): string | null {
  return capabilities.value?.actions.find((action) => action.name === name)?.reason ?? null;
}

interface PaidListProps<P extends Page, Item> {
  call: ExplorerCall;
  what: string;
  items: (page: P) => readonly Item[];
  /** Shown if the first page has no items. */
  empty: string;
  keyOf: (item: Item) => string;
  children: (item: Item) => ComponentChildren;
}

/** Shows the pages of a list. Each further page is loaded by a button with its price. */
export function PaidList<P extends Page, Item>({ call, what, items, empty, keyOf, children }: PaidListProps<P, Item>) {
  const { calls, next } = pagesOf(call);
  return (
    <>
      {calls.map((each, index) => (
        <PaidView<P> key={JSON.stringify(each.input)} call={each} what={index === 0 ? what : `more of ${what}`}>
          {(page) =>
            index === 0 && items(page).length === 0 ? (
              <Empty title={empty} />
            ) : (
              <ul class="items">
                {items(page).map((item) => (
                  <li key={keyOf(item)}>{children(item)}</li>
                ))}
              </ul>
            )
          }
        </PaidView>
      ))}
      {next && (
        <p class="more">
          <Button pays={next.name} onClick={() => load(next)}>
            More
          </Button>
        </p>
      )}
    </>
  );
}
