// Webhooks: the endpoints of the account and their deliveries. The signing secret of a new endpoint is shown once.

import { Button, Checkbox, Menu, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  DeliveryRow,
  EndpointInput,
  EndpointRow,
  NewEndpointBody,
  PageOf,
} from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, usePages, useRead } from '../../api/account.ts'
import { patch, post, remove } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import * as format from '../../format.ts'
import { DeliveryDialog, useDeliveryColumns } from '../../parts/delivery-rows.tsx'
import { Confirm, ConfirmButton, Dialog, Form, Send, ShownOnce } from '../../parts/form.tsx'
import { ConnectionIcon, InboxIcon, PlusIcon, ResendIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Empty } from '../../parts/page.tsx'
import { type Column, menuColumn, PagedRows } from '../../parts/rows.tsx'
import { Address, State, type Tone } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'

const TONES: Readonly<Record<EndpointRow['state'], Tone>> = { working: 'good', failing: 'bad', paused: 'calm' }

type Deed = 'test' | 'pause' | 'resume' | 'remove'

export function Webhooks() {
  const { common, developers } = useWords()
  const { webhooks, keys } = developers
  const { base, role } = usePlace()
  const { say, complain } = useMessages()
  const pages = usePages<EndpointRow>(base, 'endpoints')
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<NewEndpointBody>()
  const [leaving, setLeaving] = useState<EndpointRow>()
  const act = useChange(
    base,
    ({ deed, endpointId }: { deed: Deed; endpointId: string }) => {
      const at = `${base}/endpoints/${endpointId}`
      if (deed === 'test') return post(`${at}/test`)
      if (deed === 'remove') return remove(at)
      return patch(at, { state: deed === 'pause' ? 'paused' : 'working' })
    },
    ['endpoints', 'deliveries', 'home'],
  )
  const isOwn = may(role, 'manageWebhooks')
  const doIt = (deed: Deed, endpoint: EndpointRow): void => {
    if (deed === 'remove') setLeaving(endpoint)
    else
      act.mutate(
        { deed, endpointId: endpoint.endpointId },
        { onSuccess: () => deed === 'test' && say(webhooks.tested), onError: complain },
      )
  }
  const columns = useColumns(isOwn ? doIt : undefined)
  const add = isOwn && (
    <Button leftSection={<PlusIcon size={18} />} onClick={() => setNew(true)}>
      {webhooks.add}
    </Button>
  )
  return (
    <div className="stack">
      <div className="lead-row">
        <p className="soft">{webhooks.lead}</p>
        {add}
      </div>
      <PagedRows
        label={webhooks.url}
        pages={pages}
        columns={columns}
        keyOf={({ endpointId }) => endpointId}
        empty={<Empty icon={<ConnectionIcon size={40} />} title={webhooks.empty} help={webhooks.emptyHelp} />}
      />
      <NewEndpoint isOpen={isNew} close={() => setNew(false)} made={setMade} />
      <ShownOnce
        title={webhooks.secretShown}
        lead={webhooks.secretLead}
        act={keys.copied}
        secret={made?.signingSecret}
        close={() => setMade(undefined)}
      />
      <Confirm
        isOpen={leaving !== undefined}
        close={() => setLeaving(undefined)}
        title={webhooks.removeTitle}
        lead={webhooks.removeLead}
        act={common.remove}
        isDangerous
        onAct={async () => {
          if (leaving === undefined) return
          await act.mutateAsync({ deed: 'remove', endpointId: leaving.endpointId })
          say(webhooks.removed)
        }}
      />
    </div>
  )
}

function useColumns(doIt: ((deed: Deed, endpoint: EndpointRow) => void) | undefined): Column<EndpointRow>[] {
  const { words, language } = useSpoken()
  const { webhooks } = words.developers
  return [
    {
      heading: webhooks.url,
      cell: ({ url, events }) => (
        <>
          <span className="mono">
            <Address url={url} />
          </span>
          <span className="sub">{events.length === 0 ? webhooks.allEvents : events.join(', ')}</span>
        </>
      ),
    },
    {
      heading: words.common.state,
      isBelow: true,
      cell: ({ state, failingSince, waiting }) => (
        <>
          <State tone={TONES[state]}>{webhooks.endpointStates[state]}</State>
          <span className="sub">
            {[
              failingSince !== null && webhooks.failingSince(format.dayAndTime(failingSince, language)),
              waiting > 0 && webhooks.waiting(format.count(waiting)),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </>
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

const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded']

interface NewEndpointProps {
  isOpen: boolean
  close(): void
  made(endpoint: NewEndpointBody): void
}

function NewEndpoint({ isOpen, close, made }: NewEndpointProps) {
  const { developers } = useWords()
  const { webhooks } = developers
  const { base } = usePlace()
  const make = useChange(base, (input: EndpointInput) => post<NewEndpointBody>(`${base}/endpoints`, input), [
    'endpoints',
    'home',
  ])
  return (
    <Dialog isOpen={isOpen} close={close} title={webhooks.addTitle}>
      <Form
        onSend={async ({ url = '', ...fields }) => {
          const events = EVENTS.filter((each) => fields[each] !== undefined)
          const endpoint = await make.mutateAsync({ url, events })
          close()
          made(endpoint)
        }}
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
          <legend>{developers.tabs.events}</legend>
          {EVENTS.map((each) => (
            <Checkbox
              key={each}
              name={each}
              label={<span className="mono">{each}</span>}
              // Many receivers take an unknown event for a success (D-61).
              defaultChecked={each !== 'payment.refunded'}
            />
          ))}
        </fieldset>
        <Send>{webhooks.create}</Send>
      </Form>
    </Dialog>
  )
}

const DAY_MS = 86_400_000
const STATES: readonly DeliveryRow['state'][] = ['waiting', 'delivered', 'failed']

export function Deliveries() {
  const { common, developers } = useWords()
  const { webhooks } = developers
  const { base, role } = usePlace()
  const { say } = useMessages()
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string>()
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
          aria-label={common.state}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value)}
          data={[
            { value: '', label: common.all },
            ...STATES.map((value) => ({ value, label: webhooks.states[value] })),
          ]}
        />
        {may(role, 'manageWebhooks') && (endpoints.data?.rows.length ?? 0) > 0 && (
          <ConfirmButton
            icon={<ResendIcon size={18} />}
            label={webhooks.resendFailed}
            title={webhooks.resendFailed}
            lead={webhooks.resendSince}
            act={webhooks.resend}
            onAct={async () => {
              await resendAll.mutateAsync()
              say(webhooks.resent)
            }}
          />
        )}
      </div>
      <PagedRows
        label={webhooks.delivery}
        pages={pages}
        columns={useDeliveryColumns(setOpened)}
        keyOf={({ deliveryId }) => deliveryId}
        opens
        empty={<Empty icon={<InboxIcon size={40} />} title={webhooks.noDeliveries} help={webhooks.noDeliveriesHelp} />}
      />
      <DeliveryDialog deliveryId={opened} close={() => setOpened(undefined)} />
    </div>
  )
}
