// The account's event feed and its log of API requests, newest first. The log keeps no bodies.
import { SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventRow } from '../../../../server/src/dashboard-api/contract.ts'
import { usePages } from '../../api/account.ts'
import { usePlace } from '../../api/session.ts'
import { formatCount } from '../../format.ts'
import { Dialog } from '../../parts/form.tsx'
import { CodeIcon, InboxIcon } from '../../parts/icons.tsx'
import { Empty, LeadRow } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { Address, CodeBlock, State, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

function toneOf(status: number): 'good' | 'wait' | 'bad' {
  if (status < 300) return 'good'
  return status < 500 ? 'wait' : 'bad'
}

export function Events() {
  const { common, events } = useWords()
  const { accountId, base } = usePlace()
  const [opened, setOpened] = useState<EventRow>()
  const pages = usePages(base, 'GET /events')
  // The feed counts from 1: a list that ends before it had older events once.
  const isShortened = pages.hasNextPage === false && (pages.rows?.at(-1)?.number ?? 1) > 1
  return (
    <div className="stack">
      <p className="soft">{events.lead}</p>
      <PagedRows
        label={common.event}
        pages={pages}
        keyOf={({ number }) => number}
        opens
        columns={[
          {
            heading: events.number,
            from: 'sm',
            cell: ({ number }) => <span className="soft">{number}</span>,
          },
          {
            heading: common.event,
            cell: (event) => (
              <button type="button" className="opener plain" onClick={() => setOpened(event)}>
                <Address url={event.type} />
              </button>
            ),
          },
          {
            heading: common.payment,
            from: 'sm',
            // An event about a statement or a test has no payment.
            cell: ({ paymentReference }) =>
              paymentReference !== '' && (
                <Link
                  className="above mono"
                  to="/a/$accountId/payments/$reference"
                  params={{ accountId, reference: paymentReference }}
                >
                  {paymentReference}
                </Link>
              ),
          },
          {
            heading: common.date,
            at: 'end',
            isTight: true,
            cell: ({ createdAt }) => <When at={createdAt} />,
          },
        ]}
        empty={
          <Empty icon={<InboxIcon size={40} />} title={events.empty} help={events.emptyHelp} />
        }
      />
      {isShortened && <p className="soft">{events.removed}</p>}
      <Dialog
        isOpen={opened !== undefined}
        close={() => setOpened(undefined)}
        title={opened?.type}
        size="xl"
      >
        <CodeBlock text={opened?.body ?? ''} name={events.body} />
      </Dialog>
    </div>
  )
}

export function Requests() {
  const { common, requests } = useWords()
  const { base } = usePlace()
  const [status, setStatus] = useState('')
  const pages = usePages(base, 'GET /requests', { status })
  return (
    <div className="stack">
      <LeadRow lead={requests.lead}>
        <SegmentedControl
          aria-label={requests.status}
          value={status}
          onChange={setStatus}
          data={[
            { value: '', label: requests.any },
            { value: '4xx', label: requests.refused },
            { value: '5xx', label: requests.failed },
          ]}
        />
      </LeadRow>
      <PagedRows
        label={requests.request}
        pages={pages}
        keyOf={({ requestId }) => requestId}
        columns={[
          {
            heading: requests.request,
            cell: ({ method, path, errorCode, hint, at }) => (
              <>
                <b>{method}</b> <span className="mono">{path}</span>
                {errorCode !== null && <span className="sub mono">{errorCode}</span>}
                {hint !== null && <span className="sub">{hint}</span>}
                <span className="sub until-sm">
                  <When at={at} />
                </span>
              </>
            ),
          },
          {
            heading: requests.id,
            from: 'md',
            cell: ({ requestId }) => <span className="mono soft">{requestId}</span>,
          },
          {
            heading: requests.took,
            from: 'sm',
            isTight: true,
            cell: ({ milliseconds }) => `${formatCount(milliseconds)} ms`,
          },
          { heading: common.date, from: 'sm', isTight: true, cell: ({ at }) => <When at={at} /> },
          {
            heading: requests.status,
            at: 'end',
            cell: (row) => <State tone={toneOf(row.status)}>{String(row.status)}</State>,
          },
        ]}
        empty={
          <Empty icon={<CodeIcon size={40} />} title={requests.empty} help={requests.emptyHelp} />
        }
      />
    </div>
  )
}
