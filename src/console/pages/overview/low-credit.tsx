import { useState } from 'preact/hooks';
import type { AccountDetails } from '../../../shared/model/account.ts';
import { call, type Loaded } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { dollars } from '../../ui/format.tsx';
import { Card } from '../../ui/page.tsx';
import { LoadedView } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';

/** Shows and changes the threshold below which webhooks get `account.low_credit`. */
export function LowCredit({ of: account }: { of: Loaded<AccountDetails> }) {
  const [isOpen, setOpen] = useState(false);
  const save = async (form: FormData) => {
    const threshold = String(form.get('threshold')).trim() || null;
    await call('account/update', { low_credit_threshold: threshold });
    toast(
      threshold === null ? 'No event is sent when the credit becomes low' : `The threshold is ${dollars(threshold)}`,
    );
    setOpen(false);
    account.reload();
  };
  return (
    <Card title="Low credit" actions={<Button onClick={() => setOpen(true)}>Set threshold</Button>}>
      <LoadedView of={account}>
        {({ low_credit_threshold: threshold }) => (
          <>
            <p>
              {threshold === null ? (
                'No event is sent when the credit becomes low.'
              ) : (
                <>
                  A charge that takes the credit below <b>{dollars(threshold)}</b> sends <code>account.low_credit</code>{' '}
                  to the <a href="/console/webhooks">webhooks</a> that list this event type.
                </>
              )}
            </p>
            {isOpen && (
              <FormDialog
                title="Threshold of low credit"
                submitLabel="Save"
                onClose={() => setOpen(false)}
                onSubmit={save}
              >
                <Field label="Dollars" hint="No event is sent if the field is empty.">
                  <input
                    name="threshold"
                    type="number"
                    min={0.000001}
                    step={0.000001}
                    defaultValue={threshold ?? ''}
                    placeholder="1.50"
                  />
                </Field>
                <p class="soft">
                  After an event, no other is sent until a payment raises the credit to the threshold again.
                </p>
              </FormDialog>
            )}
          </>
        )}
      </LoadedView>
    </Card>
  );
}
