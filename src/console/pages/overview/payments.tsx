import type { Payment } from '../../../shared/model/account.ts';
import { useFreePages } from '../../paging.ts';
import { dollars, Time } from '../../ui/format.tsx';
import { Card } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/states.tsx';

export function Payments() {
  const payments = useFreePages<Payment>('account/payments', 'payments');
  return (
    <Card title="Payments" flush>
      <PagedTable
        of={payments}
        caption="Payments into the account, newest first"
        keyOf={({ id }) => id}
        empty={<Empty title="No payments yet" />}
        columns={[
          { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
          { label: 'Description', cell: ({ description }) => description },
          { label: 'Id', cell: ({ id }) => <code>{id}</code> },
          { label: 'Amount', number: true, cell: ({ amount }) => dollars(amount) },
        ]}
      />
    </Card>
  );
}
