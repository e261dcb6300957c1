// Everything that was sent to the account's addresses, with the answers; one or all can be sent again.
import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { DeliveryRow, EndpointRow, PageOf } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, usePages, useRead } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { DeliveryDialog, useDeliveryColumns } from '../../parts/delivery-rows.tsx'
import { InboxIcon, ResendIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useWords } from '../../words/language.tsx'

const DAY_MS = 86_400_000
const STATES: readonly DeliveryRow['state'][] = ['waiting', 'delivered', 'failed']

export function Deliveries() {
  const { webhooks } = useWords().developers
  const { accountId, role } = usePlace()
  const { say } = useMessages()
  const base = `accounts/${accountId}`
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const pages = usePages<DeliveryRow>(base, 'deliveries', { state })
  const endpoints = useRead<PageOf<EndpointRow>>(base, 'endpoints')
  const resendAll = useChange(
    base,
    () =>
      Promise.all(
        (endpoints.data?.rows ?? []).map(({ endpointId }) =>
          post(`${base}/deliveries/resend`, { endpointId, since: Date.now() - DAY_MS }),
        ),
      ),
    ['deliveries'],
  )
  return (
    <div className="stack">
      <div className="lead-row">
        <NativeSelect
          aria-label={webhooks.state}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value)}
          data={[
            { value: '', label: webhooks.anyState },
            ...STATES.map((value) => ({ value, label: webhooks.states[value] })),
          ]}
        />
        {may(role, 'manageWebhooks') && (endpoints.data?.rows.length ?? 0) > 0 && (
          <Button variant="default" leftSection={<ResendIcon size={18} />} onClick={() => setAsking(true)}>
            {webhooks.resendFailed}
          </Button>
        )}
      </div>
      <Card flush>
        <PagedRows
          label={webhooks.delivery}
          pages={pages}
          columns={useDeliveryColumns(setOpened)}
          keyOf={({ deliveryId }) => deliveryId}
          opens
          empty={
            <Empty icon={<InboxIcon size={40} />} title={webhooks.noDeliveries} help={webhooks.noDeliveriesHelp} />
          }
        />
      </Card>
      <DeliveryDialog deliveryId={opened} close={() => setOpened(undefined)} />
      <Confirm
        isOpen={isAsking}
        close={() => setAsking(false)}
        title={webhooks.resendFailed}
        lead={webhooks.resendSince}
        act={webhooks.resend}
        onAct={async () => {
          await resendAll.mutateAsync()
          say(webhooks.resent)
        }}
      />
    </div>
  )
}
