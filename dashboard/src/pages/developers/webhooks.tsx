// Webhooks: the endpoints of the account and their deliveries. The signing secret of a new endpoint
// is shown once.
import { Checkbox, Menu, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type EndpointRow,
  EVENTS,
  type NewEndpointBody,
  USUAL_EVENTS,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import { dotted, formatCount, formatDayAndTime } from '../../format.ts'
import { DeliveryDialog, useDeliveryColumns } from '../../parts/delivery-rows.tsx'
import {
  AddButton,
  bound,
  Confirm,
  ConfirmButton,
  choicesOf,
  FormDialog,
  Send,
  ShownOnce,
} from '../../parts/form.tsx'
import { ConnectionIcon, InboxIcon, ResendIcon } from '../../parts/icons.tsx'
import { KeptSecrets, useAcknowledge } from '../../parts/kept-secrets.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Empty, LeadRow } from '../../parts/page.tsx'
import { type Column, menuColumn, PagedRows, TwoLines } from '../../parts/rows.tsx'
import { Address, State, type Tone } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

export const ENDPOINT_TONES: Readonly<Record<EndpointRow['state'], Tone>> = {
  working: 'good',
  failing: 'bad',
  paused: 'calm',
}

type Deed = 'test' | 'pause' | 'resume' | 'remove'

export function Webhooks() {
  const { common, webhooks } = useWords()
  const { base, change, environment, role } = usePlace()
  const { act } = useMessages()
  const isSandbox = environment === 'sandbox'
  const acknowledge = useAcknowledge()
  const pages = usePages(base, 'GET /endpoints')
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<NewEndpointBody>()
  const [leaving, setLeaving] = useState<EndpointRow>()
  const send = (deed: Deed, { endpointId }: EndpointRow): Promise<unknown> => {
    if (deed === 'test') return ask(base, 'POST /endpoints/:endpointId/test', { endpointId })
    if (deed === 'remove') return ask(base, 'DELETE /endpoints/:endpointId', { endpointId })
    const state = deed === 'pause' ? 'paused' : 'working'
    return ask(base, 'PATCH /endpoints/:endpointId', { endpointId, state })
  }
  const changed = (deed: Deed, endpoint: EndpointRow) =>
    change(send(deed, endpoint), 'endpoints', 'deliveries', 'home')
  const isOwn = may(role, 'manageWebhooks')
  const doIt = (deed: Deed, endpoint: EndpointRow): void => {
    if (deed === 'remove') setLeaving(endpoint)
    else void act(() => changed(deed, endpoint), deed === 'test' ? webhooks.tested : undefined)
  }
  const columns = useColumns(isOwn ? doIt : undefined)
  return (
    <div className="stack">
      <LeadRow lead={webhooks.lead}>
        {isOwn && <AddButton onClick={() => setNew(true)}>{webhooks.add}</AddButton>}
      </LeadRow>
      <KeptSecrets of="endpoint" />
      <PagedRows
        label={webhooks.url}
        pages={pages}
        columns={columns}
        keyOf={({ endpointId }) => endpointId}
        empty={
          <Empty
            icon={<ConnectionIcon size={40} />}
            title={webhooks.empty}
            help={webhooks.emptyHelp}
          />
        }
      />
      <NewEndpoint isOpen={isNew} close={() => setNew(false)} made={setMade} />
      <ShownOnce
        title={webhooks.secretShown}
        lead={isSandbox ? webhooks.keptLead : webhooks.secretLead}
        act={webhooks.secretCopied}
        secret={made?.signingSecret}
        close={() => {
          setMade(undefined)
          if (isSandbox && made !== undefined) void act(() => acknowledge(made.endpoint.endpointId))
        }}
      />
      <Confirm
        isOpen={leaving !== undefined}
        close={() => setLeaving(undefined)}
        title={webhooks.removeTitle}
        lead={webhooks.removeLead}
        act={common.remove}
        isDangerous
        onAct={async () => leaving && changed('remove', leaving)}
        done={webhooks.removed}
      />
    </div>
  )
}

function useColumns(
  doIt: ((deed: Deed, endpoint: EndpointRow) => void) | undefined,
): Column<EndpointRow>[] {
  const words = useWords()
  const { webhooks } = words
  return [
    {
      heading: webhooks.url,
      cell: ({ url, events }) => (
        <TwoLines sub={events.join(', ') || webhooks.allEvents}>
          <span className="mono">
            <Address url={url} />
          </span>
        </TwoLines>
      ),
    },
    {
      heading: words.common.state,
      isBelow: true,
      cell: ({ state, failingSince, lastStatus, waiting, isMore }) => (
        <TwoLines
          sub={dotted(
            failingSince !== null && webhooks.failingSince(formatDayAndTime(failingSince)),
            failingSince !== null && webhooks.answered(lastStatus),
            waiting > 0 && webhooks.waiting(formatCount(waiting), isMore),
          )}
        >
          <State tone={ENDPOINT_TONES[state]}>{webhooks.endpointStates[state]}</State>
        </TwoLines>
      ),
    },
    ...menuColumn<EndpointRow>(
      webhooks.actions,
      ({ url }) => url,
      doIt &&
        ((row) => (
          <>
            <Menu.Item onClick={() => doIt('test', row)}>{webhooks.test}</Menu.Item>
            <Menu.Item onClick={() => doIt(row.state === 'paused' ? 'resume' : 'pause', row)}>
              {row.state === 'paused' ? words.common.resume : words.common.pause}
            </Menu.Item>
            <Menu.Item color="red" onClick={() => doIt('remove', row)}>
              {words.common.remove}
            </Menu.Item>
          </>
        )),
    ),
  ]
}

function NewEndpoint({
  isOpen,
  close,
  made,
}: {
  isOpen: boolean
  close(): void
  made(body: NewEndpointBody): void
}) {
  const { developers, webhooks } = useWords()
  const { base, change } = usePlace()
  return (
    <FormDialog
      isOpen={isOpen}
      close={close}
      title={webhooks.addTitle}
      onSend={({ url = '', ...fields }) => {
        const events = EVENTS.filter((each) => fields[each] !== undefined)
        return change(ask(base, 'POST /endpoints', { url, events }), 'endpoints', 'home')
      }}
      sent={made}
    >
      <TextInput
        name="url"
        type="url"
        label={webhooks.url}
        description={webhooks.urlHelp}
        placeholder="https://"
        required
        data-autofocus
      />
      <fieldset className="choices">
        <legend>{developers.events}</legend>
        {EVENTS.map((each) => (
          <Checkbox
            key={each}
            name={each}
            label={<span className="mono">{each}</span>}
            // Many receivers take an unknown event for a success (D-61).
            defaultChecked={(USUAL_EVENTS as readonly string[]).includes(each)}
          />
        ))}
      </fieldset>
      <Send>{webhooks.create}</Send>
    </FormDialog>
  )
}

const DAY_MS = 86_400_000

export function Deliveries() {
  const { common, webhooks } = useWords()
  const { base, change, role } = usePlace()
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string>()
  const pages = usePages(base, 'GET /deliveries', { state })
  const endpoints = useRead(base, 'GET /endpoints').data?.rows ?? []
  const resend = ({ endpointId }: EndpointRow) =>
    ask(base, 'POST /deliveries/resend', { endpointId, since: Date.now() - DAY_MS })
  return (
    <div className="stack">
      <div className="lead-row">
        <NativeSelect
          aria-label={common.state}
          data={[{ value: '', label: common.all }, ...choicesOf(webhooks.states)]}
          {...bound(state, setState)}
        />
        {may(role, 'manageWebhooks') && endpoints.length > 0 && (
          <ConfirmButton
            icon={<ResendIcon size={18} />}
            label={webhooks.resendFailed}
            title={webhooks.resendFailed}
            lead={webhooks.resendSince}
            act={webhooks.resend}
            onAct={() => change(Promise.all(endpoints.map(resend)), 'deliveries')}
            done={webhooks.resent}
          />
        )}
      </div>
      <PagedRows
        label={webhooks.delivery}
        pages={pages}
        columns={useDeliveryColumns(setOpened)}
        keyOf={({ deliveryId }) => deliveryId}
        opens
        empty={
          <Empty
            icon={<InboxIcon size={40} />}
            title={webhooks.noDeliveries}
            help={webhooks.noDeliveriesHelp}
          />
        }
      />
      <DeliveryDialog deliveryId={opened} close={() => setOpened(undefined)} />
    </div>
  )
}
