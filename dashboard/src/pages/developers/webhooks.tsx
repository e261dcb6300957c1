// The addresses that are told of every change: added, tried, paused, deleted.
import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { EndpointRow, NewEndpointBody, PageOf } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, useRead } from '../../api/account.ts'
import { patch, post, remove } from '../../api/client.ts'
import * as format from '../../format.ts'
import { Address } from '../../parts/address.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ConnectionIcon, PlusIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty, Read } from '../../parts/page.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { type Column, Rows } from '../../parts/rows.tsx'
import { State, type Tone } from '../../parts/state.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useSpoken, useWords } from '../../words/language.tsx'
import { NewEndpoint } from './new-endpoint.tsx'
import { ShownOnce } from './shown-once.tsx'

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
