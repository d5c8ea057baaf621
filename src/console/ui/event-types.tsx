import type { AccountEventType } from '../../shared/model/event.ts';
import { useFreeCall } from '../api.ts';
import { LoadedView } from './states.tsx';

/** The event types that do not come from the platform. Only webhooks and streams that list them get them. */
const accountEventTypes: readonly AccountEventType[] = ['account.low_credit', 'connection.expired'];

/** Chooses event types, in the field `events` of a form. */
export function EventTypes({ chosen = null }: { chosen?: readonly string[] | null }) {
  const capabilities = useFreeCall<{ event_types: string[] }>('capabilities');
  return (
    <fieldset>
      <legend>Event types</legend>
      <p class="hint">All types of the platform if none is chosen. Messages need the encryption code of the actor.</p>
      <LoadedView of={capabilities}>
        {({ event_types }) => (
          <div class="choices">
            {[...event_types, ...accountEventTypes].map((type) => (
              <label key={type} class="choice">
                <input type="checkbox" name="events" value={type} defaultChecked={chosen?.includes(type) ?? false} />
                {type}
              </label>
            ))}
          </div>
        )}
      </LoadedView>
    </fieldset>
  );
}
