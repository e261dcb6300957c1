// Webhook deliveries as a table. Each row opens the request and its answers.
import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { DeliveryRow } from '../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../api/account.ts'
import { ask } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import { dotted, formatCount, formatTime } from '../format.ts'
import type { Words } from '../words/fr.ts'
import { useWords } from '../words/language.tsx'
import { ActButton, Dialog } from './form.tsx'
import { ResendIcon } from './icons.tsx'
import { Read } from './page.tsx'
import { type Column, Rows, TwoLines } from './rows.tsx'
import { Address, CodeBlock, State, type Tone, When } from './values.tsx'

const TONES: Readonly<Record<DeliveryRow['state'], Tone>> = {
  waiting: 'wait',
  delivered: 'good',
  failed: 'bad',
}

export function useDeliveryColumns(open: (deliveryId: string) => void): Column<DeliveryRow>[] {
  const { common, webhooks } = useWords()
  return [
    {
      heading: common.event,
      cell: ({ deliveryId, event, url, createdAt }) => (
        <>
          <button type="button" className="opener plain" onClick={() => open(deliveryId)}>
            <Address url={event} />
          </button>
          <span className="sub breaks">
            <Address url={url} />
          </span>
          <span className="sub until-sm">
            <When at={createdAt} />
          </span>
        </>
      ),
    },
    {
      heading: webhooks.lastAnswer,
      from: 'sm',
      cell: ({ lastStatus, lastError, attempts, nextAttemptAt, state }) => {
        const next = state === 'waiting' && nextText(nextAttemptAt, webhooks)
        return (
          <TwoLines sub={dotted(webhooks.attempts(attempts), next)}>
            {lastStatus ?? lastError ?? '–'}
          </TwoLines>
        )
      },
    },
    {
      heading: common.date,
      from: 'sm',
      isTight: true,
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    {
      heading: common.state,
      at: 'end',
      cell: ({ state }) => <State tone={TONES[state]}>{webhooks.states[state]}</State>,
    },
  ]
}

/**
 * A due time in the past: a receiver that fails gets one delivery at a time, and the others wait
 * for it.
 */
function nextText(nextAttemptAt: number | null, webhooks: Words['webhooks']): string {
  if (nextAttemptAt === null) return webhooks.whenResumed
  return nextAttemptAt > Date.now()
    ? webhooks.next(formatTime(nextAttemptAt))
    : webhooks.afterEarlier
}

export function DeliveryRows({
  deliveries,
  label,
}: {
  deliveries: readonly DeliveryRow[]
  label: string
}) {
  const [opened, setOpened] = useState<string>()
  return (
    <>
      <Rows
        label={label}
        columns={useDeliveryColumns(setOpened)}
        rows={deliveries}
        keyOf={({ deliveryId }) => deliveryId}
        opens
      />
      <DeliveryDialog deliveryId={opened} close={() => setOpened(undefined)} />
    </>
  )
}

export function DeliveryDialog({
  deliveryId,
  close,
}: {
  deliveryId: string | undefined
  close(): void
}) {
  const { webhooks } = useWords()
  return (
    <Dialog isOpen={deliveryId !== undefined} close={close} title={webhooks.delivery} size="xl">
      {deliveryId !== undefined && <Delivery deliveryId={deliveryId} />}
    </Dialog>
  )
}

function Delivery({ deliveryId }: { deliveryId: string }) {
  const { webhooks } = useWords()
  const { base, change, role } = usePlace()
  const reading = useRead(base, 'GET /deliveries/:deliveryId', { deliveryId })
  const resend = () => ask(base, 'POST /deliveries/resend', { deliveryIds: [deliveryId] })
  return (
    <Read reading={reading}>
      {({ event, url, state, requestBody, tries }) => (
        <Stack>
          <p className="state-line">
            <State tone={TONES[state]}>{webhooks.states[state]}</State> <b>{event}</b>{' '}
            <span className="soft mono">{url}</span>
          </p>
          <h3>{webhooks.request}</h3>
          <CodeBlock text={pretty(requestBody)} name={webhooks.request} />
          <h3>{webhooks.tries}</h3>
          {tries.length === 0 && <p className="soft">{webhooks.noTries}</p>}
          {tries.map(({ at, status, error, milliseconds, answer }) => (
            <div key={at}>
              <p className="state-line">
                <State tone={status !== null && status < 300 ? 'good' : 'bad'}>
                  {String(status ?? webhooks.noAnswer)}
                </State>
                <span className="soft">
                  <When at={at} /> ·&nbsp;
                  {dotted(`${formatCount(milliseconds)}\u00a0ms`, error)}
                </span>
              </p>
              {answer !== null && answer !== '' && (
                <CodeBlock text={answer} name={webhooks.answer} />
              )}
            </div>
          ))}
          {may(role, 'manageWebhooks') && (
            <ActButton
              leftSection={<ResendIcon size={18} />}
              action={() => change(resend(), 'deliveries', 'payments')}
              done={webhooks.resent}
            >
              {webhooks.resend}
            </ActButton>
          )}
        </Stack>
      )}
    </Read>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
