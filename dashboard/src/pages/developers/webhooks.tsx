// The addresses that are told of every change: added, tried, paused, deleted.

import { Button, Checkbox, Menu, Modal, NativeSelect, TextInput } from '@mantine/core'
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
import { Confirm, Form, Send, ShownOnce } from '../../parts/form.tsx'
import { ConnectionIcon, InboxIcon, PlusIcon, ResendIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty, Read } from '../../parts/page.tsx'
import { type Column, PagedRows, RowMenu, Rows } from '../../parts/rows.tsx'
import { Address, State, type Tone } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'

const TONES: Readonly<Record<EndpointRow['state'], Tone>> = { working: 'good', failing: 'bad', paused: 'calm' }

type Deed = 'test' | 'pause' | 'resume' | 'remove'

export function Webhooks() {
  const { webhooks, keys } = useWords().developers
  const { accountId, role } = usePlace()
  const { say, complain } = useMessages()
  const base = `accounts/${accountId}`
  const reading = useRead<PageOf<EndpointRow>>(base, 'endpoints')
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
      <Card flush>
        <Read reading={reading}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty icon={<ConnectionIcon size={40} />} title={webhooks.empty} help={webhooks.emptyHelp} />
            ) : (
              <Rows label={webhooks.url} columns={columns} rows={rows} keyOf={({ endpointId }) => endpointId} />
            )
          }
        </Read>
      </Card>
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
        act={webhooks.remove}
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
      heading: webhooks.state,
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
    ...(doIt === undefined
      ? []
      : [
          {
            heading: <span className="hidden">{webhooks.actions}</span>,
            at: 'end' as const,
            cell: (row: EndpointRow) => (
              <RowMenu label={`${webhooks.actions} : ${row.url}`}>
                <Menu.Item onClick={() => doIt('test', row)}>{webhooks.test}</Menu.Item>
                <Menu.Item onClick={() => doIt(row.state === 'paused' ? 'resume' : 'pause', row)}>
                  {row.state === 'paused' ? webhooks.resume : webhooks.pause}
                </Menu.Item>
                <Menu.Item color="red" onClick={() => doIt('remove', row)}>
                  {webhooks.remove}
                </Menu.Item>
              </RowMenu>
            ),
          },
        ]),
  ]
}

// A new address for webhooks; its signing secret is shown once.
const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded']

export function NewEndpoint({
  isOpen,
  close,
  made,
}: {
  isOpen: boolean
  close(): void
  made(endpoint: NewEndpointBody): void
}) {
  const { developers, shell } = useWords()
  const { webhooks } = developers
  const { accountId } = usePlace()
  const base = `accounts/${accountId}`
  const make = useChange(base, (input: EndpointInput) => post<NewEndpointBody>(`${base}/endpoints`, input), [
    'endpoints',
    'home',
  ])
  return (
    <Modal opened={isOpen} onClose={close} title={webhooks.addTitle} closeButtonProps={{ 'aria-label': shell.close }}>
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
          <legend>{webhooks.events}</legend>
          {EVENTS.map((each) => (
            <Checkbox
              key={each}
              name={each}
              label={<span className="mono">{each}</span>}
              // Many receivers take whatever they do not know for a success (D-61).
              defaultChecked={each !== 'payment.refunded'}
            />
          ))}
        </fieldset>
        <Send>{webhooks.create}</Send>
      </Form>
    </Modal>
  )
}

// Everything that was sent to the account's addresses, with the answers; one or all can be sent again.
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
